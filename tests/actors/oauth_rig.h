/* oauth_rig: grants with an endpoint that serves, and short ways to speak to it as HTTP does. */
#ifndef TESTS_ACTORS_OAUTH_RIG_H
#define TESTS_ACTORS_OAUTH_RIG_H

#include "tests/actors/grants_rig.h"

enum { READ = 1u << SCOPE_READ, PROPOSE = 1u << SCOPE_PROPOSE, CORRECT = 1u << SCOPE_CORRECT, SEARCH = 1u << SCOPE_SEARCH };

static inline void
oauth_rig_phase(struct grants_rig *g, enum http_phase phase)
{
	struct grants_profile *p = &grants_rig_self(g)->profile;

	p->exists = phase != HTTP_NEVER;
	p->record.enabled = phase != HTTP_OFF;
	p->record.maintenance = phase == HTTP_MAINTENANCE;
	p->opened = phase == HTTP_SERVES;
	assert_int_equal(grants_profile_phase(grants_rig_self(g)), phase);
}

/* A hash of something, as HTTP would say it. */
static inline void
oauth_rig_hash(unsigned what, uint8_t out[32])
{
	memset(out, 0, 32);
	out[0] = (uint8_t)(what >> 8);
	out[1] = (uint8_t)what;
}

static inline void
oauth_rig_ready(struct grants_rig *g)
{
	grants_rig_ready(g);
	rig_edge(g->r, ACTOR_HTTP, true);
	rig_edge(g->r, ACTOR_PROFILE, true);
	oauth_rig_phase(g, HTTP_SERVES);
	rig_forget(g->r);
}

/* A start anew in the same home. */
static inline void
oauth_rig_restart(struct grants_rig *g)
{
	grants_rig_restart(g);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, true);
	rig_edge(g->r, ACTOR_HTTP, true);
	oauth_rig_phase(g, HTTP_SERVES);
	rig_forget(g->r);
}

/* Of the client and code of these numbers; the code's verifier, and its redirect URI, are of the client's number too. */
static inline struct consent_body
oauth_rig_consent_of(unsigned client, unsigned code, uint8_t scopes)
{
	struct consent_body b = { .scopes = scopes, .categories = 1u << CATEGORY_BASIC,
		.name = { (const uint8_t *)"An assistant", 12 }, .redirect = { (const uint8_t *)"http://127.0.0.1/cb", 19 } };

	oauth_rig_hash(0x1000 + client, b.client);
	oauth_rig_hash(0x2000 + client, b.redirect_hash);
	oauth_rig_hash(0x3000 + client, b.redirect_given);
	oauth_rig_hash(0x4000 + client, b.challenge);
	oauth_rig_hash(0x5000 + code, b.code);
	return b;
}

/* Until its record: the ask of that. */
static inline uint64_t
oauth_rig_consent_begin(struct grants_rig *g, const struct consent_body *b)
{
	const union any_body *event;

	assert_int_equal(grants_rig_say(g, MSG_CONSENT, b), OK);
	event = rig_expect(g->r, MSG_EVENT_KEEP);
	assert_non_null(event);
	assert_int_equal(event->event.type, LOG_GRANT);
	assert_int_equal(event->event.subject_kind, LOG_CONNECTION_ID);
	assert_int_equal(event->event.grant_type, GRANT_CONNECTION);
	assert_int_equal(event->event.surface, SURFACE_HTTP);
	assert_true(rig_silent(g->r) || rig_next(g->r) != MSG_CONSENT_KEPT);
	return rig_ask_id(g->r);
}

static inline void
oauth_rig_kept(struct grants_rig *g, uint64_t event, enum err e)
{
	assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, event, &(struct result_body){ .error = (uint16_t)e }), OK);
}

/* The error of the denial that comes next, or OK when another message does. */
static inline enum err
oauth_rig_denied(struct grants_rig *g)
{
	const union any_body *b;

	if (rig_next(g->r) != MSG_HTTP_DENIED)
		return OK;
	b = rig_expect(g->r, MSG_HTTP_DENIED);
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	return (enum err)b->refusal.error;
}

/* The whole of it; the connection. */
static inline struct uuid
oauth_rig_consent(struct grants_rig *g, unsigned client, unsigned code, uint8_t scopes)
{
	struct consent_body b = oauth_rig_consent_of(client, code, scopes);
	const union any_body *kept;

	oauth_rig_kept(g, oauth_rig_consent_begin(g, &b), OK);
	if (rig_next(g->r) == MSG_CONNECTION_CHANGED)
		(void)rig_expect(g->r, MSG_CONNECTION_CHANGED);
	kept = rig_expect(g->r, MSG_CONSENT_KEPT);
	assert_non_null(kept);
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	return kept->one_id.id;
}

/* The tokens of that number: access and refresh. */
static inline struct code_redeem_body
oauth_rig_redeem_of(unsigned client, unsigned code, unsigned tokens)
{
	struct code_redeem_body b = { .has_redirect = 1 };

	oauth_rig_hash(0x5000 + code, b.code);
	oauth_rig_hash(0x1000 + client, b.client);
	oauth_rig_hash(0x3000 + client, b.redirect_given);
	oauth_rig_hash(0x4000 + client, b.challenge);
	oauth_rig_hash(0x6000 + tokens, b.access);
	oauth_rig_hash(0x7000 + tokens, b.refresh);
	return b;
}

/* What is told of an end on the way; the log takes it. */
static inline void
oauth_rig_drain(struct grants_rig *g)
{
	uint64_t event = 0;

	while (rig_next(g->r) == MSG_CONNECTION_CHANGED || rig_next(g->r) == MSG_CONNECTION_GONE ||
	    rig_next(g->r) == MSG_EVENT_KEEP) {
		bool keep = rig_next(g->r) == MSG_EVENT_KEEP;

		(void)rig_expect(g->r, rig_next(g->r));
		event = keep ? rig_ask_id(g->r) : event;
	}
	if (event != 0)
		oauth_rig_kept(g, event, OK);
}

/* What comes of it; found may be NULL. What else is said stays. */
static inline enum err
oauth_rig_tokens(struct grants_rig *g, struct token_found_body *found)
{
	const union any_body *b;
	enum err e;

	oauth_rig_drain(g);
	if ((e = oauth_rig_denied(g)) != OK)
		return e;
	b = rig_expect(g->r, rig_next(g->r) == MSG_TOKEN_FOUND ? MSG_TOKEN_FOUND : MSG_TOKENS_KEPT);
	assert_non_null(b);
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	if (found != NULL)
		*found = b->token_found;
	return OK;
}

static inline enum err
oauth_rig_redeem(struct grants_rig *g, const struct code_redeem_body *b, struct token_found_body *found)
{
	assert_int_equal(grants_rig_say(g, MSG_CODE_REDEEM, b), OK);
	return oauth_rig_tokens(g, found);
}

static inline struct token_refresh_body
oauth_rig_refresh_of(unsigned client, unsigned from, unsigned to)
{
	struct token_refresh_body b = { .scopes = 0 };

	oauth_rig_hash(0x7000 + from, b.token);
	oauth_rig_hash(0x1000 + client, b.client);
	oauth_rig_hash(0x6000 + to, b.access);
	oauth_rig_hash(0x7000 + to, b.refresh);
	return b;
}

static inline enum err
oauth_rig_refresh(struct grants_rig *g, unsigned client, unsigned from, unsigned to, struct token_found_body *found)
{
	struct token_refresh_body b = oauth_rig_refresh_of(client, from, to);

	assert_int_equal(grants_rig_say(g, MSG_TOKEN_REFRESH, &b), OK);
	return oauth_rig_tokens(g, found);
}

static inline enum err
oauth_rig_check(struct grants_rig *g, unsigned tokens, struct token_found_body *found)
{
	struct token_check_body b;

	oauth_rig_hash(0x6000 + tokens, b.token);
	assert_int_equal(grants_rig_say(g, MSG_TOKEN_CHECK, &b), OK);
	return oauth_rig_tokens(g, found);
}

/* Tokens 1 of client 1, by code 1. */
static inline struct uuid
oauth_rig_connect(struct grants_rig *g, uint8_t scopes)
{
	struct code_redeem_body b = oauth_rig_redeem_of(1, 1, 1);
	struct uuid id = oauth_rig_consent(g, 1, 1, scopes);

	assert_int_equal(oauth_rig_redeem(g, &b, NULL), OK);
	return id;
}

/* How it stands in the database. */
static inline struct connection_record
oauth_rig_record(struct grants_rig *g, struct uuid connection)
{
	struct connection_record c;

	assert_int_equal(grants_db_connection(grants_rig_self(g)->db, connection, &c), OK);
	return c;
}

#endif
