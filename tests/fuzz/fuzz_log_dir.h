/*
 * fuzz_log_dir: a real small log, and what an input does to its files: bytes
 * changed, cut, copied and zeroed, files removed and exchanged, and hashes made
 * right again behind all that, so that more than the first hash is met.
 */
#ifndef TESTS_FUZZ_FUZZ_LOG_DIR_H
#define TESTS_FUZZ_FUZZ_LOG_DIR_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/log.h"
#include "store/log_frame.h"
#include "store/log_io.h"
#include "store/segment.h"

#define FUZZ_FILES_MAX 12
#define FUZZ_SEGMENT   65536u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_file {
	char    name[64];
	uint8_t bytes[FUZZ_SEGMENT];
	size_t  used; /* zeros behind it, to len */
	size_t  len;
	bool    gone;
};

static char fuzz_dir[128];
static struct log_settings fuzz_settings;
static struct signer *fuzz_key;
static struct fuzz_file fuzz_base[FUZZ_FILES_MAX], fuzz_files[FUZZ_FILES_MAX];
static size_t fuzz_n_files;
static struct log_io fuzz_io;
static const char *const fuzz_folders[] = { ".", "seg", "seal", "quarantine" };

static inline void
fuzz_must(bool holds)
{
	if (!holds)
		abort();
}

static inline int
fuzz_no_sync(int fd)
{
	(void)fd;
	return 0;
}

static inline enum err
fuzz_seal(void *arg, uint8_t **bytes, size_t *len)
{
	(void)arg;
	*len = 5;
	return (*bytes = (uint8_t *)strdup("state")) != NULL ? OK : ERR_NO_MEMORY;
}

static inline bool
fuzz_unseal(void *arg, struct span bytes)
{
	(void)arg;
	return bytes.len == 5 && memcmp(bytes.p, "state", 5) == 0;
}

static inline void
fuzz_path(const char *folder, const char *name, char out[256])
{
	snprintf(out, 256, "%s/%s/%s", fuzz_dir, folder, name);
}

/* Removes the files in a folder, or takes them into the base. */
static inline void
fuzz_each_file(const char *folder, bool take)
{
	char path[256];
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	fuzz_path(folder, "", path);
	if ((dir = opendir(path)) == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		struct fuzz_file *f = &fuzz_base[fuzz_n_files];
		int fd = -1;

		fuzz_path(folder, entry->d_name, path);
		if (lstat(path, &st) != 0 || S_ISDIR(st.st_mode) || !take) {
			(void)unlink(path);
			continue;
		}
		fuzz_must(fuzz_n_files < FUZZ_FILES_MAX && st.st_size <= FUZZ_SEGMENT && (fd = open(path, O_RDONLY)) >= 0);
		snprintf(f->name, sizeof f->name, "%.16s/%.40s", folder, entry->d_name);
		f->len = f->used = (size_t)pread(fd, f->bytes, FUZZ_SEGMENT, 0);
		close(fd);
		while (f->used > 0 && f->bytes[f->used - 1] == 0)
			f->used--;
		fuzz_n_files++;
	}
	closedir(dir);
}

static inline void
fuzz_clear(void)
{
	for (size_t i = 0; i < sizeof fuzz_folders / sizeof *fuzz_folders; i++)
		fuzz_each_file(fuzz_folders[i], false);
}

static inline void
fuzz_end(void)
{
	char path[256];

	fuzz_clear();
	for (size_t i = sizeof fuzz_folders / sizeof *fuzz_folders; i-- > 0;) {
		fuzz_path(fuzz_folders[i], "", path);
		(void)rmdir(path);
	}
	(void)rmdir(fuzz_dir);
	log_io_replace(NULL);
}

static inline void
fuzz_certify(struct log *l)
{
	const struct log_receipt *receipt;
	struct cert c;

	cert_make(fuzz_key, NULL, CERT_EPOCH, log_epoch(l), log_epoch_public(l), &c);
	fuzz_must(log_epoch_certify(l, &c) == OK && log_commit(l, &receipt) == OK);
}

static inline void
fuzz_rotate(struct log *l)
{
	const uint8_t *next_public;
	struct uuid next;
	struct cert c;

	fuzz_must(log_epoch_next(l, &next, &next_public) == OK);
	cert_make(fuzz_key, NULL, CERT_EPOCH, next, next_public, &c);
	fuzz_must(log_epoch_rotate(l, &c) == OK);
}

/* A few long records: two segments, three epochs, two seals. */
static inline void
fuzz_fill(void)
{
	static const uint8_t long_text[LOG_SEALED_MAX] = "ARC1", rows[LOG_REFS_MAX * 2 * UUID_LEN] = "ACM1";
	const struct log_receipt *receipt;
	struct log *l = NULL;
	uint64_t index;

	fuzz_must(log_open(&fuzz_settings, &l) == OK);
	fuzz_certify(l);
	for (uint8_t i = 0; i < 18; i++) {
		struct log_record r = { .type = i % 5 == 0 ? LOG_REFUSAL : LOG_INTENT, .surface = SURFACE_CLI,
			.subject_kind = LOG_GRANT_ID, .op = OP_LIST, .length = i, .subject.b = { 1 }, .asset.b = { i },
			.n_refs = LOG_REFS_MAX, .refs = { rows, sizeof rows }, .sealed = { long_text, sizeof long_text } };

		fuzz_must(log_append(l, &r, &index) == OK);
		if (i % 3 == 0)
			fuzz_must(log_append(l, &(struct log_record){ .type = LOG_REFUSAL }, &index) == OK);
		fuzz_must(log_commit(l, &receipt) == OK);
		if (i % 7 == 6)
			fuzz_rotate(l);
	}
	log_close(&l);
}

static inline void
fuzz_ready(void)
{
	const char *tmp = getenv("TMPDIR");

	if (fuzz_key != NULL)
		return;
	fuzz_must(secret_init(true) == OK && signer_new(&fuzz_key) == OK);
	snprintf(fuzz_dir, sizeof fuzz_dir, "%s/memories-fuzz-XXXXXX", tmp != NULL ? tmp : "/tmp");
	fuzz_must(mkdtemp(fuzz_dir) != NULL);
	(void)atexit(fuzz_end);
	fuzz_io = *log_io();
	fuzz_io.fsync = fuzz_io.fdatasync = fuzz_no_sync;
	log_io_replace(&fuzz_io);
	fuzz_settings = (struct log_settings){ .dir = fuzz_dir, .library.b = { 1 }, .log_public = signer_public(fuzz_key),
		.first_segment_bytes = FUZZ_SEGMENT, .segment_bytes = FUZZ_SEGMENT, .seal = fuzz_seal, .unseal = fuzz_unseal };
	fuzz_fill();
	for (size_t i = 0; i < 3; i++)
		fuzz_each_file(fuzz_folders[i], true);
}

/* Makes the hashes of a segment's header and of its commits right; signatures and roots stay as they are. */
static inline void
fuzz_rehash(struct fuzz_file *f)
{
	struct span bytes = { f->bytes, f->used };
	size_t at = SEGMENT_HEADER_LEN;
	uint8_t previous[SHA256_LEN];
	struct log_frame_group g;

	if (f->used < SEGMENT_HEADER_LEN)
		return;
	sha256(f->bytes, SEGMENT_HEADER_LEN - SHA256_LEN, f->bytes + SEGMENT_HEADER_LEN - SHA256_LEN);
	memcpy(previous, f->bytes + 46, sizeof previous);
	while (at < f->used && log_frame_find_group((struct span){ bytes.p + at, bytes.len - at }, &g)) {
		struct wire_out o = wire_out(f->bytes + at + g.len - LOG_COMMIT_LEN, LOG_COMMIT_LEN);

		memcpy(g.commit.previous, previous, sizeof previous);
		sha256(g.records.p, g.records.len, g.commit.bytes_hash);
		log_commit_put(&o, &g.commit);
		sha256(o.p, LOG_COMMIT_LEN, previous);
		at += g.len;
	}
}

static inline void
fuzz_copy(struct fuzz_file *to, size_t at, const uint8_t *p, size_t len)
{
	if (len == 0 || at >= to->len || len > to->len - at)
		return;
	memmove(to->bytes + at, p, len);
	if (to->used < at + len)
		to->used = at + len;
}

static inline void
fuzz_change(struct wire_in *in)
{
	uint8_t what = wire_take_u8(in);
	struct fuzz_file *f = &fuzz_files[wire_take_u8(in) % fuzz_n_files], *other;
	size_t at = wire_take_u16(in) % (f->used + 300), n;
	struct span bytes;

	switch (what % 8) {
	case 0:
		bytes = wire_take_raw(in, wire_take_u8(in) % 8u);
		fuzz_copy(f, at, bytes.p, bytes.len);
		break;
	case 1:
		if (at < f->len)
			f->bytes[at] ^= (uint8_t)(1u << what / 8 % 8);
		break;
	case 2:
		f->len = f->len < at ? f->len : at;
		f->used = f->used < at ? f->used : at;
		break;
	case 3:
		f->gone = true;
		break;
	case 4:
		other = &fuzz_files[wire_take_u8(in) % fuzz_n_files];
		memcpy(other->bytes, f->bytes, FUZZ_SEGMENT);
		other->used = f->used;
		other->len = f->len;
		break;
	case 5:
		other = &fuzz_files[wire_take_u8(in) % fuzz_n_files];
		n = wire_take_u16(in) % 1024u;
		if (at + n <= f->len)
			fuzz_copy(other, wire_take_u16(in), f->bytes + at, n);
		break;
	case 6:
		n = wire_take_u16(in);
		memset(f->bytes + (at < f->len ? at : 0), 0, at < f->len ? (n < f->len - at ? n : f->len - at) : 0);
		break;
	case 7:
		fuzz_rehash(f);
		break;
	}
}

/* Puts the log there as the input changes it. */
static inline void
fuzz_deploy(struct span input)
{
	struct wire_in in = wire_in(input.p, input.len);
	char path[256];

	fuzz_ready();
	fuzz_clear();
	memcpy(fuzz_files, fuzz_base, fuzz_n_files * sizeof *fuzz_files);
	while (in.len > 0 && !in.failed)
		fuzz_change(&in);
	for (size_t i = 0; i < fuzz_n_files; i++) {
		int fd;

		if (fuzz_files[i].gone)
			continue;
		fuzz_path(".", fuzz_files[i].name, path);
		fuzz_must((fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600)) >= 0 &&
		    pwrite(fd, fuzz_files[i].bytes, fuzz_files[i].used, 0) == (ssize_t)fuzz_files[i].used &&
		    ftruncate(fd, (off_t)fuzz_files[i].len) == 0);
		close(fd);
	}
}

#endif
