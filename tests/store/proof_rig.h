/* proof_rig: a log with checkpoints. For the tests of proofs and exports. */
#ifndef TESTS_STORE_PROOF_RIG_H
#define TESTS_STORE_PROOF_RIG_H

#include "store/log_checkpoint.h"
#include "tests/store/log_rig.h"

/* The checkpoint of the whole log as it is now, signed, in the log's folder. */
static inline void
proof_rig_sign(struct log_rig *rig, const struct signer *s)
{
	struct log_verdict v;
	struct log_note n = { .size = 0 };
	char text[LOG_NOTE_MADE_MAX + 1], path[192];

	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	n.size = v.size;
	memcpy(n.root, v.root, sizeof n.root);
	log_key_origin(rig->settings.library, n.origin);
	log_note_sign(&n, s, text);
	log_rig_path(rig, "checkpoint", path);
	log_rig_write_file(path, text, strlen(text));
}

/* A log of `size` records, at least 2, in segments of 64 KiB, and its checkpoint. */
static inline void
proof_rig_grow(struct log_rig *rig, uint64_t size)
{
	struct log_verdict v = { .size = 0 };

	if (rig->log == NULL)
		log_rig_ready(rig);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	for (uint64_t left = size - v.size; left > 0;) {
		size_t n = left < 100 ? (size_t)left : 100;

		log_rig_group(rig, n);
		left -= n;
	}
	proof_rig_sign(rig, rig->log_key);
}

static inline int
proof_rig_start(void **state)
{
	struct log_rig *rig = calloc(1, sizeof *rig);

	log_rig_start(rig, 64 << 10, 64 << 10);
	*state = rig;
	return 0;
}

static inline int
proof_rig_end(void **state)
{
	log_rig_end(*state);
	free(*state);
	return 0;
}

/* Certifies the running epoch by a new delegate for which `by` vouches. */
static inline struct signer *
proof_rig_delegate(struct log_rig *rig, const struct signer *by)
{
	struct signer *delegate;
	struct delegation d;
	struct cert c;

	assert_int_equal(signer_new(&delegate), OK);
	delegation_make(by, rig->settings.library, signer_public(delegate), &d);
	cert_make(delegate, &d, CERT_EPOCH, log_epoch(rig->log), log_epoch_public(rig->log), &c);
	assert_int_equal(log_epoch_certify(rig->log, &c), OK);
	assert_int_equal(log_rig_commit(rig), OK);
	return delegate;
}

/* One byte of a file is another one. */
static inline void
proof_rig_flip(const char *path, off_t at)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint8_t byte;

	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 0x20;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

#endif
