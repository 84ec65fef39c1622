#include <string.h>

#include "store/log_check.h"

bool
log_check_pending_allows(const struct log_record *r)
{
	return r->type == LOG_EPOCH || r->type == LOG_REFUSAL || r->type == LOG_LOCK ||
	    (r->type == LOG_UNLOCK && r->outcome == LOG_REFUSED);
}

bool
log_check_manual_lock(const struct log_record *r, bool before)
{
	if (r->outcome != LOG_DONE || (r->type != LOG_LOCK && r->type != LOG_RESUME))
		return before;
	return r->type == LOG_LOCK;
}

void
log_check_break(struct log_check *k, uint64_t index, const char *reason)
{
	k->broken = true;
	k->bad_index = index;
	k->reason = reason;
}

bool
log_check_behind_anchor(const struct log_check *k)
{
	return k->has_anchor && k->chain.size < k->anchor.size;
}

bool
log_check_behind_checkpoint(const struct log_check *k)
{
	return k->checkpoint != NULL && k->chain.size < k->checkpoint->size;
}

/* The chain of hashes lets one signature vouch for all commits before it in its epoch. */
enum log_held
log_check_end(struct log_check *k)
{
	if (!k->owes_signature)
		return LOG_HOLDS;
	k->owes_signature = false;
	if (log_commit_valid(&k->owed, k->chain.epoch.public_key))
		return LOG_HOLDS;
	log_check_break(k, k->owed.first, "the signature of a commit does not hold");
	return LOG_BROKEN;
}

static const char *
take_record(struct log_check *k, const struct log_frame_group *g, struct wire_in *in,
    struct log_chain *next)
{
	struct span leaf = log_frame_take_record(in);
	struct wire_in leaf_in = wire_in(leaf.p, leaf.len);
	uint8_t hash[SHA256_LEN];
	struct log_record r;
	const char *fault;

	log_record_take(&leaf_in, &r);
	if (leaf_in.failed)
		return "a record does not have its form";
	if (r.index != next->size)
		return "a record's index is not the next one";
	if (!uuid_equal(r.epoch, g->commit.epoch))
		return "a record names another epoch than its commit";
	next->size++;
	if (k->depth == LOG_CHECK_CHAIN)
		return NULL;
	if ((fault = log_check_epoch_rule(k->log_public, &r, next)) != NULL ||
	    (fault = log_check_repair_rule(&r, next)) != NULL)
		return fault;
	next->manual_lock = log_check_manual_lock(&r, next->manual_lock);
	merkle_leaf(leaf, hash);
	merkle_add(&next->tree, hash);
	return NULL;
}

static const char *
check_links(const struct log_check *k, const struct log_frame_group *g)
{
	const struct log_commit *c = &g->commit;
	uint8_t hash[SHA256_LEN];

	if (c->first != k->chain.size)
		return "a commit's first index is not the next one";
	if (c->count != g->n_records)
		return "a commit counts other records than stand before it";
	if (memcmp(c->previous, k->chain.previous, sizeof c->previous) != 0)
		return "a commit does not follow the one before it";
	sha256(g->records.p, g->records.len, hash);
	if (memcmp(c->bytes_hash, hash, sizeof hash) != 0)
		return "the bytes of a group are not those that its commit names";
	return NULL;
}

/* A later group of the same epoch vouches for one that another follows. */
static bool
signature_due(const struct log_check *k, const struct log_frame_group *g, const struct log_chain *next)
{
	return k->depth == LOG_CHECK_FULL || !g->followed || next->next_epoch.begun;
}

static const char *
check_commit(const struct log_check *k, const struct log_frame_group *g, const struct log_chain *next)
{
	const struct log_commit *c = &g->commit;
	uint8_t root[SHA256_LEN];

	if (k->depth == LOG_CHECK_CHAIN)
		return NULL;
	merkle_root(&next->tree, root);
	if (memcmp(c->root, root, sizeof root) != 0)
		return "a commit's root is not that of the records";
	if ((c->flags == LOG_COMMIT_MANUAL_LOCK) != next->manual_lock)
		return "a commit's flags do not follow from the records";
	if (signature_due(k, g, next) && !log_commit_valid(c, next->epoch.public_key))
		return "the signature of a commit does not hold";
	return NULL;
}

static const char *
check_group(struct log_check *k, const struct log_frame_group *g, struct log_chain *next)
{
	struct wire_in in = wire_in(g->records.p, g->records.len);
	const char *fault = check_links(k, g);

	for (uint32_t i = 0; fault == NULL && i < g->n_records; i++)
		fault = take_record(k, g, &in, next);
	if (fault == NULL)
		fault = check_commit(k, g, next);
	if (fault == NULL)
		sha256(g->signed_commit.p, g->signed_commit.len, next->previous);
	return fault;
}

/* Does a group that ends with this root pass a size at which the log must have another? */
static bool
passes_beside(const struct log_check *k, const struct log_commit *c, uint64_t size, const uint8_t root[SHA256_LEN])
{
	if (c->size == size)
		return memcmp(root, c->root, SHA256_LEN) != 0;
	return k->chain.size < size && c->size > size;
}

/* A repair that was cut off behind its record left the anchor at what it gave up. */
static void
compare(struct log_check *k, const struct log_frame_group *g, bool repairs)
{
	const struct log_commit *c = &g->commit;

	if (k->depth == LOG_CHECK_CHAIN)
		return;
	if (repairs && k->has_anchor && log_check_gives_up(g, &k->anchor))
		k->has_anchor = k->beside_anchor = false;
	if (k->has_anchor)
		k->beside_anchor |= passes_beside(k, c, k->anchor.size, k->anchor.root);
	if (k->checkpoint != NULL)
		k->beside_checkpoint |= passes_beside(k, c, k->checkpoint->size, k->checkpoint->root);
}

static void
hand_out(struct log_check *k, const struct log_frame_group *g)
{
	struct wire_in in = wire_in(g->records.p, g->records.len);

	for (uint32_t i = 0; k->each != NULL && !k->stopped && i < g->n_records; i++) {
		struct span leaf = log_frame_take_record(&in);
		struct wire_in leaf_in = wire_in(leaf.p, leaf.len);
		struct log_record r;

		log_record_take(&leaf_in, &r);
		k->stopped = !k->each(k->arg, &r);
	}
}

enum log_held
log_check_group(struct log_check *k, const struct log_frame_group *g)
{
	struct log_chain next = k->chain;
	bool new_epoch;

	if ((k->reason = check_group(k, g, &next)) != NULL)
		return LOG_LOOSE;
	new_epoch = next.epoch.begun &&
	    !(k->chain.epoch.begun && uuid_equal(next.epoch.id, k->chain.epoch.id));
	if (new_epoch && log_check_end(k) != LOG_HOLDS)
		return LOG_BROKEN;
	k->owes_signature = k->depth == LOG_CHECK_FAST && !signature_due(k, g, &next);
	log_check_settle(&next, &k->chain.epoch);
	k->owed = g->commit;
	compare(k, g, next.n_repairs > k->chain.n_repairs);
	k->chain = next;
	hand_out(k, g);
	return LOG_HOLDS;
}
