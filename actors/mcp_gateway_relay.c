/* Commands that go to one actor, and its word back. */
#include "actors/mcp_gateway_state.h"
#include "mailbox/words.h"

#define REPAIR_MS 600000 /* the whole log is read twice */

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
	{ MSG_SLEEP_ASK, MSG_SLEEP_WANTED, true },
	{ MSG_CHECKPOINT_ASK, MSG_CHECKPOINT_ORDERED, true },
	{ MSG_PASSWD_ASK, MSG_PASSWD_WANTED, true },
	{ MSG_SETTING_ASK, MSG_SETTING_WANTED, true },
	{ MSG_DEVICE_ASK, MSG_DEVICE_WANTED, true },
	{ MSG_VAULT_ASK, MSG_VAULT_WANTED, true },
	{ MSG_VAULT_REMOVE_ASK, MSG_VAULT_REMOVE_WANTED, true },
	{ MSG_PROPOSAL_DROP_ASK, MSG_PROPOSAL_DROP_WANTED, true },
	{ MSG_ENABLE_ASK, MSG_ENABLE_WANTED, true },
	{ MSG_MINT_ASK, MSG_MINT_WANTED, true },
	{ MSG_GRANTS_ASK, MSG_GRANTS_WANTED, true },
	{ MSG_RESUME_ASK, MSG_RESUME_WANTED, true },
	{ MSG_REVOKE_ASK, MSG_REVOKE_WANTED, true },
	{ MSG_DISABLE_ASK, MSG_DISABLE_WANTED, true },
	{ MSG_REPAIR_ASK, MSG_REPAIR_WANTED, true },
	{ MSG_PROFILE_ENABLE_ASK, MSG_PROFILE_ENABLE_WANTED, true },
	{ MSG_PROFILE_DISABLE_ASK, MSG_PROFILE_DISABLE_WANTED, true },
	{ MSG_MAINTENANCE_ASK, MSG_MAINTENANCE_WANTED, true },
	{ MSG_PROFILE_STATE_ASK, MSG_PROFILE_STATE_WANTED, true },
	{ MSG_CONNECTIONS_ASK, MSG_CONNECTIONS_WANTED, true },
	{ MSG_REDUCE_ASK, MSG_REDUCE_WANTED, true },
	{ MSG_CHUNK_PUT, MSG_CHUNK_WANTED, false },
	{ MSG_REVISION_PUT, MSG_PUBLISH_WANTED, false },
	{ MSG_PROPOSAL_PUT, MSG_PROPOSAL_WANTED, false },
	{ MSG_NAME_PUT, MSG_NAME_WANTED, false },
	{ MSG_DISCARD_PUT, MSG_DISCARD_WANTED, false },
};

static bool
needs_permit(enum msg type)
{
	return type == MSG_CHUNK_PUT || type == MSG_REVISION_PUT || type == MSG_PROPOSAL_PUT || type == MSG_NAME_PUT ||
	    type == MSG_DISCARD_PUT;
}

bool
mcp_gateway_audit_answers(enum msg type)
{
	return type == MSG_GRANTS_ASK || type == MSG_CONNECTIONS_ASK || type == MSG_REPAIR_ASK || type == MSG_CHECKPOINT_ASK;
}

enum err
mcp_gateway_on_relayed(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	union any_body body = *in->body;
	const struct relay *r = relays;
	struct flight *f;
	enum err e;

	while (r->in != in->type)
		r++;
	if (needs_permit(in->type) &&
	    (e = permits_check(&g->permits, in->type, &body, in->peer_pid, clock_mono())) != OK)
		return mcp_gateway_refuse(out, in->ask_id, e);
	if (mcp_gateway_audit_answers(in->type) && (e = mcp_gateway_check_audit(g)) != OK)
		return mcp_gateway_refuse(out, in->ask_id, e);
	if (in->type == MSG_LOCK_ASK || (in->type == MSG_SLEEP_ASK && in->body->sleep.word == SLEEP_COMES))
		permits_clear(&g->permits);
	if ((e = mcp_gateway_begin(self, in, in->type == MSG_REPAIR_ASK ? REPAIR_MS : COMMAND_MS, out, &f)) != OK || f == NULL)
		return e;
	if (r->has_peer)
		body.owner_ask.peer = mcp_gateway_peer(in);
	return outbox_put(out, r->out, in->ask_id, &body);
}

enum err
mcp_gateway_on_kept(void *self, const struct inbound *in, struct outbox *out)
{
	static const struct made_body nothing_made;

	return mcp_gateway_end(self, in->ask_id) ? outbox_put(out, MSG_DONE, in->ask_id, &nothing_made) : OK;
}

enum err
mcp_gateway_on_command_done(void *self, const struct inbound *in, struct outbox *out)
{
	return mcp_gateway_end(self, in->ask_id) ? outbox_put(out, MSG_DONE, in->ask_id, &in->body->made) : OK;
}

enum err
mcp_gateway_on_envelope_found(void *self, const struct inbound *in, struct outbox *out)
{
	return mcp_gateway_end(self, in->ask_id) ? outbox_put(out, MSG_ENVELOPE, in->ask_id, &in->body->kdf) : OK;
}

enum err
mcp_gateway_on_device_found(void *self, const struct inbound *in, struct outbox *out)
{
	return mcp_gateway_end(self, in->ask_id) ? outbox_put(out, MSG_DEVICE, in->ask_id, &in->body->device) : OK;
}

enum err
mcp_gateway_on_usage(void *self, const struct inbound *in, struct outbox *out)
{
	return mcp_gateway_end(self, in->ask_id) ? outbox_put(out, MSG_GRANTS_PAGE, in->ask_id, &in->body->grants_page) : OK;
}

enum err
mcp_gateway_on_profile_state_found(void *self, const struct inbound *in, struct outbox *out)
{
	return mcp_gateway_end(self, in->ask_id) ? outbox_put(out, MSG_PROFILE_STATE, in->ask_id, &in->body->profile_state) : OK;
}

enum err
mcp_gateway_on_connections_usage(void *self, const struct inbound *in, struct outbox *out)
{
	return mcp_gateway_end(self, in->ask_id) ? outbox_put(out, MSG_CONNECTIONS_PAGE, in->ask_id, &in->body->connections_page)
	    : OK;
}

/* An answer that says itself whether it is one. */
static enum err
over(void *self, const struct inbound *in, enum err error, enum msg type, const void *body, struct outbox *out)
{
	if (!mcp_gateway_end(self, in->ask_id))
		return OK;
	return error != OK ? mcp_gateway_refuse(out, in->ask_id, error) : outbox_put(out, type, in->ask_id, body);
}

enum err
mcp_gateway_on_repair_over(void *self, const struct inbound *in, struct outbox *out)
{
	const struct repaired_body *b = &in->body->repaired;

	return over(self, in, (enum err)b->error, MSG_REPAIRED, b, out);
}

enum err
mcp_gateway_on_checkpoint_made(void *self, const struct inbound *in, struct outbox *out)
{
	const struct checkpoint_body *b = &in->body->checkpoint;

	return over(self, in, (enum err)b->error, MSG_CHECKPOINT, b, out);
}
