#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actors/mcp_gateway.h"
#include "actors/mcp_gateway_state.h"
#include "actors/process.h"
#include "actors/search.h"
#include "escrow/peer.h"
#include "mailbox/words.h"
#include "store/log.h"

#define ASKS_MAX 1024

static enum err on_started(void *self, const struct inbound *in, struct outbox *out);

static const struct handler handlers[] = {
	{ MSG_HELLO, mcp_gateway_on_hello },
	{ MSG_STATUS_ASK, mcp_gateway_on_status_ask },
	{ MSG_ASK, mcp_gateway_on_ask },
	{ MSG_INIT_ASK, mcp_gateway_on_relayed },
	{ MSG_ENVELOPE_ASK, mcp_gateway_on_relayed },
	{ MSG_UNLOCK_ASK, mcp_gateway_on_relayed },
	{ MSG_SUDO_ASK, mcp_gateway_on_relayed },
	{ MSG_SUDO_END_ASK, mcp_gateway_on_relayed },
	{ MSG_LOCK_ASK, mcp_gateway_on_relayed },
	{ MSG_SLEEP_ASK, mcp_gateway_on_relayed },
	{ MSG_CHECKPOINT_ASK, mcp_gateway_on_relayed },
	{ MSG_PASSWD_ASK, mcp_gateway_on_relayed },
	{ MSG_SETTING_ASK, mcp_gateway_on_relayed },
	{ MSG_DEVICE_ASK, mcp_gateway_on_relayed },
	{ MSG_VAULT_ASK, mcp_gateway_on_relayed },
	{ MSG_VAULT_REMOVE_ASK, mcp_gateway_on_relayed },
	{ MSG_PROPOSAL_DROP_ASK, mcp_gateway_on_relayed },
	{ MSG_ENABLE_ASK, mcp_gateway_on_relayed },
	{ MSG_MINT_ASK, mcp_gateway_on_relayed },
	{ MSG_GRANTS_ASK, mcp_gateway_on_relayed },
	{ MSG_RESUME_ASK, mcp_gateway_on_relayed },
	{ MSG_REVOKE_ASK, mcp_gateway_on_relayed },
	{ MSG_DISABLE_ASK, mcp_gateway_on_relayed },
	{ MSG_REPAIR_ASK, mcp_gateway_on_relayed },
	{ MSG_PROFILE_ENABLE_ASK, mcp_gateway_on_relayed },
	{ MSG_PROFILE_DISABLE_ASK, mcp_gateway_on_relayed },
	{ MSG_MAINTENANCE_ASK, mcp_gateway_on_relayed },
	{ MSG_PROFILE_STATE_ASK, mcp_gateway_on_relayed },
	{ MSG_CONNECTIONS_ASK, mcp_gateway_on_relayed },
	{ MSG_REDUCE_ASK, mcp_gateway_on_relayed },
	{ MSG_CHUNK_PUT, mcp_gateway_on_relayed },
	{ MSG_REVISION_PUT, mcp_gateway_on_relayed },
	{ MSG_PROPOSAL_PUT, mcp_gateway_on_relayed },
	{ MSG_NAME_PUT, mcp_gateway_on_relayed },
	{ MSG_DISCARD_PUT, mcp_gateway_on_relayed },
	{ MSG_DEPOSIT, mcp_gateway_on_deposit },
	{ MSG_FOUND, mcp_gateway_on_found },
	{ MSG_PROFILE_FOUND, mcp_gateway_on_found },
	{ MSG_AUDIT_ACK, mcp_gateway_on_ack },
	{ MSG_ASK_DENIED, mcp_gateway_on_refused },
	{ MSG_RECORD_REFUSED, mcp_gateway_on_refused },
	{ MSG_KEYS_REFUSED, mcp_gateway_on_refused },
	{ MSG_INTENT_REFUSED, mcp_gateway_on_refused },
	{ MSG_QUERY_REFUSED, mcp_gateway_on_refused },
	{ MSG_PROFILE_REFUSED, mcp_gateway_on_refused },
	{ MSG_SEARCH_STATE, mcp_gateway_on_search_state },
	{ MSG_KEPT, mcp_gateway_on_kept },
	{ MSG_COMMAND_DONE, mcp_gateway_on_command_done },
	{ MSG_ENVELOPE_FOUND, mcp_gateway_on_envelope_found },
	{ MSG_DEVICE_FOUND, mcp_gateway_on_device_found },
	{ MSG_USAGE, mcp_gateway_on_usage },
	{ MSG_PROFILE_STATE_FOUND, mcp_gateway_on_profile_state_found },
	{ MSG_CONNECTIONS_USAGE, mcp_gateway_on_connections_usage },
	{ MSG_REPAIR_OVER, mcp_gateway_on_repair_over },
	{ MSG_CHECKPOINT_MADE, mcp_gateway_on_checkpoint_made },
	{ MSG_STATE, mcp_gateway_on_state },
	{ MSG_LOG_STATE, mcp_gateway_on_log_state },
	{ MSG_BOOT, mcp_gateway_on_boot },
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

enum err
mcp_gateway_refuse(struct outbox *out, uint64_t ask_id, enum err why)
{
	return outbox_put(out, MSG_REFUSED, ask_id, &(struct refusal_body){ .error = (uint16_t)why });
}

struct flight *
mcp_gateway_find(struct mcp_gateway *g, uint64_t ask_id)
{
	return pending_find(g->flights, ask_id);
}

bool
mcp_gateway_end(struct mcp_gateway *g, uint64_t ask_id)
{
	struct flight *f = mcp_gateway_find(g, ask_id);

	if (f == NULL)
		return false;
	flight_clear(f);
	return pending_end(g->flights, ask_id);
}

enum err
mcp_gateway_begin(struct mcp_gateway *g, const struct inbound *in, uint64_t for_ms, struct outbox *out, struct flight **f)
{
	void *value = NULL;
	/* What goes to who is still coming up would be lost; the asker tries again. */
	enum err e = !g->grants_up || !g->vault_up ? ERR_INTERRUPTED :
	    pending_add(g->flights, in->ask_id, (struct mono_ms){ clock_mono().ms + for_ms }, &value);

	*f = value;
	if (e != OK)
		return mcp_gateway_refuse(out, in->ask_id, e);
	(*f)->type = in->type;
	return OK;
}

enum err
mcp_gateway_check_audit(const struct mcp_gateway *g)
{
	return g->audit_up ? OK : g->audit_was_up ? ERR_AUDIT_UNAVAILABLE : ERR_INTERRUPTED;
}

/* The process that has the pid now is the one that connected: it is no younger than its connection. */
static bool
is_who_connected(const struct inbound *in, const struct peer_facts *facts)
{
	uint64_t ticks_per_s = (uint64_t)sysconf(_SC_CLK_TCK);

	return facts->own.start_ticks * 1000 / ticks_per_s <= in->peer_since.ms;
}

struct peer_body
mcp_gateway_peer(const struct inbound *in)
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
	/* What was found waits for the log; before that, for who finds it. */
	bool waits_for_log = f->type == MSG_ASK &&
	    ((f->ask.op != OP_SEARCH && !op_is_profile((enum op)f->ask.op)) || f->deposit != NULL);
	enum err why = failing->why;

	/* A change may have been made all the same: it is not for the asker to make it again by itself. */
	if (f->type == MSG_ASK && f->ask.op == OP_PROFILE_CHANGE && why == ERR_INTERRUPTED)
		why = ERR_TIMEOUT;
	flight_clear(f);
	/* A log that says nothing is something that status can say. */
	if (f->type == MSG_STATUS_ASK && f->has_state)
		(void)mcp_gateway_put_status(failing->gateway, ask_id, f, &away, failing->out);
	else
		(void)mcp_gateway_refuse(failing->out, ask_id, why != ERR_TIMEOUT || !waits_for_log ? why : ERR_AUDIT_TIMEOUT);
}

/* Commands wait for grants, which knows itself what it has lost; writes wait for the vault. */
static bool
waits_for(const void *arg, const void *value)
{
	const struct failing *failing = arg;
	const struct flight *f = value;

	if (failing->lost == ACTOR_AUDIT)
		return f->type == MSG_ASK || f->has_state || mcp_gateway_audit_answers(f->type);
	if (failing->lost == ACTOR_SEARCH)
		return f->type == MSG_ASK && f->ask.op == OP_SEARCH;
	if (failing->lost == ACTOR_PROFILE)
		return f->type == MSG_ASK && op_is_profile((enum op)f->ask.op);
	if (failing->lost == ACTOR_KEYRING)
		return f->type == MSG_ASK;
	return true;
}

static void
on_edge(void *self, enum actor other, bool up, struct outbox *out)
{
	struct mcp_gateway *g = self;
	struct failing failing = { g, out, other, other == ACTOR_AUDIT ? ERR_AUDIT_UNAVAILABLE
	    : other == ACTOR_SEARCH ? ERR_SEARCH_WARMING : ERR_INTERRUPTED };

	if (other == ACTOR_AUDIT) {
		g->audit_up = up;
		g->audit_was_up = g->audit_was_up || up;
	}
	if (other == ACTOR_GRANTS)
		g->grants_up = up;
	if (other == ACTOR_VAULT)
		g->vault_up = up;
	if (other == ACTOR_PROFILE)
		g->profile_up = up;
	if (other == ACTOR_SEARCH) {
		g->search_up = up;
		g->search = (struct search_state_body){ .state = SEARCH_OFF };
	}
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
