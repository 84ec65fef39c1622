/*
 * Any bytes as the second segment of a log whose first holds: the way through
 * them, and their repair, must end; a repaired log must be one that opens.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/log_follow.h"
#include "store/log_repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static char dir[] = "/tmp/memories-fuzz-repair-XXXXXX";
static struct signer *key;
static struct log_settings settings;

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	return ftw->level > 0 ? remove(path) : 0;
}

static void
certify(struct log *l)
{
	const struct log_receipt *receipt;
	struct cert c;

	cert_make(key, NULL, CERT_EPOCH, log_epoch(l), log_epoch_public(l), &c);
	if (log_epoch_certify(l, &c) != OK || log_commit(l, &receipt) != OK)
		abort();
}

static void
make(void)
{
	struct log *l = NULL;

	if (key == NULL) {
		if (secret_init(true) != OK || mkdtemp(dir) == NULL || signer_new(&key) != OK)
			abort();
		settings = (struct log_settings){ .dir = dir, .library = { { 1 } }, .log_public = signer_public(key),
			.first_segment_bytes = 65536, .segment_bytes = 65536 };
	}
	(void)nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	if (log_open(&settings, &l) != OK)
		abort();
	certify(l);
	log_close(&l);
}

static void
follow(void)
{
	uint8_t commit[LOG_COMMIT_LEN];
	struct log_follow *f = NULL;
	struct log_point p, q;

	if (log_follow_open(dir, &f) == OK && log_follow_find(f, 2, &p, commit) == OK)
		(void)log_follow_to(f, &p, 1000, &q, commit);
	log_follow_close(&f);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct log_repaired what;
	struct log *l = NULL;
	char path[64];
	int fd;

	make();
	snprintf(path, sizeof path, "%s/seg/0000000002.seg", dir);
	if ((fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) < 0 || pwrite(fd, data, len, 0) < 0)
		abort();
	close(fd);
	follow();
	if (log_repair_open(&settings, (struct log_known){ NULL, 0 }, &l, &what) != OK)
		abort();
	certify(l);
	if (log_repair_finish(l, (struct uuid){ { 0 } }) != OK)
		abort();
	log_close(&l);
	if (log_open(&settings, &l) != OK)
		abort();
	log_close(&l);
	return 0;
}
