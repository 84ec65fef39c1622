/* Codes and tokens: checked, redeemed, rotated, given up. */
#include <string.h>

#include "actors/grants_state.h"
#include "mailbox/log_line.h"

enum err
grants_check_serves(const struct grants *g)
{
	return http_phase_error(grants_profile_phase(g));
}

enum err
grants_oauth_refuse(struct outbox *out, uint64_t ask_id, enum err why)
{
	return outbox_put(out, MSG_HTTP_DENIED, ask_id, &(struct refusal_body){ .error = (uint16_t)why });
}

void
grants_connection_ended(struct grants *g, struct uuid connection, struct outbox *out)
{
	struct one_id_body b = { .id = connection };

	(void)outbox_put(out, MSG_CONNECTION_CHANGED, 0, &b);
	(void)outbox_put(out, MSG_CONNECTION_GONE, 0, &b);
	(void)grants_events_again(g, out);
}

struct connection_body
grants_connection_body(struct grants *g, const struct connection_record *c)
{
	uint64_t left = moment_left(grants_moment(g), c->refresh_ends), now = clock_wall().ms;
	struct connection_body b = {
		.connection = c->connection, .created_wall_ms = c->created.ms, .scopes = c->scopes,
		.categories = c->categories, .revoked = (uint8_t)c->end,
		.name = { c->name, c->name_len }, .redirect = { c->redirect, c->redirect_len },
	};

	/* What is over is so by the clock of tokens, whatever the wall clock says. */
	if (c->end == CONNECTION_LIVES)
		b.ends_wall_ms = left > 0 ? now + left : now < c->refresh_ends.ms ? now : c->refresh_ends.ms;
	return b;
}

enum err
grants_on_client_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct client_wanted_body *b = &in->body->client_wanted;
	struct connection_record c;
	struct connection_body found = { .scopes = 0 };
	enum err e;

	if ((e = grants_check_serves(g)) != OK)
		return grants_oauth_refuse(out, in->ask_id, e);
	if ((e = grants_db_client(g->db, b->client, b->redirect, &c)) == OK)
		found = grants_connection_body(g, &c);
	else if (e != ERR_NOT_FOUND)
		return grants_oauth_refuse(out, in->ask_id, e);
	return outbox_put(out, MSG_CLIENT_FOUND, in->ask_id, &found);
}

static struct token_found_body
found_of(const struct token_use *u)
{
	return (struct token_found_body){ .connection = u->connection, .scopes = u->scopes, .categories = u->categories,
		.left_ms = u->left_ms, .refresh_left_ms = u->refresh_left_ms };
}

enum err
grants_on_token_check(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct token_found_body found;
	struct token_use use;
	enum err e;

	if ((e = grants_check_serves(g)) != OK ||
	    (e = grants_db_access(g->db, in->body->token_check.token, grants_moment(g), &use)) != OK)
		return grants_oauth_refuse(out, in->ask_id, e);
	found = found_of(&use);
	return outbox_put(out, MSG_TOKEN_FOUND, in->ask_id, &found);
}

/* What became of an offer of a code or token. e: of the database. */
static enum err
answer(struct grants *g, uint64_t ask_id, enum err e, const struct token_outcome *o, struct outbox *out)
{
	struct token_found_body found = found_of(&o->use);

	if (e != OK) {
		log_line_error(ACTOR_GRANTS, e, ask_id);
		return grants_oauth_refuse(out, ask_id, e);
	}
	grants_moment_kept(g, o->error == OK);
	if (o->ended)
		grants_connection_ended(g, o->use.connection, out);
	return o->error == OK ? outbox_put(out, MSG_TOKENS_KEPT, ask_id, &found)
	    : grants_oauth_refuse(out, ask_id, o->error);
}

enum err
grants_on_code_redeem(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct code_redeem_body *b = &in->body->code_redeem;
	struct code_offer offer = { .has_redirect = b->has_redirect != 0 };
	struct token_outcome o = { .error = OK };
	enum err e = grants_check_serves(g);

	if (e != OK)
		return grants_oauth_refuse(out, in->ask_id, e);
	memcpy(offer.code, b->code, SHA256_LEN);
	memcpy(offer.client, b->client, SHA256_LEN);
	memcpy(offer.redirect_given, b->redirect_given, SHA256_LEN);
	memcpy(offer.challenge, b->challenge, SHA256_LEN);
	memcpy(offer.access, b->access, SHA256_LEN);
	memcpy(offer.refresh, b->refresh, SHA256_LEN);
	e = grants_db_redeem(g->db, &offer, grants_moment(g), &o);
	return answer(g, in->ask_id, e, &o, out);
}

enum err
grants_on_token_refresh(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct token_refresh_body *b = &in->body->token_refresh;
	struct refresh_offer offer = { .scopes = b->scopes };
	struct token_outcome o = { .error = OK };
	enum err e = grants_check_serves(g);

	if (e != OK)
		return grants_oauth_refuse(out, in->ask_id, e);
	memcpy(offer.token, b->token, SHA256_LEN);
	memcpy(offer.client, b->client, SHA256_LEN);
	memcpy(offer.access, b->access, SHA256_LEN);
	memcpy(offer.refresh, b->refresh, SHA256_LEN);
	e = grants_db_refresh(g->db, &offer, grants_moment(g), &o);
	return answer(g, in->ask_id, e, &o, out);
}

enum err
grants_on_token_revoke(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct token_revoke_body *b = &in->body->token_revoke;
	struct token_outcome o = { .error = OK };
	enum err e = grants_check_serves(g);

	if (e == OK && (e = grants_db_leave(g->db, b->token, b->client, grants_moment(g), &o)) != OK)
		log_line_error(ACTOR_GRANTS, e, in->ask_id);
	if (e != OK)
		return grants_oauth_refuse(out, in->ask_id, e);
	if (o.ended)
		grants_connection_ended(g, o.use.connection, out);
	return outbox_put(out, MSG_TOKEN_REVOKED, in->ask_id, &(struct nothing_body){ 0 });
}
