/* The owner's consent: it gives rights, so nothing of it holds before its record is durable. */
#include <stdlib.h>
#include <string.h>

#include "actors/grants_state.h"
#include "escrow/random.h"

static struct consent_waiting **
find(struct grants *g, uint64_t event)
{
	for (size_t i = 0; i < CONSENTS_MAX; i++)
		if (g->oauth.consents[i] != NULL && g->oauth.consents[i]->event == event)
			return &g->oauth.consents[i];
	return NULL;
}

static struct consent_waiting **
free_place(struct grants *g)
{
	for (size_t i = 0; i < CONSENTS_MAX; i++)
		if (g->oauth.consents[i] == NULL)
			return &g->oauth.consents[i];
	return NULL;
}

static bool
same_client(const struct connection_consent *c, const struct consent_body *b)
{
	return memcmp(c->client, b->client, SHA256_LEN) == 0 && memcmp(c->redirect_hash, b->redirect_hash, SHA256_LEN) == 0;
}

/* Of one client one consent waits at a time, so that each record names the connection that it is about. */
static bool
waits_already(const struct grants *g, const struct consent_body *b)
{
	for (size_t i = 0; i < CONSENTS_MAX; i++)
		if (g->oauth.consents[i] != NULL && same_client(&g->oauth.consents[i]->c, b))
			return true;
	return false;
}

/* Of one that would be refused after its record nothing is recorded. */
static enum err
check(struct grants *g, const struct consent_body *b)
{
	enum err e = grants_check_serves(g);

	if (e != OK)
		return e;
	if (!connection_scopes_hold(b->scopes) || (b->categories & ~CATEGORIES_SHAREABLE) != 0)
		return ERR_INVALID_ARGUMENT;
	if (!g->audit_up)
		return ERR_AUDIT_UNAVAILABLE;
	return waits_already(g, b) ? ERR_BUSY : OK;
}

/* The connection of before, or room for a new one. */
static enum err
choose(struct grants *g, struct consent_waiting *w)
{
	struct connection_record c;
	uint32_t living;
	enum err e = grants_db_client(g->db, w->c.client, w->c.redirect_hash, &c);

	if (e == OK) {
		w->goes_on = true;
		w->c.connection = c.connection;
		return OK;
	}
	if (e != ERR_NOT_FOUND || (e = grants_db_count_connections(g->db, &living)) != OK)
		return e;
	w->c.connection = uuid_make(clock_wall());
	return living < CONNECTIONS_MAX ? OK : ERR_PROFILE_FULL;
}

static void
fill(struct consent_waiting *w, const struct consent_body *b)
{
	w->c = (struct connection_consent){ .scopes = b->scopes, .categories = b->categories, .wall = clock_wall(),
		.name = { w->name, b->name.len }, .redirect = { w->redirect, b->redirect.len } };
	memcpy(w->c.client, b->client, SHA256_LEN);
	memcpy(w->c.redirect_hash, b->redirect_hash, SHA256_LEN);
	memcpy(w->c.redirect_given, b->redirect_given, SHA256_LEN);
	memcpy(w->c.code, b->code, SHA256_LEN);
	memcpy(w->c.challenge, b->challenge, SHA256_LEN);
	if (b->name.len > 0)
		memcpy(w->name, b->name.p, b->name.len);
	if (b->redirect.len > 0)
		memcpy(w->redirect, b->redirect.p, b->redirect.len);
}

static struct event_body
event_of(const struct consent_waiting *w, enum err e)
{
	return (struct event_body){ .type = LOG_GRANT, .outcome = e == OK ? LOG_DONE : LOG_REFUSED, .error = (uint16_t)e,
		.surface = SURFACE_HTTP, .subject_kind = LOG_CONNECTION_ID, .subject = w->c.connection,
		.grant_type = GRANT_CONNECTION };
}

enum err
grants_on_consent(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct consent_body *b = &in->body->consent;
	struct consent_waiting **place = free_place(g), *w;
	struct event_body event;
	enum err e = check(g, b);

	if (e == OK && place == NULL)
		e = ERR_BUSY;
	if (e != OK)
		return grants_oauth_refuse(out, in->ask_id, e);
	if ((w = calloc(1, sizeof *w)) == NULL)
		return grants_oauth_refuse(out, in->ask_id, ERR_NO_MEMORY);
	fill(w, b);
	if ((e = choose(g, w)) != OK) {
		free(w);
		return grants_oauth_refuse(out, in->ask_id, e);
	}
	w->event = grants_own_ask(g);
	w->ask_id = in->ask_id;
	w->ends.ms = clock_mono().ms + COMMAND_MS;
	*place = w;
	event = event_of(w, OK);
	return grants_event_awaited(g, w->event, &event, out) == OK ? OK : grants_consent_recorded(g, w->event, ERR_BUSY, out);
}

/* The record is there, so what cannot be done after it is written down too. */
static enum err
keep(struct grants *g, const struct consent_waiting *w, struct outbox *out)
{
	struct event_body undone;
	enum err e = grants_check_serves(g);

	if (e == OK)
		e = grants_db_consent(g->db, &w->c, grants_moment(g));
	if (e == OK) {
		grants_moment_kept(g, true);
		if (w->goes_on)
			(void)outbox_put(out, MSG_CONNECTION_CHANGED, 0, &(struct one_id_body){ .id = w->c.connection });
		return OK;
	}
	undone = event_of(w, e);
	(void)grants_event_tell(g, &undone, out);
	return e;
}

enum err
grants_consent_recorded(struct grants *g, uint64_t event, enum err e, struct outbox *out)
{
	struct consent_waiting **place = find(g, event), *w;
	enum err put;

	if (place == NULL)
		return OK;
	w = *place;
	*place = NULL;
	if (e == OK)
		e = keep(g, w, out);
	put = e == OK ? outbox_put(out, MSG_CONSENT_KEPT, w->ask_id, &(struct one_id_body){ .id = w->c.connection })
	    : grants_oauth_refuse(out, w->ask_id, e);
	free(w);
	return put;
}

static void
end(struct consent_waiting **place, enum err why, bool told, struct outbox *out)
{
	if (told)
		(void)grants_oauth_refuse(out, (*place)->ask_id, why);
	free(*place);
	*place = NULL;
}

void
grants_consents_expire(struct grants *g, struct mono_ms now, struct outbox *out)
{
	for (size_t i = 0; i < CONSENTS_MAX; i++)
		if (g->oauth.consents[i] != NULL && now.ms >= g->oauth.consents[i]->ends.ms)
			end(&g->oauth.consents[i], ERR_AUDIT_TIMEOUT, true, out);
}

void
grants_consents_fail(struct grants *g, enum err why, bool told, struct outbox *out)
{
	for (size_t i = 0; i < CONSENTS_MAX; i++)
		if (g->oauth.consents[i] != NULL)
			end(&g->oauth.consents[i], why, told, out);
}

struct mono_ms
grants_consents_next(const struct grants *g)
{
	struct mono_ms next = { 0 };

	for (size_t i = 0; i < CONSENTS_MAX; i++) {
		const struct consent_waiting *w = g->oauth.consents[i];

		if (w != NULL)
			next = mono_sooner(next, w->ends);
	}
	return next;
}
