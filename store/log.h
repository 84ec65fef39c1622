/*
 * log: the signed, append-only Merkle log (RFC 6962 hashing) in prewritten
 * segment files, with group commit. One process owns it; see log_read.h for
 * everybody else.
 *
 * A record counts only when the commit frame after it is on the disk and its
 * signature verifies. Any failure of a write or a sync, and any sign that the
 * files were changed from outside, is latched: nothing is retried, and every
 * later call answers the same error until the log is opened anew.
 * Source: docs/store-format.md, "The log".
 */
#ifndef STORE_LOG_H
#define STORE_LOG_H

#include "escrow/cert.h"
#include "store/log_record.h"

struct log;

enum log_state {
	LOG_OK,
	LOG_LOW,    /* no room for a spare segment: reads go on, new content is refused */
	LOG_FULL,   /* no spare left: only lock, revoke, disable, resume, repair and epoch records are taken */
	LOG_FAILED, /* latched */
};

struct log_settings {
	const char *dir;                  /* exists, mode 0700; relative to the working directory */
	struct uuid library;              /* the origin is "memories/" and this id */
	const uint8_t *log_public;        /* 32 bytes */
	uint64_t    first_segment_bytes;  /* 0: 4 MiB; otherwise 64 KiB .. 1 GiB */
	uint64_t    segment_bytes;        /* 0: 64 MiB; the same range */
	uint64_t    epoch_records;        /* an epoch that holds so many is due to end; 0: 65,536 */
	uint64_t    epoch_ms;             /* and one that is so old; 0: 10 minutes */
	/*
	 * Called for each record found that counts, in order, while the log is opened:
	 * from the first, or from the newest seal whose state unseal took. May be NULL.
	 */
	void      (*on_record)(void *arg, const struct log_record *r);
	/*
	 * What the owner made of the records so far, as bytes to be kept in a seal: at
	 * most 8 MiB, malloc'ed; the log frees them. On an error no seal is made.
	 */
	enum err  (*seal)(void *arg, uint8_t **bytes, size_t *len);
	/* Takes such bytes back in place of what it has; false: they are none, and nothing changed. Both or neither. */
	bool      (*unseal)(void *arg, struct span bytes);
	void       *arg;
	bool        repair;               /* set by log_repair_open alone */
};

/*
 * Opens or makes the log: takes the directory's flock (waiting up to 2 s for a
 * late predecessor), walks the frames from the newest seal on, copies what lies
 * after the last valid frame to quarantine/, writes key.pub if it is missing,
 * readies a segment and begins a pending epoch, whose record is durable when
 * this returns OK.
 *
 * ERR_BUSY: another process holds it. ERR_AUDIT_TAMPERED: the files, the
 * anchor or key.pub disagree. ERR_AUDIT_UNAVAILABLE: a read, write or sync
 * failed. ERR_AUDIT_FULL: no room for the epoch record, or for a segment that
 * is needed. ERR_INVALID_ARGUMENT: a segment size. ERR_NO_MEMORY.
 */
enum err log_open(const struct log_settings *settings, struct log **out);

/* Forgets what waits, and syncs the anchor unless the log is latched. */
void log_close(struct log **l);

/* The running epoch: what a certificate must name and cover. */
struct uuid    log_epoch(const struct log *l);
const uint8_t *log_epoch_public(const struct log *l);

/*
 * Certifies the running epoch: puts an epoch record with the certificate into
 * the group, or nothing when the epoch is certified already. A delegate that
 * did not certify it is put even then: whoever reads a checkpoint that it
 * signed finds it there.
 * ERR_INVALID_ARGUMENT when the certificate does not hold for this epoch under
 * the log's public key; otherwise the errors of log_append.
 */
enum err log_epoch_certify(struct log *l, const struct cert *c);
bool     log_epoch_certified(const struct log *l);

/* The delegate of the running epoch's newest certificate; NULL: the log key signed that. Borrowed. */
const uint8_t *log_epoch_delegate(const struct log *l);

/*
 * The key of the epoch that is to follow: made by the first call, the same
 * until log_epoch_rotate has put it in force. So it can be certified before it
 * runs. ERR_NO_MEMORY.
 *
 * *public_key  32 bytes, borrowed until then
 */
enum err log_epoch_next(struct log *l, struct uuid *epoch, const uint8_t **public_key);

/* Is the running epoch old or long enough to end? What is idle need not be asked; what is being repaired never is. */
bool log_epoch_due(const struct log *l);

/*
 * Ends the running epoch for that of log_epoch_next, with a record that the
 * old key signs, durable when this returns OK; then the old key is wiped. With
 * the state of the owner (settings: seal) it first seals what counts, so the
 * owner's state must be that of the records that count.
 *
 * c  for the next epoch; NULL: it runs pending until log_epoch_certify
 *
 * ERR_BUSY: records wait; commit first. ERR_INVALID_ARGUMENT: c does not hold
 * for the next epoch, or there is none. Of log_append and log_commit otherwise;
 * then the old epoch runs on unless the log is latched.
 */
enum err log_epoch_rotate(struct log *l, const struct cert *c);

/*
 * Puts a record into the waiting group; nothing is written yet. The spans of r
 * are copied.
 *
 * *index is its place, if the group's commit succeeds.
 * ERR_LOCKED: the epoch is pending and this type must wait for a certificate.
 * ERR_STORAGE_FULL: LOG_LOW, and the record is of new content.
 * ERR_BUSY: the group is full (512 records, 256 KiB, or what a small segment
 * holds); commit first.
 * ERR_INVALID_ARGUMENT: the record is outside its limits, or an epoch or repair
 * record. ERR_AUDIT_TAMPERED: the log is being repaired, or was changed from
 * outside. ERR_AUDIT_FULL, ERR_AUDIT_UNAVAILABLE: see log_state.
 */
enum err log_append(struct log *l, const struct log_record *r, uint64_t *index);

/* Was it opened by log_repair_open, and not ended by log_repair_finish? It takes no record then and is LOG_FAILED. */
bool log_repairing(const struct log *l);

/* How many records wait for log_commit. */
size_t log_waiting(const struct log *l);

/*
 * Proof that a group is on the disk: made by log_commit and by nothing else.
 * An ack can only be built from one (escrow/ack.h takes its bytes).
 */
struct log_receipt;

/*
 * Makes the waiting group durable: one write, one fdatasync. An empty group is
 * OK and has no receipt: *receipt is NULL.
 *
 * *receipt is borrowed, valid until the next log_append.
 * On any error none of the group counts and the log is latched.
 */
enum err log_commit(struct log *l, const struct log_receipt **receipt);

/* The signed body of the group's commit frame and its signature, as they lie on disk. */
struct span log_receipt_bytes(const struct log_receipt *r);

uint64_t       log_size(const struct log *l);             /* records that count */
const uint8_t *log_root(const struct log *l);             /* 32 bytes */
enum log_state log_state(const struct log *l);
enum err       log_failure(const struct log *l);          /* OK, or why it is latched */
bool           log_manual_lock(const struct log *l);      /* the newest lock or resume record is a lock */

/*
 * Idle work: writes 4 MiB of the next spare segment while fewer than two are there, and
 * brings the anchor up to date. Returns true if there is more to do. Without
 * room for a spare it asks again at each call. Never on the path of a read.
 */
bool log_tend(struct log *l);

#endif
