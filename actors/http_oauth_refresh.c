/*
 * A refresh is held for OAUTH_HOLD_MS. Programs that share a token find all at
 * once that it is over, and each shows the same refresh token: all of them get
 * the one answer. Until that has left, the token was not spent, so none of them
 * showed an old one. Whoever shows it afterwards does.
 */
#include "actors/http_oauth_inside.h"
#include "gateway/span.h"

static struct oauth_hold *
find(struct http_oauth *o, const struct oauth_token_request *r)
{
	for (size_t i = 0; i < OAUTH_HOLDS_MAX; i++) {
		struct oauth_hold *h = &o->holds[i];

		if (h->n_waiters > 0 && same_bytes(h->request.shown, r->shown, SHA256_LEN) &&
		    same_bytes(h->request.client, r->client, SHA256_LEN) && h->request.scopes == r->scopes)
			return h;
	}
	return NULL;
}

static struct oauth_hold *
free_place(struct http_oauth *o)
{
	for (size_t i = 0; i < OAUTH_HOLDS_MAX; i++)
		if (o->holds[i].n_waiters == 0)
			return &o->holds[i];
	return NULL;
}

void
http_oauth_hold(struct http_gateway *g, struct http_exchange *x, const struct oauth_token_request *r)
{
	struct oauth_hold *h = find(g->oauth, r);

	if (h == NULL && (h = free_place(g->oauth)) != NULL) {
		memset(h, 0, sizeof *h);
		h->request = *r;
		h->due.ms = clock_mono().ms + OAUTH_HOLD_MS;
	}
	if (h == NULL || h->n_waiters == OAUTH_HOLD_WAITERS) {
		http_oauth_refuse(x, OAUTH_TOO_MANY);
		return;
	}
	h->waiters[h->n_waiters++] = x;
}

/* Takes the hold out of the table: answering lets the next requests in. */
static struct oauth_hold
take(struct oauth_hold *h)
{
	struct oauth_hold taken = *h;

	wipe(h, sizeof *h);
	return taken;
}

static void
refuse_all(struct oauth_hold *h, enum err why)
{
	struct oauth_hold taken = take(h);

	for (size_t i = 0; i < taken.n_waiters; i++)
		http_oauth_refuse_for(taken.waiters[i], why);
	wipe(&taken, sizeof taken);
}

static void
on_refreshed(struct http_gateway *g, void *arg, enum err e, const union any_body *answer)
{
	struct oauth_hold taken;
	uint8_t scopes = e == OK ? answer->token_found.scopes : 0;
	uint64_t seconds = e == OK ? answer->token_found.left_ms / 1000 : 0;

	(void)g;
	if (e != OK) {
		refuse_all(arg, e);
		return;
	}
	taken = take(arg);
	for (size_t i = 0; i < taken.n_waiters; i++) {
		struct json_writer w = { 0 };

		oauth_token_write(&w, taken.access, taken.refresh, scopes, seconds);
		http_oauth_answer_json(taken.waiters[i], 200, &w);
	}
	wipe(&taken, sizeof taken);
}

static bool
is_wanted(const struct oauth_hold *h)
{
	for (size_t i = 0; i < h->n_waiters; i++)
		if (http_exchange_is_wanted(h->waiters[i]))
			return true;
	return false;
}

/* Its time has come: it is rotated, unless nobody is left to take the next one. */
static void
ask(struct http_gateway *g, struct oauth_hold *h)
{
	struct token_refresh_body b = { .scopes = h->request.scopes };
	enum err e;

	if (!is_wanted(h)) {
		refuse_all(h, ERR_INTERRUPTED);
		return;
	}
	oauth_token_make(OAUTH_ACCESS, h->access);
	oauth_token_make(OAUTH_REFRESH, h->refresh);
	memcpy(b.token, h->request.shown, SHA256_LEN);
	memcpy(b.client, h->request.client, SHA256_LEN);
	oauth_hash(span_of(h->access), b.access);
	oauth_hash(span_of(h->refresh), b.refresh);
	h->is_asked = true;
	if ((e = http_oauth_ask(g, MSG_TOKEN_REFRESH, &b, on_refreshed, h)) != OK)
		refuse_all(h, e);
}

struct mono_ms
http_oauth_holds_turn(struct http_gateway *g, struct mono_ms now)
{
	struct mono_ms next = { 0 };

	for (size_t i = 0; i < OAUTH_HOLDS_MAX; i++) {
		struct oauth_hold *h = &g->oauth->holds[i];

		if (h->n_waiters == 0 || h->is_asked)
			continue;
		if (now.ms >= h->due.ms)
			ask(g, h);
		else if (next.ms == 0 || h->due.ms < next.ms)
			next = h->due;
	}
	return next;
}

void
http_oauth_holds_free(struct http_gateway *g)
{
	for (size_t i = 0; i < OAUTH_HOLDS_MAX; i++)
		if (g->oauth->holds[i].n_waiters > 0)
			refuse_all(&g->oauth->holds[i], ERR_INTERRUPTED);
}
