#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actors/mcp_gateway.h"
#include "actors/permits.h"
#include "actors/process.h"
#include "actors/settings.h"
#include "escrow/peer.h"
#include "mailbox/pending.h"
#include "store/log.h"

#define ASKS_MAX   1024
#define ASK_MS     2000  /* for audit, and for the whole of a read */
#define COMMAND_MS 10000 /* longer than any actor's own deadline for it */
#define REPAIR_MS  600000 /* the whole log is read twice */
#define STRANGERS_MS 60000

/* An ask in flight. */
struct flight {
	enum msg        type;
	struct ask_body ask;         /* of an ASK: what its refusal is recorded with; spans are not kept */
	bool            has_state;   /* of a STATUS_ASK: grants has answered */
	struct state_body state;     /* what it said; its span is not kept */
	char            backend[32];
	uint8_t        *deposit;     /* owned: an encoded deposit, when it has come */
	size_t          deposit_len;
	uint8_t        *ack;         /* owned: an encoded ack, when it has come */
	size_t          ack_len;
};

struct mcp_gateway {
	const struct settings *settings;
	struct pending  *flights;    /* owned */
	struct boot_body boot;       /* as the keyring last said */
	uint8_t          certificate[512]; /* what boot's spans point at */
	uint8_t          epoch_certificate[512], earlier_certificate[512];
	bool             keyring_up;  /* its edge, and it has said who it is */
	bool             audit_up, audit_was_up;
	bool             grants_up, vault_up;
	bool             ready_told;
	struct permits   permits;    /* writes whose keys were given and recorded */
	struct noted_body strangers; /* refusals of asks without a right, counted for a minute */
	struct mono_ms   strangers_due;
};

/* An owner's command that goes to one actor as it came, but for who asks. */
static const struct relay {
	enum msg in, out;
	bool     has_peer; /* the body begins with a peer, which is overwritten */
} relays[] = {
	{ MSG_INIT_ASK, MSG_INIT_WANTED, true },
	{ MSG_ENVELOPE_ASK, MSG_ENVELOPE_WANTED, false },
	{ MSG_UNLOCK_ASK, MSG_UNLOCK_WANTED, true },
	{ MSG_SUDO_ASK, MSG_SUDO_WANTED, true },
	{ MSG_SUDO_END_ASK, MSG_SUDO_END_WANTED, true },
	{ MSG_LOCK_ASK, MSG_LOCK_WANTED, true },
	{ MSG_CHECKPOINT_ASK, MSG_CHECKPOINT_ORDERED, true },
	{ MSG_VAULT_ASK, MSG_VAULT_WANTED, true },
	{ MSG_ENABLE_ASK, MSG_ENABLE_WANTED, true },
	{ MSG_MINT_ASK, MSG_MINT_WANTED, true },
	{ MSG_GRANTS_ASK, MSG_GRANTS_WANTED, true },
	{ MSG_RESUME_ASK, MSG_RESUME_WANTED, true },
	{ MSG_REVOKE_ASK, MSG_REVOKE_WANTED, true },
	{ MSG_DISABLE_ASK, MSG_DISABLE_WANTED, true },
	{ MSG_REPAIR_ASK, MSG_REPAIR_WANTED, true },
	{ MSG_CHUNK_PUT, MSG_CHUNK_WANTED, false },
	{ MSG_REVISION_PUT, MSG_PUBLISH_WANTED, false },
	{ MSG_NAME_PUT, MSG_NAME_WANTED, false },
	{ MSG_DISCARD_PUT, MSG_DISCARD_WANTED, false },
};

static enum err on_hello(void *self, const struct inbound *in, struct outbox *out);
static enum err on_status_ask(void *self, const struct inbound *in, struct outbox *out);
static enum err on_ask(void *self, const struct inbound *in, struct outbox *out);
static enum err on_relayed(void *self, const struct inbound *in, struct outbox *out);
static enum err on_deposit(void *self, const struct inbound *in, struct outbox *out);
static enum err on_ack(void *self, const struct inbound *in, struct outbox *out);
static enum err on_refused(void *self, const struct inbound *in, struct outbox *out);
static enum err on_kept(void *self, const struct inbound *in, struct outbox *out);
static enum err on_command_done(void *self, const struct inbound *in, struct outbox *out);
static enum err on_envelope_found(void *self, const struct inbound *in, struct outbox *out);
static enum err on_usage(void *self, const struct inbound *in, struct outbox *out);
static enum err on_repair_over(void *self, const struct inbound *in, struct outbox *out);
static enum err on_checkpoint_made(void *self, const struct inbound *in, struct outbox *out);
static enum err on_state(void *self, const struct inbound *in, struct outbox *out);
static enum err on_log_state(void *self, const struct inbound *in, struct outbox *out);
static enum err on_boot(void *self, const struct inbound *in, struct outbox *out);
static enum err on_started(void *self, const struct inbound *in, struct outbox *out);

static const struct handler handlers[] = {
	{ MSG_HELLO, on_hello },
	{ MSG_STATUS_ASK, on_status_ask },
	{ MSG_ASK, on_ask },
	{ MSG_INIT_ASK, on_relayed },
	{ MSG_ENVELOPE_ASK, on_relayed },
	{ MSG_UNLOCK_ASK, on_relayed },
	{ MSG_SUDO_ASK, on_relayed },
	{ MSG_SUDO_END_ASK, on_relayed },
	{ MSG_LOCK_ASK, on_relayed },
	{ MSG_CHECKPOINT_ASK, on_relayed },
	{ MSG_VAULT_ASK, on_relayed },
	{ MSG_ENABLE_ASK, on_relayed },
	{ MSG_MINT_ASK, on_relayed },
	{ MSG_GRANTS_ASK, on_relayed },
	{ MSG_RESUME_ASK, on_relayed },
	{ MSG_REVOKE_ASK, on_relayed },
	{ MSG_DISABLE_ASK, on_relayed },
	{ MSG_REPAIR_ASK, on_relayed },
	{ MSG_CHUNK_PUT, on_relayed },
	{ MSG_REVISION_PUT, on_relayed },
	{ MSG_NAME_PUT, on_relayed },
	{ MSG_DISCARD_PUT, on_relayed },
	{ MSG_DEPOSIT, on_deposit },
	{ MSG_AUDIT_ACK, on_ack },
	{ MSG_ASK_DENIED, on_refused },
	{ MSG_RECORD_REFUSED, on_refused },
	{ MSG_KEYS_REFUSED, on_refused },
	{ MSG_INTENT_REFUSED, on_refused },
	{ MSG_KEPT, on_kept },
	{ MSG_COMMAND_DONE, on_command_done },
	{ MSG_ENVELOPE_FOUND, on_envelope_found },
	{ MSG_USAGE, on_usage },
	{ MSG_REPAIR_OVER, on_repair_over },
	{ MSG_CHECKPOINT_MADE, on_checkpoint_made },
	{ MSG_STATE, on_state },
	{ MSG_LOG_STATE, on_log_state },
	{ MSG_BOOT, on_boot },
	{ MSG_STARTED, on_started },
};

static void
flight_clear(struct flight *f)
{
	free(f->deposit);
	free(f->ack);
	f->deposit = f->ack = NULL;
}

static void
forget(void *arg, uint64_t ask_id, void *value)
{
	(void)arg;
	(void)ask_id;
	flight_clear(value);
}

static void
mcp_gateway_stop(void *self)
{
	struct mcp_gateway *g = self;

	if (g == NULL)
		return;
	if (g->flights != NULL)
		pending_fail_all(g->flights, forget, NULL);
	pending_free(&g->flights);
	free(g);
}

static enum err
mcp_gateway_start(const struct actor_context *context, void **self)
{
	struct mcp_gateway *g = calloc(1, sizeof *g);
	enum err e;

	if (g == NULL)
		return ERR_NO_MEMORY;
	g->settings = context->settings;
	if ((e = pending_new(ASKS_MAX, sizeof(struct flight), &g->flights)) != OK) {
		mcp_gateway_stop(g);
		return e;
	}
	*self = g;
	return OK;
}

static enum err
refuse(struct outbox *out, uint64_t ask_id, enum err why)
{
	return outbox_put(out, MSG_REFUSED, ask_id, &(struct refusal_body){ .error = (uint16_t)why });
}

static struct flight *
find(struct mcp_gateway *g, uint64_t ask_id)
{
	return pending_find(g->flights, ask_id);
}

/* False when the ask had ended: what comes late is dropped. */
static bool
end(struct mcp_gateway *g, uint64_t ask_id)
{
	struct flight *f = find(g, ask_id);

	if (f == NULL)
		return false;
	flight_clear(f);
	return pending_end(g->flights, ask_id);
}

/* On an error the ask was refused and *f is NULL. */
static enum err
begin(struct mcp_gateway *g, const struct inbound *in, uint64_t for_ms, struct outbox *out, struct flight **f)
{
	void *value = NULL;
	/* What goes to who is still coming up would be lost; the asker tries again. */
	enum err e = !g->grants_up || !g->vault_up ? ERR_INTERRUPTED : pending_add(g->flights, in->ask_id, (struct mono_ms){ clock_mono().ms + for_ms }, &value);

	*f = value;
	if (e != OK)
		return refuse(out, in->ask_id, e);
	(*f)->type = in->type;
	return OK;
}

/* The process that has the pid now is the one that connected: it is no younger than its connection. */
static bool
is_who_connected(const struct inbound *in, const struct peer_facts *facts)
{
	uint64_t ticks_per_s = (uint64_t)sysconf(_SC_CLK_TCK);

	return facts->own.start_ticks * 1000 / ticks_per_s <= in->peer_since.ms;
}

/* What the kernel says of the asker. One that is gone has no session and no terminal. */
static struct peer_body
peer_of(const struct inbound *in)
{
	struct peer_body p = { .uid = in->peer_uid, .pid = in->peer_pid };
	struct peer_facts facts;

	if (peer_facts((pid_t)in->peer_pid, &facts) == OK && facts.uid == (uid_t)in->peer_uid &&
	    facts.leader_start_ticks != 0 && is_who_connected(in, &facts)) {
		p.session = (uint32_t)facts.own.session;
		p.terminal = facts.own.tty;
		p.leader_start = facts.leader_start_ticks;
	}
	return p;
}

static enum err
on_hello(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	struct flight *f;
	enum err e;

	if (in->body->hello.fingerprint != protocol_fingerprint())
		return refuse(out, in->ask_id, ERR_PROTOCOL);
	if ((e = begin(g, in, COMMAND_MS, out, &f)) != OK || f == NULL)
		return e;
	return outbox_put(out, MSG_STATE_WANTED, in->ask_id, &(struct nothing_body){ 0 });
}

static enum err
on_status_ask(void *self, const struct inbound *in, struct outbox *out)
{
	struct flight *f;
	enum err e = begin(self, in, ASK_MS, out, &f);

	if (e != OK || f == NULL)
		return e;
	return outbox_put(out, MSG_STATE_WANTED, in->ask_id, &(struct nothing_body){ 0 });
}

static enum err
welcome(const struct mcp_gateway *g, uint64_t ask_id, const struct state_body *s, struct outbox *out)
{
	struct welcome_body w = {
		.initialized = s->initialized, .library = s->library, .keyring_ready = g->keyring_up, .boot = g->boot,
	};

	memcpy(w.log_public, s->log_public, sizeof w.log_public);
	return outbox_put(out, MSG_WELCOME, ask_id, &w);
}

static enum err
put_status(const struct mcp_gateway *g, uint64_t ask_id, const struct flight *f,
    const struct log_state_body *log, struct outbox *out)
{
	struct status_body s = { .state = f->state };

	/* A home without a library has no log that could fail; with one, a log that is not open yet takes no record. */
	if (s.state.initialized)
		s.log = *log;
	s.state.backend = (struct span){ (const uint8_t *)f->backend, strlen(f->backend) };
	s.weakened = (struct span){ (const uint8_t *)g->settings->weakened, strlen(g->settings->weakened) };
	return outbox_put(out, MSG_STATUS, ask_id, &s);
}

static enum err
on_state(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	const struct state_body *s = &in->body->state;
	const struct log_state_body away = { .state = LOG_FAILED, .failure = ERR_AUDIT_UNAVAILABLE };
	struct flight *f = find(g, in->ask_id);
	enum err e;

	if (f == NULL)
		return OK;
	if (f->type == MSG_HELLO) {
		end(g, in->ask_id);
		return welcome(g, in->ask_id, s, out);
	}
	f->state = *s;
	f->has_state = true;
	memcpy(f->backend, s->backend.p, s->backend.len);
	if (g->audit_up)
		return outbox_put(out, MSG_LOG_STATE_WANTED, in->ask_id, &(struct nothing_body){ 0 });
	e = put_status(g, in->ask_id, f, &away, out);
	end(g, in->ask_id);
	return e;
}

static enum err
on_log_state(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	struct flight *f = find(g, in->ask_id);
	enum err e;

	if (f == NULL)
		return OK;
	e = put_status(g, in->ask_id, f, &in->body->log_state, out);
	end(g, in->ask_id);
	return e;
}

static enum err
on_ask(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	struct ask_body ask = in->body->ask;
	struct flight *f;
	enum err e;

	/* Who is still coming up is worth another try; a log that was lost is said. */
	if (!g->keyring_up || (!g->audit_up && !g->audit_was_up))
		return refuse(out, in->ask_id, ERR_INTERRUPTED);
	if (!g->audit_up)
		return refuse(out, in->ask_id, ERR_AUDIT_UNAVAILABLE);
	if ((e = begin(g, in, ASK_MS, out, &f)) != OK || f == NULL)
		return e;
	/* A grant is asked for by token, whoever holds it; only the owner is known by terminal. */
	ask.peer = ask.surface == SURFACE_OWNER ? peer_of(in)
	    : (struct peer_body){ .uid = in->peer_uid, .pid = in->peer_pid };
	f->ask = ask;
	f->ask.boxed_half = (struct span){ NULL, 0 };
	return outbox_put(out, MSG_RULING_WANTED, in->ask_id, &ask);
}

static bool
needs_permit(enum msg type)
{
	return type == MSG_CHUNK_PUT || type == MSG_REVISION_PUT || type == MSG_NAME_PUT || type == MSG_DISCARD_PUT;
}

static enum err
on_relayed(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	union any_body body = *in->body;
	const struct relay *r = relays;
	struct flight *f;
	enum err e;

	while (r->in != in->type)
		r++;
	if (needs_permit(in->type) &&
	    (e = permits_check(&g->permits, in->type, in->body, in->peer_pid, clock_mono())) != OK)
		return refuse(out, in->ask_id, e);
	if (in->type == MSG_LOCK_ASK)
		permits_clear(&g->permits);
	if ((e = begin(self, in, in->type == MSG_REPAIR_ASK ? REPAIR_MS : COMMAND_MS, out, &f)) != OK || f == NULL)
		return e;
	if (r->has_peer)
		body.owner_ask.peer = peer_of(in);
	return outbox_put(out, r->out, in->ask_id, &body);
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

static bool
is_write(const struct flight *f)
{
	return f->ask.op == OP_WRITE_ASSET || f->ask.op == OP_WRITE_NAME;
}

/* An answer is deposit and ack together; a write's has no deposit. */
static enum err
answer_if_whole(struct mcp_gateway *g, uint64_t ask_id, struct flight *f, struct outbox *out)
{
	struct answer_body answer = { .deposit = { .n_items = 0 } };
	struct wire_in in;
	enum err e;

	if (f->ack == NULL || (f->deposit == NULL && !is_write(f)))
		return OK;
	in = wire_in(f->ack, f->ack_len);
	ack_body_take(&in, &answer.ack);
	if (f->deposit != NULL) {
		in = wire_in(f->deposit, f->deposit_len);
		deposit_body_take(&in, &answer.deposit);
	}
	e = outbox_put(out, MSG_ANSWER, ask_id, &answer);
	end(g, ask_id);
	return e;
}

static enum err
on_deposit(void *self, const struct inbound *in, struct outbox *out)
{
	struct flight *f = find(self, in->ask_id);
	enum err e;

	if (f == NULL || f->type != MSG_ASK)
		return OK;
	if ((e = keep(BODY_deposit, &in->body->deposit, in->body->deposit.items.len + 16, &f->deposit, &f->deposit_len)) != OK)
		return e;
	return answer_if_whole(self, in->ask_id, f, out);
}

/* What was recorded as begun may be written to its end. */
static void
permit_write(struct mcp_gateway *g, const struct flight *f, const struct ack_body *ack)
{
	permits_add(&g->permits, &(struct permit){ .revision = ack->revision, .asset = ack->asset, .vault = f->ask.vault,
	    .op = f->ask.op, .kind = f->ask.kind, .is_private = f->ask.is_private, .pid = f->ask.peer.pid,
	    .used = clock_mono() });
}

static enum err
on_ack(void *self, const struct inbound *in, struct outbox *out)
{
	struct flight *f = find(self, in->ask_id);
	enum err e;

	if (f == NULL || f->type != MSG_ASK)
		return OK;
	if (is_write(f))
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

static enum err
on_refused(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	struct flight *f = find(g, in->ask_id);
	enum err e;

	if (f == NULL)
		return OK;
	e = note_refusal(g, f, &in->body->refusal, out);
	end(g, in->ask_id);
	return e != OK ? e : outbox_put(out, MSG_REFUSED, in->ask_id, &in->body->refusal);
}

static enum err
on_kept(void *self, const struct inbound *in, struct outbox *out)
{
	static const struct made_body nothing_made;

	return end(self, in->ask_id) ? outbox_put(out, MSG_DONE, in->ask_id, &nothing_made) : OK;
}

static enum err
on_command_done(void *self, const struct inbound *in, struct outbox *out)
{
	return end(self, in->ask_id) ? outbox_put(out, MSG_DONE, in->ask_id, &in->body->made) : OK;
}

static enum err
on_envelope_found(void *self, const struct inbound *in, struct outbox *out)
{
	return end(self, in->ask_id) ? outbox_put(out, MSG_ENVELOPE, in->ask_id, &in->body->kdf) : OK;
}

static enum err
on_usage(void *self, const struct inbound *in, struct outbox *out)
{
	return end(self, in->ask_id) ? outbox_put(out, MSG_GRANTS_PAGE, in->ask_id, &in->body->grants_page) : OK;
}

static enum err
on_repair_over(void *self, const struct inbound *in, struct outbox *out)
{
	const struct repaired_body *b = &in->body->repaired;

	if (!end(self, in->ask_id))
		return OK;
	return b->error != OK ? refuse(out, in->ask_id, (enum err)b->error) : outbox_put(out, MSG_REPAIRED, in->ask_id, b);
}

static enum err
on_checkpoint_made(void *self, const struct inbound *in, struct outbox *out)
{
	const struct checkpoint_body *b = &in->body->checkpoint;

	if (!end(self, in->ask_id))
		return OK;
	return b->error != OK ? refuse(out, in->ask_id, (enum err)b->error) : outbox_put(out, MSG_CHECKPOINT, in->ask_id, b);
}

/* Moves what a span points at out of the frame. */
static void
keep_span(struct span *s, uint8_t *to)
{
	if (s->len > 0)
		memcpy(to, s->p, s->len);
	s->p = to;
}

static enum err
on_boot(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;

	(void)out;
	g->boot = in->body->boot;
	keep_span(&g->boot.certificate, g->certificate);
	keep_span(&g->boot.epoch_certificate, g->epoch_certificate);
	keep_span(&g->boot.earlier_certificate, g->earlier_certificate);
	g->keyring_up = true;
	return OK;
}

/* The first try at a key-only start has ended: the daemon serves. */
static enum err
on_started(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;

	(void)in;
	(void)out;
	if (!g->ready_told && g->settings->ready_fd >= 0) {
		g->ready_told = true;
		if (write(g->settings->ready_fd, &(uint8_t){ PROCESS_READY }, 1) != 1)
			return ERR_INTERNAL;
	}
	return OK;
}

struct failing {
	struct mcp_gateway *gateway;
	struct outbox *out;
	enum actor     lost; /* of an edge that was lost */
	enum err       why;
};

static void
fail(void *arg, uint64_t ask_id, void *value)
{
	const struct failing *failing = arg;
	const struct log_state_body away = { .state = LOG_FAILED,
		.failure = failing->why == ERR_TIMEOUT ? ERR_AUDIT_TIMEOUT : ERR_AUDIT_UNAVAILABLE };
	struct flight *f = value;

	flight_clear(f);
	/* A log that says nothing is something that status can say. */
	if (f->type == MSG_STATUS_ASK && f->has_state)
		(void)put_status(failing->gateway, ask_id, f, &away, failing->out);
	else
		(void)refuse(failing->out, ask_id, failing->why != ERR_TIMEOUT || f->type != MSG_ASK ? failing->why
	    : ERR_AUDIT_TIMEOUT);
}

/* Commands wait for grants, which knows itself what it has lost; writes wait for the vault. */
static bool
waits_for(const void *arg, const void *value)
{
	const struct failing *failing = arg;
	const struct flight *f = value;

	if (failing->lost == ACTOR_AUDIT)
		return f->type == MSG_ASK || f->has_state || f->type == MSG_GRANTS_ASK || f->type == MSG_REPAIR_ASK;
	if (failing->lost == ACTOR_KEYRING)
		return f->type == MSG_ASK;
	return true;
}

static void
on_edge(void *self, enum actor other, bool up, struct outbox *out)
{
	struct mcp_gateway *g = self;
	struct failing failing = { g, out, other, other == ACTOR_AUDIT ? ERR_AUDIT_UNAVAILABLE : ERR_INTERRUPTED };

	if (other == ACTOR_AUDIT) {
		g->audit_up = up;
		g->audit_was_up = g->audit_was_up || up;
	}
	if (other == ACTOR_GRANTS)
		g->grants_up = up;
	if (other == ACTOR_VAULT)
		g->vault_up = up;
	if (other == ACTOR_KEYRING && !up)
		g->keyring_up = false;
	if (!up && other != ACTOR_CLIENT)
		pending_fail_some(g->flights, waits_for, fail, &failing);
}

static struct mono_ms
on_tick(void *self, struct mono_ms now, struct outbox *out)
{
	struct mcp_gateway *g = self;
	struct failing failing = { g, out, ACTOR_CLIENT, ERR_TIMEOUT };

	pending_expire(g->flights, now, fail, &failing);
	if (g->strangers.count > 0 && now.ms >= g->strangers_due.ms && g->audit_up) {
		(void)outbox_put(out, MSG_REFUSAL_NOTED, 0, &g->strangers);
		memset(&g->strangers, 0, sizeof g->strangers);
	}
	return pending_next(g->flights);
}

const struct actor_spec mcp_gateway_actor = {
	.id = ACTOR_GATE,
	.start = mcp_gateway_start,
	.stop = mcp_gateway_stop,
	.handlers = handlers,
	.n_handlers = sizeof handlers / sizeof *handlers,
	.on_edge = on_edge,
	.on_tick = on_tick,
};
