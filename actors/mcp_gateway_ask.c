/* The life of a read at the gate, and of the first half of a write: the answer is deposit and ack together. */
#include <stdlib.h>
#include <string.h>

#include "actors/mcp_gateway_state.h"
#include "mailbox/words.h"

#define STRANGERS_MS 60000

enum err
mcp_gateway_on_ask(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	struct ask_body ask = in->body->ask;
	struct flight *f;
	enum err e;

	/* What goes to who is still coming up would be lost; of search grants says that it is warming. */
	if (!g->keyring_up || (op_is_profile((enum op)ask.op) && !g->profile_up))
		return mcp_gateway_refuse(out, in->ask_id, ERR_INTERRUPTED);
	if ((e = mcp_gateway_check_audit(g)) != OK)
		return mcp_gateway_refuse(out, in->ask_id, e);
	if ((e = mcp_gateway_begin(g, in, ASK_MS, out, &f)) != OK || f == NULL)
		return e;
	/* A grant is asked for by token, whoever holds it; only the owner is known by terminal. */
	ask.peer = ask.surface == SURFACE_OWNER ? mcp_gateway_peer(in)
	    : (struct peer_body){ .uid = in->peer_uid, .pid = in->peer_pid };
	f->ask = ask;
	f->ask.boxed_half = f->ask.boxed_query = (struct span){ NULL, 0 };
	return outbox_put(out, MSG_RULING_WANTED, in->ask_id, &ask);
}

/* Keeps an encoded body, of at most cap bytes, until its other half has come. */
static enum err
keep(enum body kind, const void *body, size_t cap, uint8_t **p, size_t *len)
{
	struct wire_out o;

	if (*p != NULL)
		return ERR_INTERNAL;
	if ((*p = malloc(cap)) == NULL)
		return ERR_NO_MEMORY;
	o = wire_out(*p, cap);
	body_put(&o, kind, body);
	*len = o.len;
	if (!o.failed)
		return OK;
	free(*p);
	*p = NULL;
	return ERR_INTERNAL;
}

/* An answer is deposit and ack together; a write's has no deposit. */
static enum err
answer_if_whole(struct mcp_gateway *g, uint64_t ask_id, struct flight *f, struct outbox *out)
{
	struct answer_body answer = { .deposit = { .n_items = 0 } };
	struct wire_in in;
	enum err e;

	if (f->ack == NULL || (f->deposit == NULL && !op_writes((enum op)f->ask.op)))
		return OK;
	in = wire_in(f->ack, f->ack_len);
	ack_body_take(&in, &answer.ack);
	if (f->deposit != NULL) {
		in = wire_in(f->deposit, f->deposit_len);
		deposit_body_take(&in, &answer.deposit);
	}
	e = outbox_put(out, MSG_ANSWER, ask_id, &answer);
	mcp_gateway_end(g, ask_id);
	return e;
}

enum err
mcp_gateway_on_deposit(void *self, const struct inbound *in, struct outbox *out)
{
	struct flight *f = mcp_gateway_find(self, in->ask_id);
	enum err e;

	if (f == NULL || f->type != MSG_ASK)
		return OK;
	if ((e = keep(BODY_deposit, &in->body->deposit, in->body->deposit.items.len + 16, &f->deposit, &f->deposit_len)) != OK)
		return e;
	return answer_if_whole(self, in->ask_id, f, out);
}

/* What was found is a deposit of one piece. */
enum err
mcp_gateway_on_found(void *self, const struct inbound *in, struct outbox *out)
{
	const struct found_body *found = &in->body->found;
	struct item_body item = { .ref = { .part = PART_FOUND }, .sealed = found->sealed };
	uint8_t items[sizeof item + 66000 + 128];
	struct wire_out o = wire_out(items, sizeof items);
	struct flight *f = mcp_gateway_find(self, in->ask_id);
	struct deposit_body deposit = { .more = found->more, .n_items = 1 };
	enum err e;

	if (f == NULL || f->type != MSG_ASK ||
	    !(in->type == MSG_FOUND ? f->ask.op == OP_SEARCH : op_is_profile((enum op)f->ask.op)))
		return OK;
	item_body_put(&o, &item);
	deposit.items = wire_written(&o);
	if ((e = keep(BODY_deposit, &deposit, o.len + 16, &f->deposit, &f->deposit_len)) != OK)
		return e;
	return answer_if_whole(self, in->ask_id, f, out);
}

/* What was recorded as begun may be written to its end. */
static void
permit_write(struct mcp_gateway *g, const struct flight *f, const struct ack_body *ack)
{
	permits_add(&g->permits, &(struct permit){ .revision = ack->revision, .asset = ack->asset, .vault = f->ask.vault,
	    .grant = f->ask.op == OP_PROPOSE ? ack->subject : (struct uuid){ { 0 } },
	    .op = f->ask.op, .kind = f->ask.kind, .is_private = f->ask.is_private, .pid = f->ask.peer.pid,
	    .used = clock_mono() });
}

enum err
mcp_gateway_on_ack(void *self, const struct inbound *in, struct outbox *out)
{
	struct flight *f = mcp_gateway_find(self, in->ask_id);
	enum err e;

	if (f == NULL || f->type != MSG_ASK)
		return OK;
	if (op_writes((enum op)f->ask.op))
		permit_write(self, f, &in->body->ack);
	if ((e = keep(BODY_ack, &in->body->ack, in->body->ack.ticket.len + 512, &f->ack, &f->ack_len)) != OK)
		return e;
	return answer_if_whole(self, in->ask_id, f, out);
}

/* A refusal goes into the log if the asker had a right to ask; strangers are only counted. */
static enum err
note_refusal(struct mcp_gateway *g, const struct flight *f, const struct refusal_body *r, struct outbox *out)
{
	struct noted_body noted = {
		.error = r->error, .surface = f->ask.surface, .subject_kind = r->subject_kind,
		.subject = r->subject, .op = f->ask.op, .vault = f->ask.vault, .asset = f->ask.asset,
		.revision = f->ask.revision, .count = 1,
	};

	if (f->type != MSG_ASK)
		return OK;
	if (r->authenticated)
		return g->audit_up ? outbox_put(out, MSG_REFUSAL_NOTED, 0, &noted) : OK;
	if (g->strangers.count++ == 0)
		g->strangers_due.ms = clock_mono().ms + STRANGERS_MS;
	g->strangers.error = r->error;
	g->strangers.surface = f->ask.surface;
	return OK;
}

enum err
mcp_gateway_on_refused(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	struct flight *f = mcp_gateway_find(g, in->ask_id);
	struct refusal_body refusal = in->body->refusal;
	enum err e;

	if (f == NULL)
		return OK;
	/* Only the log comes after a change of the profile was made: nobody is to make it again. */
	if (in->type == MSG_INTENT_REFUSED && f->type == MSG_ASK && f->ask.op == OP_PROFILE_CHANGE && refusal.error == ERR_INTERRUPTED)
		refusal.error = ERR_TIMEOUT;
	e = note_refusal(g, f, &refusal, out);
	mcp_gateway_end(g, in->ask_id);
	return e != OK ? e : outbox_put(out, MSG_REFUSED, in->ask_id, &refusal);
}
