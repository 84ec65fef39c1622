/* The ruling over an ask of a connection: over HTTP, to the profile and to nothing else. */

#include "actors/grants_state.h"
#include "escrow/binding.h"

static bool
has_form(const struct ask_body *ask)
{
	return ask->surface == SURFACE_HTTP && ask->grant_type == GRANT_CONNECTION && op_scopes((enum op)ask->op) != 0 &&
	    uuid_is_zero(ask->vault);
}

/* The token first, so that who has none learns nothing else. authenticated: it is one. */
static enum err
decide(struct grants *g, const struct ask_body *ask, struct ruling_body *r, bool *authenticated)
{
	struct token_use use;
	uint8_t needed = op_scopes((enum op)ask->op);
	enum err e;

	if ((e = grants_db_access(g->db, ask->token_id, grants_moment(g), &use)) != OK)
		return e;
	*authenticated = true;
	r->subject_kind = LOG_CONNECTION_ID;
	r->subject = r->grant = use.connection;
	r->grant_type = GRANT_CONNECTION;
	r->grant_revision = use.revision;
	r->scopes = use.scopes;
	r->categories = use.categories;
	if (use.left_ms < RULING_MS)
		r->deadline_boot_ms = clock_mono().ms + use.left_ms;
	if (!has_form(ask))
		return ERR_INVALID_ARGUMENT;
	if ((e = grants_check_serves(g)) != OK)
		return e;
	return (use.scopes & needed) == needed ? OK : ERR_INSUFFICIENT_SCOPE;
}

enum err
grants_on_http_ask(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct ruling_body r = { .ask = in->body->ask, .deadline_boot_ms = clock_mono().ms + RULING_MS };
	bool authenticated = false;
	enum err e = decide(g, &in->body->ask, &r, &authenticated);

	if (e == OK) {
		ruling_mac(g->ruling_key, &r, r.mac);
		return outbox_put(out, MSG_PROFILE_WANTED, in->ask_id, &r);
	}
	return outbox_put(out, MSG_HTTP_DENIED, in->ask_id, &(struct refusal_body){ .error = (uint16_t)e,
	    .authenticated = authenticated, .subject_kind = r.subject_kind, .subject = r.subject });
}
