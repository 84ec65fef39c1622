/* The owner's commands about what is in the vaults: may they be done. */
#include <string.h>

#include "actors/grants_state.h"

enum err
grants_on_vault(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct command *c;
	enum err e;

	if ((e = grants_check_owner(g)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_begin(in, g, &in->body->owner_ask.peer, out, &c)) != OK || c == NULL)
		return e;
	return outbox_put(out, MSG_VAULT_KEYS_WANTED, in->ask_id, &(struct nothing_body){ 0 });
}

enum err
grants_on_vault_keys(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct vault_keys_made_body *made = &in->body->vault_keys_made;
	struct vault_keys keys = { .vault = made->vault };
	enum err e;

	if (grants_command(g, in->ask_id) == NULL)
		return OK;
	memcpy(keys.sealed, made->sealed, sizeof keys.sealed);
	if ((e = grants_db_put_vault_keys(g->db, &keys)) == OK)
		(void)grants_search_tell(g, out);
	return grants_end(g, in->ask_id, e, made->vault, out);
}

enum err
grants_on_keys_not_made(void *self, const struct inbound *in, struct outbox *out)
{
	return grants_end(self, in->ask_id, (enum err)in->body->result.error, NOTHING_MADE, out);
}

static enum err
pass_on(uint64_t ask_id, enum msg type, struct uuid id, struct outbox *out)
{
	return outbox_put(out, type, ask_id, &(struct one_id_body){ .id = id });
}

/* Like everything that narrows it is told to the log and does not wait for it. */
enum err
grants_on_vault_remove(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct owner_id_ask_body *b = &in->body->owner_id_ask;
	struct vault_keys keys;
	enum err e;

	if ((e = grants_check_owner(g)) != OK || (e = grants_db_vault_keys(g->db, b->id, &keys)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_event_config(g, out, CONFIG_VAULT_REMOVED, b->id, &b->peer)) != OK)
		return grants_refuse(out, in->ask_id, e);
	return pass_on(in->ask_id, MSG_VAULT_REMOVE, b->id, out);
}

enum err
grants_on_proposal_drop(void *self, const struct inbound *in, struct outbox *out)
{
	enum err e = grants_check_owner(self);

	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	return pass_on(in->ask_id, MSG_PROPOSAL_DROP, in->body->owner_id_ask.id, out);
}
