#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/rig.h"

struct rig {
	const struct actor_spec *spec;
	struct actor_context     context;
	void                    *self;
	struct outbox           *out;
	size_t                   next;        /* the first that was not taken */
	size_t                   batch_start; /* the first of this batch */
	uint64_t                 ask_id;
	union any_body           body;
	uint8_t                  heard[MESSAGE_MAX];
	uint8_t                  said[MESSAGE_MAX];
};

const uint8_t *
rig_pair_key(enum actor a, enum actor b)
{
	static uint8_t keys[ACTOR__COUNT][ACTOR__COUNT][PAIR_KEY_LEN];
	enum actor low = a < b ? a : b;
	enum actor high = a < b ? b : a;

	memset(keys[low][high], (int)(low * 16 + high), PAIR_KEY_LEN);
	return keys[low][high];
}

static const uint8_t *
pair_key(const void *host, enum actor other)
{
	const struct rig *r = host;

	return actors_joined(r->spec->id, other) ? rig_pair_key(r->spec->id, other) : NULL;
}

enum err
rig_open(const struct actor_spec *spec, const void *settings, struct rig **out)
{
	struct rig *r;
	enum err e;

	if ((r = calloc(1, sizeof *r)) == NULL)
		return ERR_NO_MEMORY;
	r->spec = spec;
	r->context = (struct actor_context){ spec->id, settings, pair_key, r };
	if ((e = outbox_new(spec->id, &r->out)) == OK)
		e = spec->start(&r->context, &r->self);
	if (e != OK) {
		rig_close(&r);
		return e;
	}
	*out = r;
	return OK;
}

void
rig_close(struct rig **r)
{
	if (*r == NULL)
		return;
	(*r)->spec->stop((*r)->self);
	outbox_free(&(*r)->out);
	free(*r);
	*r = NULL;
}

void *
rig_self(struct rig *r)
{
	return r->self;
}

static const struct handler *
handler_of(const struct rig *r, enum msg type)
{
	for (size_t i = 0; i < r->spec->n_handlers; i++)
		if (r->spec->handlers[i].type == type)
			return &r->spec->handlers[i];
	return NULL;
}

static enum err
deliver(struct rig *r, enum msg type, uint64_t ask_id, const void *body, struct inbound *in)
{
	const struct handler *h = handler_of(r, type);
	struct wire_out w = wire_out(r->heard, sizeof r->heard);
	union any_body taken;
	struct wire_in message;
	size_t before = outbox_count(r->out);
	enum err e;

	message_put(&w, type, ask_id, body);
	message = wire_in(r->heard, w.len);
	if (!w.failed)
		message_take(&message, in->from, r->spec->id, &in->type, &in->ask_id, &taken);
	if (w.failed || message.failed)
		return ERR_PROTOCOL;
	if (h == NULL)
		return ERR_UNSUPPORTED;
	in->body = &taken;
	if ((e = h->on(r->self, in, r->out)) != OK)
		outbox_cut(r->out, before);
	return e;
}

enum err
rig_deliver(struct rig *r, enum msg type, enum actor from, uint64_t ask_id, const void *body)
{
	struct inbound in = { .from = from };

	if (from == ACTOR_CLIENT)
		return rig_deliver_as(r, type, ask_id, body, (uint32_t)getpid());
	return deliver(r, type, ask_id, body, &in);
}

enum err
rig_deliver_as(struct rig *r, enum msg type, uint64_t ask_id, const void *body, uint32_t pid)
{
	struct inbound in = { .from = ACTOR_CLIENT, .peer_uid = (uint32_t)getuid(), .peer_pid = pid,
		.peer_since = { UINT64_MAX } };

	return deliver(r, type, ask_id, body, &in);
}

enum err
rig_batch(struct rig *r)
{
	enum err e = OK;

	if (r->spec->on_batch != NULL && (e = r->spec->on_batch(r->self, r->out)) != OK)
		outbox_cut(r->out, r->batch_start);
	r->batch_start = outbox_count(r->out);
	if (r->next > r->batch_start)
		r->next = r->batch_start;
	return e;
}

struct mono_ms
rig_tick(struct rig *r, struct mono_ms now)
{
	if (r->spec->on_tick == NULL)
		return (struct mono_ms){ 0 };
	return r->spec->on_tick(r->self, now, r->out);
}

void
rig_edge(struct rig *r, enum actor other, bool up)
{
	if (r->spec->on_edge != NULL)
		r->spec->on_edge(r->self, other, up, r->out);
}

void
rig_leave(struct rig *r)
{
	if (r->spec->on_leave != NULL)
		r->spec->on_leave(r->self, r->out);
}

const union any_body *
rig_expect(struct rig *r, enum msg type)
{
	struct outbox_view v;
	struct wire_in in;
	enum msg said;

	if (rig_next(r) != type)
		return NULL;
	v = outbox_at(r->out, r->next++);
	/* The outbox may move when it grows; what was taken must not. */
	memcpy(r->said, v.message.p, v.message.len);
	in = wire_in(r->said, v.message.len);
	message_take(&in, r->spec->id, v.to, &said, &r->ask_id, &r->body);
	return in.failed || said != type ? NULL : &r->body;
}

uint64_t
rig_ask_id(const struct rig *r)
{
	return r->ask_id;
}

enum msg
rig_next(const struct rig *r)
{
	return r->next < outbox_count(r->out) ? outbox_at(r->out, r->next).type : MSG_NONE;
}

bool
rig_silent(const struct rig *r)
{
	return rig_next(r) == MSG_NONE;
}

void
rig_forget(struct rig *r)
{
	r->next = outbox_count(r->out);
}
