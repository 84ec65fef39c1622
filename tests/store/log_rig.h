/* log_rig: a log in a directory of its own, with a key to certify its epochs. For the tests of store/log*. */
#ifndef TESTS_STORE_LOG_RIG_H
#define TESTS_STORE_LOG_RIG_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escrow/random.h"
#include "store/log.h"
#include "store/log_frame.h"
#include "store/log_io.h"
#include "store/log_read.h"
#include "store/segment.h"
#include "tests/support/check.h"

struct log_rig {
	char                dir[128];
	struct signer      *log_key;
	struct log_settings settings;
	struct log         *log;
	uint64_t            n_seen;   /* records that the last open found, in a seal or on its walk */
	uint64_t            n_walked; /* on its walk */
	enum log_type       last_seen;
	bool                takes_no_state;
};

static inline void
log_rig_count(void *arg, const struct log_record *r)
{
	struct log_rig *rig = arg;

	rig->n_seen++;
	rig->n_walked++;
	rig->last_seen = r->type;
}

static inline enum err
log_rig_seal(void *arg, uint8_t **bytes, size_t *len)
{
	const struct log_rig *rig = arg;
	uint64_t size = log_size(rig->log);
	struct wire_out o;

	*bytes = malloc(sizeof size);
	assert_non_null(*bytes);
	o = wire_out(*bytes, sizeof size);
	wire_put_u64(&o, size);
	*len = o.len;
	return OK;
}

static inline bool
log_rig_unseal(void *arg, struct span bytes)
{
	struct log_rig *rig = arg;
	struct wire_in in = wire_in(bytes.p, bytes.len);
	uint64_t size = wire_take_u64(&in);

	if (rig->takes_no_state || !wire_done(&in))
		return false;
	rig->n_seen = size;
	return true;
}

static inline void
log_rig_start(struct log_rig *rig, uint64_t first_segment_bytes, uint64_t segment_bytes)
{
	const char *tmp = getenv("TMPDIR");
	int len;

	assert_int_equal(secret_init(true), OK);
	memset(rig, 0, sizeof *rig);
	len = snprintf(rig->dir, sizeof rig->dir, "%s/memories-log-XXXXXX", tmp != NULL ? tmp : "/tmp");
	assert_in_range(len, 1, sizeof rig->dir - 1);
	assert_non_null(mkdtemp(rig->dir));
	assert_int_equal(signer_new(&rig->log_key), OK);
	rig->settings = (struct log_settings){ .dir = rig->dir, .library = uuid_make(clock_wall()),
	    .log_public = signer_public(rig->log_key), .first_segment_bytes = first_segment_bytes,
	    .segment_bytes = segment_bytes, .on_record = log_rig_count, .seal = log_rig_seal,
	    .unseal = log_rig_unseal, .arg = rig };
}

static inline int
log_rig_remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void
log_rig_remove(const char *dir)
{
	nftw(dir, log_rig_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void
log_rig_end(struct log_rig *rig)
{
	log_io_replace(NULL);
	log_close(&rig->log);
	signer_free(&rig->log_key);
	log_rig_remove(rig->dir);
}

/* The two of a test whose *state is a rig with the smallest segments. */
static inline int
log_rig_setup(void **state)
{
	struct log_rig *rig = malloc(sizeof *rig);

	assert_non_null(rig);
	log_rig_start(rig, SEGMENT_BYTES_MIN, SEGMENT_BYTES_MIN);
	*state = rig;
	return 0;
}

static inline int
log_rig_teardown(void **state)
{
	log_rig_end(*state);
	free(*state);
	return 0;
}

static inline enum err
log_rig_open(struct log_rig *rig)
{
	rig->n_seen = rig->n_walked = 0;
	return log_open(&rig->settings, &rig->log);
}

static inline struct cert
log_rig_cert(struct log_rig *rig)
{
	struct cert c;

	cert_make(rig->log_key, NULL, CERT_EPOCH, log_epoch(rig->log), log_epoch_public(rig->log), &c);
	return c;
}

static inline void
log_rig_certify(struct log_rig *rig)
{
	struct cert c = log_rig_cert(rig);
	const struct log_receipt *receipt;

	assert_int_equal(log_epoch_certify(rig->log, &c), OK);
	assert_int_equal(log_commit(rig->log, &receipt), OK);
}

/* The next epoch runs, certified or not. */
static inline void
log_rig_rotate(struct log_rig *rig, bool certified)
{
	const uint8_t *next_public;
	struct uuid next;
	struct cert c;

	assert_int_equal(log_epoch_next(rig->log, &next, &next_public), OK);
	cert_make(rig->log_key, NULL, CERT_EPOCH, next, next_public, &c);
	assert_int_equal(log_epoch_rotate(rig->log, certified ? &c : NULL), OK);
}

/* Opened and certified: two records. */
static inline void
log_rig_ready(struct log_rig *rig)
{
	assert_int_equal(log_rig_open(rig), OK);
	log_rig_certify(rig);
}

static inline struct log_record
log_rig_record(enum log_type type)
{
	struct log_record r = { .type = type, .outcome = LOG_DONE, .surface = SURFACE_CLI,
	    .subject_kind = LOG_GRANT_ID, .op = OP_READ, .offset = 7, .length = 4096, .n_chunks = 1,
	    .ask_id = 41, .reason = "" };

	memset(r.subject.b, 1, UUID_LEN);
	memset(r.vault.b, 2, UUID_LEN);
	memset(r.asset.b, 3, UUID_LEN);
	memset(r.revision.b, 4, UUID_LEN);
	memset(r.ticket_hash, 5, sizeof r.ticket_hash);
	return r;
}

static inline enum err
log_rig_append(struct log_rig *rig, enum log_type type)
{
	struct log_record r = log_rig_record(type);
	uint64_t index;

	return log_append(rig->log, &r, &index);
}

static inline enum err
log_rig_commit(struct log_rig *rig)
{
	const struct log_receipt *receipt;

	return log_commit(rig->log, &receipt);
}

/* A group of n intents, on the disk. */
static inline void
log_rig_group(struct log_rig *rig, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
	assert_int_equal(log_rig_commit(rig), OK);
}

static inline enum err
log_rig_verify(const char *dir, struct log_verdict *v)
{
	struct log_verify_options o = { .dir = dir, .full = true };

	return log_verify(&o, v);
}

static inline void
log_rig_assert_valid(const char *dir, uint64_t size)
{
	struct log_verdict v;

	assert_int_equal(log_rig_verify(dir, &v), OK);
	if (!v.valid)
		fail_msg("not valid at %llu: %s", (unsigned long long)v.bad_index, v.reason);
	assert_int_equal(v.size, size);
}

static inline void
log_rig_path(const struct log_rig *rig, const char *name, char out[192])
{
	snprintf(out, 192, "%s/%s", rig->dir, name);
}

/* The file of the i-th segment, from 0. */
static inline void
log_rig_segment_path(const struct log_rig *rig, size_t i, char out[192])
{
	char name[32];

	snprintf(name, sizeof name, "seg/%010zu.seg", i + 1);
	log_rig_path(rig, name, out);
}

/* The whole file; freed by the caller. */
static inline uint8_t *
log_rig_read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *bytes;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	bytes = calloc(1, (size_t)st.st_size + 1);
	assert_non_null(bytes);
	assert_int_equal(pread(fd, bytes, (size_t)st.st_size, 0), st.st_size);
	close(fd);
	*len = (size_t)st.st_size;
	return bytes;
}

static inline void
log_rig_write_file(const char *path, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, len, 0), len);
	close(fd);
}

/* Where the groups of a segment's bytes end; offs[0] is the end of the header. Returns how many groups. */
static inline size_t
log_rig_groups(const uint8_t *bytes, size_t len, size_t *ends, size_t max)
{
	struct log_frame_group g;
	size_t at = SEGMENT_HEADER_LEN, n = 0;

	ends[0] = at;
	while (n + 1 < max && log_frame_find_group((struct span){ bytes + at, len - at }, &g)) {
		at += g.len;
		ends[++n] = at;
	}
	return n;
}

#endif
