#include <stdlib.h>
#include <string.h>

#include "mailbox/host.h"
#include "mailbox/pending.h"
#include "tests/support/chain.h"
#include "tests/support/chain_actors.h"

#define ASKS_MAX 512

/* What the gate knows of an ask. */
struct held {
	uint8_t        *items; /* of the deposit */
	size_t          len;
	bool            has_deposit;
	bool            has_ack;
	struct ack_body ack;
};

struct gate {
	struct pending *asks;
	struct outbox  *out; /* while asks expire */
};

static void
gate_stop(void *self)
{
	struct gate *g = self;

	if (g != NULL)
		pending_free(&g->asks);
	free(g);
}

static enum err
gate_start(const struct actor_context *context, void **self)
{
	struct gate *g = calloc(1, sizeof *g);

	(void)context;
	*self = g;
	if (g == NULL || pending_new(ASKS_MAX, sizeof(struct held), &g->asks) != OK)
		return ERR_NO_MEMORY;
	return OK;
}

static enum err
answer(uint64_t ask_id, const struct held *h, struct outbox *out)
{
	struct answer_body a = { .ack = h->ack, .deposit.items = { h->items, h->len } };

	return outbox_put(out, MSG_ANSWER, ask_id, &a);
}

static enum err
answer_number(uint64_t ask_id, uint64_t number, struct outbox *out)
{
	struct held h = { .ack.index = number };

	return answer(ask_id, &h, out);
}

static enum err
on_ask(void *self, const struct inbound *in, struct outbox *out)
{
	struct gate *g = self;
	const struct ask_body *ask = &in->body->ask;
	void *value;
	enum err e;

	if (ask->op == CHAIN_PEER)
		return answer_number(in->ask_id, in->peer_pid, out);
	if (ask->op == CHAIN_GATE_FAILS) {
		answer_number(in->ask_id, 0, out);
		return ERR_NOT_FOUND;
	}
	if (ask->op == CHAIN_TWICE) {
		answer_number(in->ask_id, 1, out);
		return answer_number(in->ask_id, 2, out);
	}
	if ((e = pending_add(g->asks, in->ask_id,
	    (struct mono_ms){ clock_mono().ms + CHAIN_DEADLINE_MS }, &value)) != OK)
		return e;
	return outbox_put(out, MSG_RULING_WANTED, in->ask_id, ask);
}

static enum err
end_if_whole(struct gate *g, uint64_t ask_id, struct held *h, struct outbox *out)
{
	enum err e;

	if (!h->has_deposit || !h->has_ack)
		return OK;
	e = answer(ask_id, h, out);
	free(h->items);
	pending_end(g->asks, ask_id);
	return e;
}

static enum err
on_deposit(void *self, const struct inbound *in, struct outbox *out)
{
	struct gate *g = self;
	struct held *h = pending_find(g->asks, in->ask_id);
	struct span items = in->body->deposit.items;

	if (h == NULL)
		return OK;
	if (items.len > 0 && (h->items = malloc(items.len)) == NULL)
		return ERR_NO_MEMORY;
	if (items.len > 0)
		memcpy(h->items, items.p, items.len);
	h->len = items.len;
	h->has_deposit = true;
	return end_if_whole(g, in->ask_id, h, out);
}

static enum err
on_ack(void *self, const struct inbound *in, struct outbox *out)
{
	struct gate *g = self;
	struct held *h = pending_find(g->asks, in->ask_id);

	if (h == NULL)
		return OK;
	h->ack = in->body->ack;
	h->ack.ticket = (struct span){ NULL, 0 };
	h->has_ack = true;
	return end_if_whole(g, in->ask_id, h, out);
}

static void
refuse(void *arg, uint64_t ask_id, void *value)
{
	struct gate *g = arg;
	struct held *h = value;
	struct refusal_body refusal = { .error = ERR_TIMEOUT };

	free(h->items);
	outbox_put(g->out, MSG_REFUSED, ask_id, &refusal);
}

static struct mono_ms
on_tick(void *self, struct mono_ms now, struct outbox *out)
{
	struct gate *g = self;

	g->out = out;
	pending_expire(g->asks, now, refuse, g);
	return (struct mono_ms){ now.ms + 100 };
}

static enum err
plain_start(const struct actor_context *context, void **self)
{
	*self = NULL;
	/* Each that is joined to another can find the key. */
	for (int other = ACTOR_GATE; other < ACTOR_CUSTODY; other++)
		if (actors_joined(context->id, (enum actor)other) !=
		    (context->pair_key(context->host, (enum actor)other) != NULL))
			return ERR_INTERNAL;
	return OK;
}

static void
plain_stop(void *self)
{
	(void)self;
}

static enum err
on_ruling_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct ruling_body ruling = { .ask = in->body->ask };
	enum err e;

	(void)self;
	if ((e = outbox_put(out, MSG_RECORD_WANTED, in->ask_id, &ruling)) != OK)
		return e;
	return ruling.ask.op == CHAIN_GRANTS_FAILS ? ERR_NOT_FOUND : OK;
}

static enum err
on_record_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	static uint8_t items[221184];
	struct keys_wanted_body keys = { .ruling = in->body->ruling };
	struct deposit_body deposit = { .items = { items, keys.ruling.ask.limit } };
	enum err e;

	(void)self;
	memset(items, (int)keys.ruling.ask.offset, sizeof items);
	if ((e = outbox_put(out, MSG_DEPOSIT, in->ask_id, &deposit)) != OK)
		return e;
	return outbox_put(out, MSG_KEYS_WANTED, in->ask_id, &keys);
}

static enum err
on_keys_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	const struct ask_body *ask = &in->body->keys_wanted.ruling.ask;
	struct intent_body intent = { .op = ask->op, .offset = ask->offset };

	(void)self;
	return outbox_put(out, MSG_AUDIT_INTENT, in->ask_id, &intent);
}

static bool batch_fails;

static enum err
on_intent(void *self, const struct inbound *in, struct outbox *out)
{
	struct ack_body ack = { .index = in->body->intent.offset };

	(void)self;
	if (in->body->intent.op == CHAIN_FAILS)
		host_fail(ERR_STORAGE_FAILED);
	batch_fails = batch_fails || in->body->intent.op == CHAIN_BATCH_FAILS;
	return outbox_put(out, MSG_AUDIT_ACK, in->ask_id, &ack);
}

static enum err
on_audit_batch(void *self, struct outbox *out)
{
	(void)self;
	(void)out;
	if (!batch_fails)
		return OK;
	batch_fails = false;
	return ERR_AUDIT_UNAVAILABLE;
}

static const struct handler gate_handlers[] = {
	{ MSG_ASK, on_ask }, { MSG_DEPOSIT, on_deposit }, { MSG_AUDIT_ACK, on_ack },
};
static const struct handler grants_handlers[] = { { MSG_RULING_WANTED, on_ruling_wanted } };
static const struct handler vault_handlers[] = { { MSG_RECORD_WANTED, on_record_wanted } };
static const struct handler keyring_handlers[] = { { MSG_KEYS_WANTED, on_keys_wanted } };
static const struct handler audit_handlers[] = { { MSG_AUDIT_INTENT, on_intent } };

static const struct actor_spec gate = { .id = ACTOR_GATE, .start = gate_start, .stop = gate_stop,
	.handlers = gate_handlers, .n_handlers = 3, .on_tick = on_tick };
static const struct actor_spec grants = { .id = ACTOR_GRANTS, .start = plain_start, .stop = plain_stop,
	.handlers = grants_handlers, .n_handlers = 1 };
static const struct actor_spec vault = { .id = ACTOR_VAULT, .start = plain_start, .stop = plain_stop,
	.handlers = vault_handlers, .n_handlers = 1 };
static const struct actor_spec keyring = { .id = ACTOR_KEYRING, .start = plain_start, .stop = plain_stop,
	.handlers = keyring_handlers, .n_handlers = 1 };
static const struct actor_spec audit = { .id = ACTOR_AUDIT, .start = plain_start, .stop = plain_stop,
	.handlers = audit_handlers, .n_handlers = 1, .on_batch = on_audit_batch, .blocks = true };

const struct actor_spec *const chain_actors[CHAIN_N_ACTORS] = { &gate, &grants, &vault, &keyring, &audit };
