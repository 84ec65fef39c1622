/*
 * log_read: the log from its files alone, for anybody: verify and show. Every
 * byte read here is hostile input.
 */
#ifndef STORE_LOG_READ_H
#define STORE_LOG_READ_H

#include "store/log_commit.h"
#include "store/log_record.h"

struct log_verdict {
	bool     valid;
	uint64_t size;              /* records that count */
	uint8_t  root[SHA256_LEN];
	uint64_t bad_index;         /* when not valid: the first record that does not hold */
	char     reason[128];       /* when not valid: why, in words, no file content */
	uint64_t n_epochs;
	uint64_t n_pending_epochs;  /* never certified; they hold refusals, failed unlocks and locks only */
	uint64_t n_repairs;         /* repair records */
	uint64_t n_lost;            /* records that they gave up, as far as sizes tell */
};

struct log_verify_options {
	const char    *dir;
	const char    *key_file;    /* NULL: DIR/key.pub */
	bool           full;        /* check every commit signature, not one an epoch and the last */
};

/*
 * Walks every segment: frames, hashes, the chain of commits, epochs and their
 * certificates, indices without gaps, the anchor, the checkpoint.
 *
 * OK with verdict->valid false is a log that does not hold. ERR_NOT_FOUND: no
 * log there. ERR_FILE_UNREADABLE: a file cannot be read. ERR_INVALID_CONTENT:
 * the key file is none. ERR_AUDIT_DIVERGED: valid, but behind or beside the
 * anchor or the checkpoint; the verdict is filled in then too. Also: no segment is left of the log that
 * they know; the verdict is not touched. The log may be written meanwhile.
 */
enum err log_verify(const struct log_verify_options *options, struct log_verdict *verdict);

/*
 * Calls each() for the records first .. that count, in order, until it returns
 * false. Checks frames and commits as it goes and stops at the first that does
 * not hold; signatures are left to log_verify. Record spans are borrowed until
 * each() returns.
 *
 * ERR_AUDIT_TAMPERED: it stopped at damage to what counted. ERR_NOT_FOUND,
 * ERR_FILE_UNREADABLE.
 */
enum err log_walk(const char *dir, uint64_t first,
    bool (*each)(void *arg, const struct log_record *r), void *arg);

#endif
