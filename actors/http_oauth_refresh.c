/*
 * A refresh is held for OAUTH_HOLD_MS. Programs that share a token find all at
 * once that it is over, and each shows the same refresh token: all of them get
 * the one answer. Until that has left, the token was not spent, so none of them
 * showed an old one. Whoever shows it afterwards does, and grants is told.
 *
 * An owner whose assistants are several programs with one store can have the
 * answer given again for some seconds more (config.json), to the same client,
 * until the next token is used. It is kept here and nowhere else.
 */
#include "actors/http_oauth_inside.h"
#include "gateway/span.h"

static struct oauth_hold *
find(struct http_oauth *o, const struct oauth_token_request *r)
{
	for (size_t i = 0; i < OAUTH_HOLDS_MAX; i++) {
		struct oauth_hold *h = &o->holds[i];

		if (h->state != OAUTH_HOLD_FREE && same_bytes(h->request.shown, r->shown, SHA256_LEN) &&
		    same_bytes(h->request.client, r->client, SHA256_LEN) && h->request.scopes == r->scopes)
			return h;
	}
	return NULL;
}

/* A free place; else that of the answer which ends first. NULL: all are waited for. */
static struct oauth_hold *
take_place(struct http_oauth *o)
{
	struct oauth_hold *place = NULL;

	for (size_t i = 0; i < OAUTH_HOLDS_MAX; i++) {
		struct oauth_hold *h = &o->holds[i];

		if (h->state == OAUTH_HOLD_FREE)
			return h;
		if (h->state == OAUTH_HOLD_OVERLAPS && (place == NULL || h->due.ms < place->due.ms))
			place = h;
	}
	if (place != NULL)
		wipe(place, sizeof *place);
	return place;
}

/* Once the next token is used there is nobody left who waits for it. */
static void
end_before(struct http_oauth *o, const uint8_t shown[SHA256_LEN])
{
	for (size_t i = 0; i < OAUTH_HOLDS_MAX; i++)
		if (o->holds[i].state == OAUTH_HOLD_OVERLAPS && same_bytes(o->holds[i].successor, shown, SHA256_LEN))
			wipe(&o->holds[i], sizeof o->holds[i]);
}

static void
answer(struct http_exchange *x, const struct oauth_hold *h)
{
	struct mono_ms now = clock_mono();
	struct json_writer w = { 0 };

	oauth_token_write(&w, h->access, h->refresh, h->scopes, h->ends.ms > now.ms ? (h->ends.ms - now.ms) / 1000 : 0);
	http_oauth_answer_json(x, 200, &w);
}

/* Gives an answer again, if that is still done. */
static bool
answer_again(struct oauth_hold *h, struct http_exchange *x)
{
	struct oauth_hold copy;

	if (h->n_again == OAUTH_OVERLAP_USES || clock_mono().ms >= h->due.ms) {
		wipe(h, sizeof *h);
		return false;
	}
	h->n_again++;
	copy = *h;
	answer(x, &copy);
	wipe(&copy, sizeof copy);
	return true;
}

static void
refuse_all(struct oauth_hold *h, enum err why)
{
	struct oauth_hold taken = *h;

	/* Out of the table first: answering lets the next requests in. */
	wipe(h, sizeof *h);
	for (size_t i = 0; i < taken.n_waiters; i++)
		http_oauth_refuse_for(taken.waiters[i], why);
	wipe(&taken, sizeof taken);
}

static void
on_refreshed(struct http_gateway *g, void *arg, enum err e, const union any_body *body)
{
	struct oauth_hold *h = arg, taken;

	if (e != OK) {
		refuse_all(h, e);
		return;
	}
	h->scopes = body->token_found.scopes;
	h->ends.ms = clock_mono().ms + body->token_found.left_ms;
	taken = *h;
	if (g->config->refresh_overlap_s > 0) {
		h->state = OAUTH_HOLD_OVERLAPS;
		h->n_waiters = 0;
		h->due.ms = clock_mono().ms + (uint64_t)g->config->refresh_overlap_s * 1000;
	} else
		wipe(h, sizeof *h);
	for (size_t i = 0; i < taken.n_waiters; i++)
		answer(taken.waiters[i], &taken);
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
	oauth_hash(span_of(h->refresh), h->successor);
	memcpy(b.token, h->request.shown, SHA256_LEN);
	memcpy(b.client, h->request.client, SHA256_LEN);
	memcpy(b.refresh, h->successor, SHA256_LEN);
	oauth_hash(span_of(h->access), b.access);
	h->state = OAUTH_HOLD_ASKED;
	if ((e = http_oauth_ask(g, MSG_TOKEN_REFRESH, &b, on_refreshed, h)) != OK)
		refuse_all(h, e);
}

/* Who sends many made-up tokens makes others wait less, and keeps nobody out. */
static void
hurry(struct http_gateway *g)
{
	struct oauth_hold *longest = NULL;
	size_t n = 0;

	for (size_t i = 0; i < OAUTH_HOLDS_MAX; i++) {
		struct oauth_hold *h = &g->oauth->holds[i];

		if (h->state != OAUTH_HOLD_WAITS)
			continue;
		n++;
		if (longest == NULL || h->due.ms < longest->due.ms)
			longest = h;
	}
	if (n >= OAUTH_HOLDS_WAIT)
		ask(g, longest);
}

static struct oauth_hold *
begin(struct http_gateway *g, const struct oauth_token_request *r)
{
	struct oauth_hold *h = take_place(g->oauth);

	if (h == NULL)
		return NULL;
	memset(h, 0, sizeof *h);
	h->state = OAUTH_HOLD_WAITS;
	h->request = *r;
	h->due.ms = clock_mono().ms + OAUTH_HOLD_MS;
	return h;
}

void
http_oauth_hold(struct http_gateway *g, struct http_exchange *x, const struct oauth_token_request *r)
{
	struct oauth_hold *h;

	/* First, since whoever is answered may send the same token next. */
	if (find(g->oauth, r) == NULL)
		hurry(g);
	h = find(g->oauth, r);
	end_before(g->oauth, r->shown);
	if (h != NULL && h->state == OAUTH_HOLD_OVERLAPS) {
		if (answer_again(h, x))
			return;
		h = NULL;
	}
	if (h == NULL)
		h = begin(g, r);
	if (h == NULL || h->n_waiters == OAUTH_HOLD_WAITERS) {
		http_oauth_refuse(x, OAUTH_TOO_MANY);
		return;
	}
	h->waiters[h->n_waiters++] = x;
}

struct mono_ms
http_oauth_holds_turn(struct http_gateway *g, struct mono_ms now)
{
	struct mono_ms next = { 0 };

	for (size_t i = 0; i < OAUTH_HOLDS_MAX; i++) {
		struct oauth_hold *h = &g->oauth->holds[i];

		if (h->state == OAUTH_HOLD_FREE || h->state == OAUTH_HOLD_ASKED)
			continue;
		if (now.ms < h->due.ms)
			next = mono_sooner(next, h->due);
		else if (h->state == OAUTH_HOLD_WAITS)
			ask(g, h);
		else
			wipe(h, sizeof *h);
	}
	return next;
}

void
http_oauth_overlaps_end(struct http_gateway *g)
{
	for (size_t i = 0; i < OAUTH_HOLDS_MAX; i++)
		if (g->oauth->holds[i].state == OAUTH_HOLD_OVERLAPS)
			wipe(&g->oauth->holds[i], sizeof g->oauth->holds[i]);
}

void
http_oauth_holds_free(struct http_gateway *g)
{
	for (size_t i = 0; i < OAUTH_HOLDS_MAX; i++)
		if (g->oauth->holds[i].state != OAUTH_HOLD_FREE)
			refuse_all(&g->oauth->holds[i], ERR_INTERRUPTED);
}
