#include <string.h>

#include "store/log_inside.h"
#include "store/log_io.h"

/* The anchor follows the log at this distance, so that it costs nothing. */
#define ANCHOR_EVERY_MS 1000

enum err
log_inside_latch(struct log *l, enum err e)
{
	l->failure = e;
	return e;
}

struct log_anchor
log_inside_anchor(struct log *l)
{
	struct log_anchor a = { .size = l->chain.size, .epoch = l->epoch.id };

	memcpy(a.root, l->root, sizeof a.root);
	l->anchor_size = l->chain.size;
	l->anchor_time = clock_mono();
	return a;
}

static void
move_anchor(struct log *l)
{
	struct log_anchor a;

	if (l->anchor_size == l->chain.size || l->settings.repair)
		return;
	a = log_inside_anchor(l);
	log_anchor_write(l->anchor_fd, &a);
}

static bool
in_reserve(const struct log_record *r)
{
	switch (r->type) {
	case LOG_REVOKE:
	case LOG_LOCK:
	case LOG_RESUME:
	case LOG_DISABLE:
	case LOG_EPOCH:
	case LOG_REPAIR:
		return true;
	case LOG_INTENT:
	case LOG_WRITE:
	case LOG_INDEX:
	case LOG_REFUSAL:
	case LOG_GRANT:
	case LOG_UNLOCK:
	case LOG_ENABLE:
	case LOG_CHECKPOINT:
	case LOG_CONFIG:
	case LOG__COUNT:
		break;
	}
	return false;
}

enum err
log_inside_append(struct log *l, const struct log_record *r, uint64_t *index)
{
	struct log_record placed = *r;
	enum err e;

	placed.index = l->chain.size + l->group.n;
	placed.epoch = l->epoch.id;
	placed.wall = clock_wall();
	placed.boot = clock_mono();
	if ((e = log_group_stage(&l->group, &placed)) != OK)
		return e;
	e = log_room_admit(&l->room, log_group_need(&l->group), in_reserve(r));
	if (e != OK)
		log_group_unstage(&l->group);
	if (e == ERR_AUDIT_UNAVAILABLE)
		return log_inside_latch(l, e);
	if (e != OK)
		return e;
	log_group_add(&l->group);
	l->waiting_lock = log_check_manual_lock(r, l->waiting_lock);
	*index = placed.index;
	return OK;
}

enum err
log_append(struct log *l, const struct log_record *r, uint64_t *index)
{
	if (l->failure != OK)
		return l->failure;
	if (l->settings.repair)
		return ERR_AUDIT_TAMPERED;
	if (r->type == LOG_EPOCH || r->type == LOG_REPAIR)
		return ERR_INVALID_ARGUMENT;
	if (!l->epoch.certified && !log_check_pending_allows(r))
		return ERR_LOCKED;
	if (r->type == LOG_WRITE && l->room.no_space && !l->room.full)
		return ERR_STORAGE_FULL;
	return log_inside_append(l, r, index);
}

bool
log_repairing(const struct log *l)
{
	return l->settings.repair;
}

size_t
log_waiting(const struct log *l)
{
	return l->group.n;
}

/* The commit of the waiting group, and the chain that it makes. */
static enum err
sign_group(struct log *l, struct log_commit *c, struct log_chain *next)
{
	struct span records = log_group_records(&l->group);
	uint8_t signed_commit[LOG_COMMIT_LEN];
	struct wire_out o = wire_out(signed_commit, sizeof signed_commit);
	enum err e;

	*next = l->chain;
	if ((e = log_group_grow(&l->group, &next->tree)) != OK)
		return e;
	next->size += l->group.n;
	next->manual_lock = l->waiting_lock;
	next->epoch = l->epoch;
	next->next_epoch = l->rotating ? l->next : (struct log_epoch){ .begun = false };
	*c = (struct log_commit){ .first = l->chain.size, .count = l->group.n, .size = next->size,
	    .flags = next->manual_lock ? LOG_COMMIT_MANUAL_LOCK : 0, .wall = clock_wall(),
	    .epoch = l->epoch.id };
	merkle_root(&next->tree, c->root);
	memcpy(c->previous, l->chain.previous, sizeof c->previous);
	sha256(records.p, records.len, c->bytes_hash);
	log_commit_sign(c, l->epoch_key);
	log_commit_put(&o, c);
	sha256(signed_commit, sizeof signed_commit, next->previous);
	return OK;
}

/* The order of these calls is the promise of the log: nothing counts before the sync. */
static enum err
write_group(struct log *l, const struct log_commit *c)
{
	struct segment_header header = { .library = l->settings.library, .first = c->first };
	struct log_spot spot;
	struct span bytes;
	enum err e;

	if (!log_room_spot(&l->room, log_group_need(&l->group), &spot))
		return ERR_AUDIT_UNAVAILABLE;
	if ((e = log_dir_intact(&l->dir)) != OK || (e = segment_intact(spot.segment, l->dir.seg_fd)) != OK)
		return e;
	header.number = spot.segment->number;
	header.bytes = spot.segment->bytes;
	memcpy(header.previous, c->previous, sizeof header.previous);
	bytes = log_group_bytes(&l->group, spot.fresh ? &header : NULL, c);
	if (!log_io_write(spot.segment->fd, bytes.p, bytes.len, (off_t)spot.at) ||
	    log_io()->fdatasync(spot.segment->fd) != 0) {
		segment_note_failure(l->dir.seg_fd, spot.segment->number);
		return ERR_AUDIT_UNAVAILABLE;
	}
	log_room_written(&l->room, &spot, bytes.len);
	return OK;
}

enum err
log_commit(struct log *l, const struct log_receipt **receipt)
{
	struct log_chain next;
	struct log_commit c;
	struct wire_out o;
	enum err e;

	if (l->failure != OK)
		return l->failure;
	if (l->group.n == 0) {
		*receipt = NULL;
		return OK;
	}
	if ((e = sign_group(l, &c, &next)) != OK || (e = write_group(l, &c)) != OK)
		return log_inside_latch(l, e);
	log_check_settle(&next, &l->chain.epoch);
	l->chain = next;
	memcpy(l->root, c.root, sizeof l->root);
	log_group_clear(&l->group);
	o = wire_out(l->receipt.bytes, sizeof l->receipt.bytes);
	log_commit_put(&o, &c);
	*receipt = &l->receipt;
	if (clock_mono().ms - l->anchor_time.ms >= ANCHOR_EVERY_MS)
		move_anchor(l);
	return OK;
}

struct span
log_receipt_bytes(const struct log_receipt *r)
{
	return (struct span){ r->bytes, sizeof r->bytes };
}

uint64_t
log_size(const struct log *l)
{
	return l->chain.size;
}

const uint8_t *
log_root(const struct log *l)
{
	return l->root;
}

enum log_state
log_state(const struct log *l)
{
	if (l->failure != OK || l->settings.repair)
		return LOG_FAILED;
	if (l->room.full)
		return LOG_FULL;
	return l->room.no_space ? LOG_LOW : LOG_OK;
}

enum err
log_failure(const struct log *l)
{
	return l->failure;
}

bool
log_manual_lock(const struct log *l)
{
	return l->chain.manual_lock;
}

bool
log_tend(struct log *l)
{
	bool more = false;

	if (l->failure != OK)
		return false;
	if (log_room_tend(&l->room, &more) != OK) {
		log_inside_latch(l, ERR_AUDIT_UNAVAILABLE);
		return false;
	}
	move_anchor(l);
	return more;
}
