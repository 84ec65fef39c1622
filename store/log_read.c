#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/log_key.h"
#include "store/log_read.h"
#include "store/log_scan.h"

static enum err
open_dirs(const char *dir, int *dir_fd, int *seg_fd)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int below = -1;
	bool missing;

	if (fd >= 0)
		below = openat(fd, "seg", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (below < 0) {
		missing = errno == ENOENT || errno == ENOTDIR;
		if (fd >= 0)
			close(fd);
		return missing ? ERR_NOT_FOUND : ERR_FILE_UNREADABLE;
	}
	*dir_fd = fd;
	*seg_fd = below;
	return OK;
}

static enum err
read_key(const struct log_verify_options *options, int dir_fd, struct uuid *library,
    uint8_t public_key[SIGN_PUBLIC_LEN])
{
	char origin[LOG_ORIGIN_MAX + 1];
	enum err e;

	e = options->key_file != NULL ? log_key_read(options->key_file, origin, public_key) :
	    log_key_read_at(dir_fd, "key.pub", origin, public_key);
	return e == OK ? log_key_library(origin, library) : e;
}

static void
judge(const struct log_check *k, const struct log_scan *s, struct log_verdict *v)
{
	*v = (struct log_verdict){ .valid = !k->broken, .size = k->chain.size, .bad_index = k->bad_index,
	    .n_epochs = k->chain.n_epochs, .n_pending_epochs = k->chain.n_pending_epochs,
	    .n_repairs = k->chain.n_repairs, .n_lost = k->chain.n_lost };
	merkle_root(&k->chain.tree, v->root);
	if (k->broken) {
		snprintf(v->reason, sizeof v->reason, "%s", k->reason);
	} else if (s->loose && log_check_behind_anchor(k)) {
		/* A torn write is never within the anchor: this counted once. */
		v->valid = false;
		v->bad_index = k->chain.size;
		snprintf(v->reason, sizeof v->reason, "%s",
		    k->reason != NULL ? k->reason : "the header of a segment does not have its form");
	}
}

static enum err
verify_at(const struct log_verify_options *options, int dir_fd, int seg_fd, struct log_verdict *verdict)
{
	uint8_t public_key[SIGN_PUBLIC_LEN];
	struct log_check k = { .depth = options->full ? LOG_CHECK_FULL : LOG_CHECK_FAST,
	    .log_public = public_key };
	struct log_scan s = { .seg_fd = seg_fd, .check = &k, .has_library = true };
	enum err e;

	if ((e = read_key(options, dir_fd, &s.library, public_key)) != OK)
		return e;
	/* Before the walk: a log that grows meanwhile must not seem to be behind it. */
	k.has_anchor = log_anchor_read(dir_fd, &k.anchor);
	if ((e = log_scan(&s)) != OK)
		return e;
	judge(&k, &s, verdict);
	if (verdict->valid && (k.beside_anchor || log_check_behind_anchor(&k)))
		return ERR_AUDIT_DIVERGED;
	return OK;
}

enum err
log_verify(const struct log_verify_options *options, struct log_verdict *verdict)
{
	int dir_fd, seg_fd;
	enum err e;

	if ((e = open_dirs(options->dir, &dir_fd, &seg_fd)) != OK)
		return e;
	e = verify_at(options, dir_fd, seg_fd, verdict);
	close(seg_fd);
	close(dir_fd);
	return e;
}

struct walk {
	uint64_t first;
	bool   (*each)(void *arg, const struct log_record *r);
	void    *arg;
};

static bool
from_first(void *arg, const struct log_record *r)
{
	const struct walk *w = arg;

	return r->index < w->first || w->each(w->arg, r);
}

enum err
log_walk(const char *dir, uint64_t first, bool (*each)(void *arg, const struct log_record *r), void *arg)
{
	struct walk w = { first, each, arg };
	struct log_check k = { .depth = LOG_CHECK_CHAIN, .each = from_first, .arg = &w };
	struct log_scan s = { .check = &k };
	int dir_fd;
	enum err e;

	if ((e = open_dirs(dir, &dir_fd, &s.seg_fd)) != OK)
		return e;
	e = log_scan_from(&s, first);
	close(s.seg_fd);
	close(dir_fd);
	return e == OK && k.broken ? ERR_AUDIT_TAMPERED : e;
}
