/*
 * A log of three segments with any bytes of them changed, and cut anywhere:
 * the way through it, and its repair, must end, and a repaired log must be one
 * that opens. Four bytes of input a change: where (24 bits), and what is
 * flipped there; 0 cuts the log.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/log_follow.h"
#include "store/log_io.h"
#include "store/log_repair.h"

#define SEGMENT  ((size_t)64 << 10)
#define SEGMENTS 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static char dir[128], seg[160];
static struct signer *key;
static struct log_settings settings;
static uint8_t whole[SEGMENTS * SEGMENT], changed[SEGMENTS * SEGMENT];

static int
no_sync(int fd)
{
	(void)fd;
	return 0;
}

static const struct log_io quick = { .pread = pread, .pwrite = pwrite, .fdatasync = no_sync, .fsync = no_sync,
	.fallocate = fallocate };

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	return ftw->level > 0 ? remove(path) : 0;
}

static void
must(bool held)
{
	if (!held)
		abort();
}

static void
certify(struct log *l)
{
	const struct log_receipt *receipt;
	struct cert c;

	cert_make(key, NULL, CERT_EPOCH, log_epoch(l), log_epoch_public(l), &c);
	must(log_epoch_certify(l, &c) == OK && log_commit(l, &receipt) == OK);
}

static void
segment_file(size_t i, uint8_t *bytes, size_t n, bool out)
{
	char path[192];
	int fd;

	snprintf(path, sizeof path, "%s/%010zu.seg", seg, i + 1);
	fd = open(path, out ? O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0600);
	must(fd >= 0 && (out ? pwrite(fd, bytes, n, 0) : pread(fd, bytes, n, 0)) >= 0);
	close(fd);
}

/* Once: the log as it is before anything is changed. */
static void
make(void)
{
	const char *tmp = getenv("TMPDIR");
	const struct log_receipt *receipt;
	struct log *l = NULL;

	snprintf(dir, sizeof dir, "%s/memories-fuzz-XXXXXX", tmp != NULL ? tmp : "/tmp");
	must(secret_init(true) == OK && mkdtemp(dir) != NULL && signer_new(&key) == OK);
	snprintf(seg, sizeof seg, "%s/seg", dir);
	log_io_replace(&quick);
	settings = (struct log_settings){ .dir = dir, .library = { { 1 } }, .log_public = signer_public(key),
		.first_segment_bytes = SEGMENT, .segment_bytes = SEGMENT };
	must(log_open(&settings, &l) == OK);
	certify(l);
	for (unsigned i = 0; i < 500; i++) {
		struct log_record r = { .type = LOG_INTENT, .op = OP_READ };
		uint64_t index;

		must(log_append(l, &r, &index) == OK && (i % 5 != 0 || log_commit(l, &receipt) == OK));
	}
	must(log_commit(l, &receipt) == OK);
	log_close(&l);
	for (size_t i = 0; i < SEGMENTS; i++)
		segment_file(i, whole + i * SEGMENT, SEGMENT, false);
}

static void
change(const uint8_t *data, size_t len)
{
	size_t end = sizeof changed;

	memcpy(changed, whole, sizeof changed);
	for (; len >= 4; data += 4, len -= 4) {
		size_t at = ((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % sizeof changed;

		changed[at] ^= data[3];
		if (data[3] == 0 && at < end)
			end = at;
	}
	(void)nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	must(mkdir(seg, 0700) == 0);
	for (size_t i = 0; i < SEGMENTS && i * SEGMENT < end; i++)
		segment_file(i, changed + i * SEGMENT, end - i * SEGMENT < SEGMENT ? end - i * SEGMENT : SEGMENT, true);
}

static void
follow(void)
{
	uint8_t commit[LOG_COMMIT_LEN];
	struct log_follow *f = NULL;
	struct log_point p, q;

	if (log_follow_open(dir, &f) == OK && log_follow_find(f, 2, &p, commit) == OK)
		(void)log_follow_to(f, &p, 502, &q, commit);
	log_follow_close(&f);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct log_repaired what;
	struct log *l = NULL;

	if (key == NULL)
		make();
	change(data, len);
	follow();
	must(log_repair_open(&settings, (struct log_known){ NULL, 0 }, &l, &what) == OK);
	certify(l);
	must(log_repair_finish(l, (struct uuid){ { 0 } }) == OK);
	log_close(&l);
	must(log_open(&settings, &l) == OK && log_size(l) == what.found.size + 4);
	log_close(&l);
	(void)nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return 0;
}
