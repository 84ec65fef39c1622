#include <stdlib.h>

#include "actors/http_oauth_inside.h"
#include "actors/http_pages.h"
#include "escrow/channel.h"
#include "gateway/span.h"
#include "gateway/web_keys.h"

/* A bit of their own, so that no ask of another part of this process has the id. */
#define OUR_IDS (ASK_INSIDE | (uint64_t)1 << 61)

struct oauth_ask {
	oauth_done *done;
	void       *arg;
};

enum err
http_oauth_start(struct http_gateway *g)
{
	struct http_oauth *o = calloc(1, sizeof *o);

	if ((g->oauth = o) == NULL)
		return ERR_NO_MEMORY;
	return pending_new(OAUTH_ASKS_MAX, sizeof(struct oauth_ask), &o->asks);
}

static void
drop_keys(struct http_oauth *o)
{
	key_free(&o->client_key);
	key_free(&o->form_key);
	secret_free(&o->verifier);
}

/* Out of the box that the profile made. */
static enum err
open_box(struct http_gateway *g, struct span boxed, struct key **web, struct secret **verifier)
{
	const uint8_t *pair_key = g->context->pair_key(g->context->host, ACTOR_PROFILE);
	struct channel channel = { NULL, NULL };
	enum err e;

	if (pair_key == NULL)
		return ERR_INTERNAL;
	if ((e = channel_of_pair(pair_key, &channel)) == OK)
		e = web_keys_open(channel.down, boxed, web, verifier);
	channel_free(&channel);
	return e;
}

static enum err
take_keys(struct http_oauth *o, const struct key *web)
{
	uint8_t none[KEY_LEN] = { 0 };
	enum err e;

	if ((e = key_of(none, &o->client_key)) != OK || (e = key_of(none, &o->form_key)) != OK)
		return e;
	oauth_client_key(web, o->client_key);
	derive(web, "memories/web-forms/v1", (struct span){ NULL, 0 }, o->form_key);
	return OK;
}

enum err
http_oauth_on_web_keys(struct http_gateway *g, const struct web_keys_body *b)
{
	struct http_oauth *o = g->oauth;
	struct key *web = NULL;
	enum err e;

	http_pages_forget(g);
	http_oauth_overlaps_end(g);
	drop_keys(o);
	if (b->boxed.len == 0)
		return OK;
	if ((e = open_box(g, b->boxed, &web, &o->verifier)) == OK)
		e = take_keys(o, web);
	key_free(&web);
	if (e != OK)
		drop_keys(o);
	return e;
}

bool
http_oauth_has_keys(const struct http_gateway *g)
{
	return g->oauth->client_key != NULL;
}

enum err
http_oauth_ask(struct http_gateway *g, enum msg type, const void *body, oauth_done *done, void *arg)
{
	struct http_oauth *o = g->oauth;
	uint64_t id = OUR_IDS | ++o->n_ids;
	void *value = NULL;
	enum err e;

	if (!g->is_up[ACTOR_GRANTS])
		return ERR_INTERRUPTED;
	if ((e = pending_add(o->asks, id, (struct mono_ms){ clock_mono().ms + OAUTH_ASK_MS }, &value)) != OK)
		return e;
	*(struct oauth_ask *)value = (struct oauth_ask){ done, arg };
	if ((e = outbox_put(g->out, type, id, body)) != OK)
		pending_end(o->asks, id);
	return e;
}

bool
http_oauth_on_answer(struct http_gateway *g, const struct inbound *in)
{
	struct oauth_ask *found = pending_find(g->oauth->asks, in->ask_id), ask;
	bool denied = in->type == MSG_HTTP_DENIED;
	enum err e = denied ? (enum err)in->body->refusal.error : OK;

	if (found == NULL)
		return false;
	ask = *found;
	pending_end(g->oauth->asks, in->ask_id);
	if (denied && (e == OK || e >= ERR__COUNT))
		e = ERR_INTERNAL;
	ask.done(g, ask.arg, e, denied ? NULL : in->body);
	return true;
}

/*
 * Asks that have ended without an answer. They are told afterwards: what is
 * answered then lets the next requests in, which ask.
 */
struct failed {
	struct oauth_ask asks[OAUTH_ASKS_MAX];
	size_t           n;
};

static void
collect(void *arg, uint64_t ask_id, void *value)
{
	struct failed *f = arg;

	(void)ask_id;
	f->asks[f->n++] = *(struct oauth_ask *)value;
}

static void
tell(struct http_gateway *g, const struct failed *f, enum err why)
{
	for (size_t i = 0; i < f->n; i++)
		f->asks[i].done(g, f->asks[i].arg, why, NULL);
}

void
http_oauth_stop(struct http_gateway *g)
{
	struct failed f = { .n = 0 };

	if (g->oauth == NULL)
		return;
	if (g->oauth->asks != NULL)
		pending_fail_all(g->oauth->asks, collect, &f);
	tell(g, &f, ERR_INTERRUPTED);
	http_oauth_holds_free(g);
	pending_free(&g->oauth->asks);
	drop_keys(g->oauth);
	free(g->oauth);
	g->oauth = NULL;
}

void
http_oauth_on_edge(struct http_gateway *g, enum actor other, bool up)
{
	struct failed f = { .n = 0 };

	if (up)
		return;
	if (other == ACTOR_GRANTS) {
		pending_fail_all(g->oauth->asks, collect, &f);
		tell(g, &f, ERR_INTERRUPTED);
	}
	/* It says its keys anew when it is back. */
	if (other == ACTOR_PROFILE) {
		http_pages_forget(g);
		http_oauth_overlaps_end(g);
		drop_keys(g->oauth);
	}
}

struct mono_ms
http_oauth_turn(struct http_gateway *g, struct mono_ms now)
{
	struct failed f = { .n = 0 };
	struct mono_ms next;

	pending_expire(g->oauth->asks, now, collect, &f);
	tell(g, &f, ERR_TIMEOUT);
	next = http_oauth_holds_turn(g, now);
	http_pages_turn(g);
	return mono_sooner(next, pending_next(g->oauth->asks));
}
