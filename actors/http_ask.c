#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/http_ask_inside.h"
#include "escrow/binding.h"
#include "escrow/query.h"
#include "escrow/seal.h"
#include "store/log_record.h"

#define STRANGERS_MS 60000

/* A bit of their own, so that no ask of another part of this process has the id. */
#define OUR_IDS (ASK_INSIDE | (uint64_t)1 << 62)

enum err
http_asks_new(struct http_asks **out)
{
	struct http_asks *a = calloc(1, sizeof *a);
	enum err e;

	if (a == NULL)
		return ERR_NO_MEMORY;
	if ((e = pending_new(HTTP_ASKS_MAX, sizeof(struct http_flight), &a->flights)) == OK)
		e = key_pair_new(&a->opener);
	if (e != OK) {
		http_asks_free(&a);
		return e;
	}
	*out = a;
	return OK;
}

static void
flight_clear(struct http_flight *f)
{
	free(f->found);
	f->found = NULL;
}

static void
forget(void *arg, uint64_t ask_id, void *value)
{
	(void)arg;
	(void)ask_id;
	flight_clear(value);
}

void
http_asks_free(struct http_asks **a)
{
	if (*a == NULL)
		return;
	if ((*a)->flights != NULL)
		pending_fail_all((*a)->flights, forget, NULL);
	pending_free(&(*a)->flights);
	channel_free(&(*a)->channel);
	key_pair_free(&(*a)->opener);
	free(*a);
	*a = NULL;
}

bool
http_ask_reads(enum op op)
{
	return op == OP_PROFILE_READ || op == OP_PROFILE_SEARCH;
}

/* The ask, with the request boxed to the boot key and bound to the rest of it. boxed: room for any. */
static void
make_ask(struct http_asks *a, const struct http_ask_want *want, struct ask_body *ask, uint8_t *boxed)
{
	uint8_t buf[BINDING_MAX];

	*ask = (struct ask_body){
		.boot = a->boot, .client_ask = ++a->n_asks, .op = (uint8_t)want->op, .surface = SURFACE_HTTP,
		.offset = want->offset, .limit = want->limit, .grant_type = GRANT_CONNECTION,
	};
	memcpy(ask->opener, a->opener.public_key, sizeof ask->opener);
	memcpy(ask->token_id, want->token, sizeof ask->token_id);
	seal(a->channel.up->b, ask_binding(ask, buf), want->request, boxed);
	ask->boxed_query = (struct span){ boxed, want->request.len + SEAL_OVERHEAD };
}

enum err
http_ask_send(struct http_asks *a, const struct http_ask_want *want, struct mono_ms deadline, bool again, struct outbox *out)
{
	uint8_t boxed[PROFILE_TEXT_MAX + SEAL_OVERHEAD];
	uint64_t ask_id = OUR_IDS | ++a->n_ids;
	struct http_flight *f;
	void *value = NULL;
	enum err e;

	if ((e = pending_add(a->flights, ask_id, deadline, &value)) != OK)
		return e;
	f = value;
	f->want = *want;
	f->ask_id = ask_id;
	f->deadline = deadline;
	f->again = again;
	make_ask(a, want, &f->ask, boxed);
	if ((e = outbox_put(out, MSG_HTTP_ASK, ask_id, &f->ask)) != OK)
		pending_end(a->flights, ask_id);
	else
		f->ask.boxed_query = (struct span){ NULL, 0 };
	return e;
}

enum err
http_asks_begin(struct http_asks *a, const struct http_ask_want *want, struct outbox *out)
{
	if (want->request.len > PROFILE_TEXT_MAX)
		return ERR_TOO_LARGE;
	if (!a->grants_up || !a->profile_up || a->channel.up == NULL || !a->believed.boot)
		return ERR_INTERRUPTED;
	if (!a->audit_up)
		return ERR_AUDIT_UNAVAILABLE;
	return http_ask_send(a, want, (struct mono_ms){ clock_mono().ms + HTTP_ASK_MS }, false, out);
}

void
http_ask_say_unknown(struct http_ask_end *end)
{
	snprintf(end->message, sizeof end->message,
	    "it is not known whether the proposal was filed; filed again with the same words, it is the same one");
}

void
http_ask_end(struct http_asks *a, uint64_t ask_id, struct http_ask_end *end, struct outbox *out)
{
	struct http_flight *f = pending_find(a->flights, ask_id);
	struct http_ask_want want;

	if (f == NULL)
		return;
	want = f->want;
	flight_clear(f);
	pending_end(a->flights, ask_id);
	want.done(want.arg, end, out);
}

struct failing {
	struct http_asks *asks;
	enum actor        lost; /* of an edge that was lost */
	enum err          why;
};

/* Who asked hears of it when all have ended: it may ask again at once. */
static void
fail(void *arg, uint64_t ask_id, void *value)
{
	const struct failing *failing = arg;
	struct http_flight *f = value;
	struct http_ended *ended = &failing->asks->ended[failing->asks->n_ended++];

	(void)ask_id;
	*ended = (struct http_ended){ .want = f->want, .end = { .error = failing->why } };
	/* What was found waits for the log. */
	if (failing->why == ERR_TIMEOUT && f->found != NULL)
		ended->end.error = ERR_AUDIT_TIMEOUT;
	if (!http_ask_reads(f->want.op))
		http_ask_say_unknown(&ended->end);
	flight_clear(f);
}

void
http_asks_tell_ended(struct http_asks *a, struct outbox *out)
{
	while (a->n_ended > 0) {
		struct http_ended ended = a->ended[--a->n_ended];

		ended.want.done(ended.want.arg, &ended.end, out);
	}
}

/* The log is waited for by all; what was found waits for nobody else. */
static bool
waits_for(const void *arg, const void *value)
{
	const struct failing *failing = arg;
	const struct http_flight *f = value;

	return failing->lost == ACTOR_AUDIT || f->found == NULL;
}

void
http_asks_on_edge(struct http_asks *a, enum actor other, bool up, struct outbox *out)
{
	struct failing failing = { a, other, other == ACTOR_AUDIT ? ERR_AUDIT_UNAVAILABLE : ERR_INTERRUPTED };

	if (other == ACTOR_AUDIT)
		a->audit_up = up;
	if (other == ACTOR_GRANTS)
		a->grants_up = up;
	if (other == ACTOR_PROFILE)
		a->profile_up = up;
	/* A keyring that is gone comes back as another boot, which asks anew. */
	if (!up && (other == ACTOR_AUDIT || other == ACTOR_GRANTS || other == ACTOR_PROFILE))
		pending_fail_some(a->flights, waits_for, fail, &failing);
	http_asks_tell_ended(a, out);
}

void
http_asks_end_all(struct http_asks *a, struct outbox *out)
{
	struct failing failing = { a, ACTOR_CLIENT, ERR_INTERRUPTED };

	a->grants_up = false;
	pending_fail_all(a->flights, fail, &failing);
	http_asks_tell_ended(a, out);
}

struct mono_ms
http_asks_tick(struct http_asks *a, struct mono_ms now, struct outbox *out)
{
	struct failing failing = { a, ACTOR_CLIENT, ERR_TIMEOUT };

	pending_expire(a->flights, now, fail, &failing);
	http_asks_tell_ended(a, out);
	if (a->strangers.count > 0 && now.ms >= a->strangers_due.ms && a->audit_up) {
		(void)outbox_put(out, MSG_HTTP_REFUSAL_NOTED, 0, &a->strangers);
		memset(&a->strangers, 0, sizeof a->strangers);
	}
	return pending_next(a->flights);
}

void
http_asks_note_stranger(struct http_asks *a, enum err why)
{
	if (a->strangers.count++ == 0)
		a->strangers_due.ms = clock_mono().ms + STRANGERS_MS;
	a->strangers.error = (uint16_t)why;
	a->strangers.surface = SURFACE_HTTP;
}

void
http_asks_note_refused(struct http_asks *a, struct uuid connection, enum op op, enum err why, struct outbox *out)
{
	struct noted_body noted = { .error = (uint16_t)why, .surface = SURFACE_HTTP, .subject_kind = LOG_CONNECTION_ID,
		.subject = connection, .op = (uint8_t)op, .count = 1 };

	if (a->audit_up)
		(void)outbox_put(out, MSG_HTTP_REFUSAL_NOTED, 0, &noted);
}
