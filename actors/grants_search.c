/*
 * What grants is to search: it says which vaults there are while the library
 * is unlocked, rules that an index may be built, and has it dropped at a lock.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actors/grants_state.h"
#include "actors/process.h"
#include "escrow/binding.h"
#include "mailbox/log_line.h"

#define SCOPE_VAULTS_MAX 4096

/* How long a lock waits for the index to be wiped. */
#define DROP_MS 1500

enum err
grants_search_tell(struct grants *g, struct outbox *out)
{
	struct search_scope_body b = { .unlocked = grants_check_unlocked(g) == OK };
	struct uuid *vaults;
	size_t n = 0;
	enum err e = OK;

	if (!g->search.up)
		return OK;
	if ((vaults = calloc(SCOPE_VAULTS_MAX, sizeof *vaults)) == NULL)
		return ERR_NO_MEMORY;
	if (b.unlocked)
		e = grants_db_list_vaults(g->db, vaults, SCOPE_VAULTS_MAX, &n);
	b.vaults = (struct span){ (const uint8_t *)vaults, n * UUID_LEN };
	if (e == OK)
		e = outbox_put(out, MSG_SEARCH_SCOPE, 0, &b);
	free(vaults);
	return e;
}

/* The index's own ask: for one vault's ordinary class key, in nobody's name. */
static enum err
rule(struct grants *g, const struct index_ask_body *ask, struct ruling_body *r, uint8_t wrap[1 + SEALED_KEY_LEN])
{
	struct wire_out o = wire_out(wrap, 1 + SEALED_KEY_LEN);
	struct wrap_body w = { .key_class = CLASS_ORDINARY };
	struct vault_keys keys;
	enum err e;

	if ((e = grants_check_unlocked(g)) != OK || (e = grants_db_vault_keys(g->db, ask->vault, &keys)) != OK)
		return e;
	memcpy(w.sealed, keys.sealed[CLASS_ORDINARY], SEALED_KEY_LEN);
	wrap_body_put(&o, &w);
	*r = (struct ruling_body){ .ask = { .op = OP_SEARCH, .vault = ask->vault, .boot = ask->boot },
		.deadline_boot_ms = clock_mono().ms + RULING_MS, .classes = 1u << CLASS_ORDINARY,
		.subject_kind = LOG_DAEMON, .wraps = wire_written(&o) };
	ruling_mac(g->ruling_key, r, r->mac);
	return OK;
}

enum err
grants_on_index_ask(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	uint8_t wrap[1 + SEALED_KEY_LEN];
	struct ruling_body r;
	enum err e = rule(g, &in->body->index_ask, &r, wrap);

	if (e != OK)
		return outbox_put(out, MSG_INDEX_DENIED, in->ask_id, &(struct result_body){ .error = (uint16_t)e });
	return outbox_put(out, MSG_INDEX_WANTED, in->ask_id, &r);
}

enum err
grants_search_drop(struct grants *g, uint64_t ask_id, struct outbox *out)
{
	if (!g->search.up)
		return OK;
	/* A further lock gives it no more time. */
	if (g->search.dropping == 0)
		g->search.drop_until.ms = clock_mono().ms + DROP_MS;
	g->search.dropping = ask_id;
	return outbox_put(out, MSG_INDEX_DROP, ask_id, &(struct nothing_body){ 0 });
}

static void
dropped(struct grants *g, struct outbox *out)
{
	g->search.dropping = 0;
	g->search.ending = false;
	grants_locks_go_on(g, out);
}

enum err
grants_on_index_dropped(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;

	if (g->search.dropping != 0 && in->ask_id == g->search.dropping)
		dropped(g, out);
	return OK;
}

/* A process that does not wipe its index is ended, and the index with it: the edge goes when it is gone. */
enum err
grants_search_tick(struct grants *g, struct mono_ms now, struct outbox *out)
{
	static const uint8_t word = PROCESS_END_SEARCH;

	if (g->search.dropping == 0 || now.ms < g->search.drop_until.ms)
		return OK;
	if (g->search.ending) {
		dropped(g, out);
		return OK;
	}
	log_line_error(ACTOR_GRANTS, ERR_TIMEOUT, g->search.dropping);
	if (g->settings->ready_fd >= 0 && write(g->settings->ready_fd, &word, 1) != 1)
		log_line_error(ACTOR_GRANTS, ERR_INTERNAL, g->search.dropping);
	g->search.ending = true;
	g->search.drop_until.ms = now.ms + END_MS;
	return OK;
}

void
grants_search_edge(struct grants *g, bool up, struct outbox *out)
{
	g->search.up = up;
	/* An actor without this edge has forgotten what it held. */
	if (!up && g->search.dropping != 0)
		dropped(g, out);
	if (up)
		(void)grants_search_tell(g, out);
}
