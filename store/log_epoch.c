/* The epochs of an open log: how one begins, is certified, and ends for the next. */
#include <stdlib.h>
#include <string.h>

#include "escrow/random.h"
#include "store/log_inside.h"
#include "store/log_seal.h"

#define EPOCH_RECORDS 65536
#define EPOCH_MS      600000

static const struct log_record epoch_record = { .type = LOG_EPOCH, .subject_kind = LOG_DAEMON };

struct uuid
log_epoch(const struct log *l)
{
	return l->epoch.id;
}

const uint8_t *
log_epoch_public(const struct log *l)
{
	return l->epoch.public_key;
}

bool
log_epoch_certified(const struct log *l)
{
	return l->epoch.certified;
}

static enum err
make_epoch(struct log_epoch *epoch, struct signer **key)
{
	enum err e;

	if ((e = signer_new(key)) != OK)
		return e;
	*epoch = (struct log_epoch){ .begun = true, .id = uuid_make(clock_wall()) };
	memcpy(epoch->public_key, signer_public(*key), SIGN_PUBLIC_LEN);
	return OK;
}

static void
note_begin(struct log *l)
{
	l->epoch_first = l->chain.size;
	l->epoch_began = clock_mono();
}

enum err
log_inside_begin_epoch(struct log *l)
{
	struct log_record r = epoch_record;
	uint8_t extra[LOG_EPOCH_EXTRA_MAX];
	const struct log_receipt *receipt;
	uint64_t index;
	enum err e;

	if ((e = make_epoch(&l->epoch, &l->epoch_key)) != OK)
		return e;
	r.extra = log_check_put_begin(l->epoch.public_key, extra);
	if ((e = log_inside_append(l, &r, &index)) != OK || (e = log_commit(l, &receipt)) != OK)
		return e;
	note_begin(l);
	return OK;
}

const uint8_t *
log_epoch_delegate(const struct log *l)
{
	return l->epoch.certified && l->certificate.delegated ? l->certificate.delegation.delegate : NULL;
}

static bool
is_delegate(const struct log *l, const struct cert *c)
{
	const uint8_t *delegate = log_epoch_delegate(l);

	return delegate != NULL && memcmp(delegate, c->delegation.delegate, SIGN_PUBLIC_LEN) == 0;
}

enum err
log_epoch_certify(struct log *l, const struct cert *c)
{
	struct log_record r = epoch_record;
	uint8_t extra[LOG_EPOCH_EXTRA_MAX];
	uint64_t index;
	enum err e;

	if (l->failure != OK)
		return l->failure;
	if (!log_check_cert(c, &l->epoch, l->log_public))
		return ERR_INVALID_ARGUMENT;
	if (l->epoch.certified && (!c->delegated || is_delegate(l, c)))
		return OK;
	r.extra = log_check_put_cert(c, extra);
	if ((e = log_inside_append(l, &r, &index)) != OK)
		return e;
	l->epoch.certified = true;
	l->certificate = *c;
	return OK;
}

bool
log_epoch_due(const struct log *l)
{
	uint64_t records = l->settings.epoch_records != 0 ? l->settings.epoch_records : EPOCH_RECORDS;
	uint64_t ms = l->settings.epoch_ms != 0 ? l->settings.epoch_ms : EPOCH_MS;

	return l->failure == OK && !l->settings.repair && (l->chain.size - l->epoch_first >= records ||
	    clock_mono().ms - l->epoch_began.ms >= ms);
}

enum err
log_epoch_next(struct log *l, struct uuid *epoch, const uint8_t **public_key)
{
	enum err e;

	if (!l->next.begun && (e = make_epoch(&l->next, &l->next_key)) != OK)
		return e;
	*epoch = l->next.id;
	*public_key = l->next.public_key;
	return OK;
}

/* Without a seal the log is only slower to open. */
static void
seal(const struct log *l, uint8_t hash[SHA256_LEN])
{
	struct log_seal s = { .chain = l->chain, .certificate = l->certificate,
	    .segment = l->room.current.number, .end = l->room.end };
	uint8_t *state = NULL, made[SHA256_LEN];

	if (!l->chain.epoch.certified || l->settings.seal == NULL ||
	    l->settings.seal(l->settings.arg, &state, &s.state.len) != OK)
		return;
	s.state.p = state;
	if (log_seal_segments(l->dir.seg_fd, s.segment, s.segments) &&
	    log_seal_write(l->dir.seal_fd, &s, made) == OK)
		memcpy(hash, made, sizeof made);
	free(state);
}

/* A seal is used for a log that is anchored behind it only, so the anchor follows at once. */
static void
settle_seal(struct log *l)
{
	struct log_anchor a = log_inside_anchor(l);

	if (log_anchor_sync(l->anchor_fd, &a) == OK)
		log_seal_prune(l->dir.seal_fd);
}

/* Only now that nothing is left for it to sign may the old key go, and it must. */
static void
take_next(struct log *l, const struct cert *c)
{
	signer_free(&l->epoch_key);
	l->epoch_key = l->next_key;
	l->next_key = NULL;
	l->next = (struct log_epoch){ .begun = false };
	l->epoch = l->chain.epoch;
	if (c != NULL)
		l->certificate = *c;
	note_begin(l);
}

enum err
log_epoch_rotate(struct log *l, const struct cert *c)
{
	struct log_rotation rotation = { .next = l->next.id, .certificate = c };
	struct log_record r = epoch_record;
	uint8_t extra[LOG_EPOCH_EXTRA_MAX];
	const struct log_receipt *receipt;
	uint64_t index;
	enum err e;

	if (l->failure != OK)
		return l->failure;
	if (!l->next.begun || (c != NULL && !log_check_cert(c, &l->next, l->log_public)))
		return ERR_INVALID_ARGUMENT;
	if (l->group.n != 0)
		return ERR_BUSY;
	memcpy(rotation.next_public, l->next.public_key, sizeof rotation.next_public);
	seal(l, rotation.seal_hash);
	r.extra = log_check_put_rotation(&rotation, extra);
	if ((e = log_inside_append(l, &r, &index)) != OK)
		return e;
	l->next.certified = c != NULL;
	l->rotating = true;
	e = log_commit(l, &receipt);
	l->rotating = false;
	if (e != OK)
		return e;
	take_next(l, c);
	settle_seal(l);
	return OK;
}
