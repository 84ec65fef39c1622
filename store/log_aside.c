#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/log_aside.h"
#include "store/log_io.h"

#define QUARANTINE "quarantine"

void
log_aside_name(int quarantine_fd, uint32_t repairs, const char *name, char out[LOG_ASIDE_NAME_LEN])
{
	snprintf(out, LOG_ASIDE_NAME_LEN, "repair-%" PRIu32 "-%s", repairs, name);
	for (unsigned i = 2; log_dir_has(quarantine_fd, out); i++)
		snprintf(out, LOG_ASIDE_NAME_LEN, "repair-%" PRIu32 "-%s.%u", repairs, name, i);
}

enum err
log_aside(const struct log_dir *dir, int at_fd, uint32_t repairs, const char *name)
{
	char aside[LOG_ASIDE_NAME_LEN];

	if (!log_dir_has(at_fd, name))
		return OK;
	log_aside_name(dir->quarantine_fd, repairs, name, aside);
	if (renameat2(at_fd, name, dir->quarantine_fd, aside, RENAME_NOREPLACE) != 0 ||
	    log_io()->fsync(dir->quarantine_fd) != 0 || log_io()->fsync(at_fd) != 0)
		return log_io_failure();
	return OK;
}

static bool
is_ours(int at_fd, const char *name, mode_t type)
{
	struct stat st;

	return fstatat(at_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_mode & S_IFMT) == type &&
	    st.st_uid == geteuid();
}

bool
log_aside_is_our_file(int at_fd, const char *name)
{
	return is_ours(at_fd, name, S_IFREG);
}

/* It cannot be moved into what it stands in the place of. */
static enum err
clear_quarantine(int dir_fd)
{
	char beside[LOG_ASIDE_NAME_LEN];

	if (log_dir_has(dir_fd, QUARANTINE) && !is_ours(dir_fd, QUARANTINE, S_IFDIR)) {
		for (unsigned i = 1; i == 1 || log_dir_has(dir_fd, beside); i++)
			snprintf(beside, sizeof beside, QUARANTINE ".%u", i);
		if (renameat2(dir_fd, QUARANTINE, dir_fd, beside, RENAME_NOREPLACE) != 0)
			return log_io_failure();
	}
	if (mkdirat(dir_fd, QUARANTINE, 0700) != 0 && errno != EEXIST)
		return log_io_failure();
	return log_io()->fsync(dir_fd) == 0 ? OK : log_io_failure();
}

enum err
log_aside_foreign(int dir_fd)
{
	static const struct { const char *name; mode_t type; } places[] = {
		{ "lock", S_IFREG }, { "seg", S_IFDIR }, { "seal", S_IFDIR }, { "anchor", S_IFREG },
		{ "checkpoint", S_IFREG }, { "delegate.pub", S_IFREG }, { "tile", S_IFDIR },
	};
	struct log_dir dir = LOG_DIR_NONE;
	enum err e = clear_quarantine(dir_fd);

	if (e != OK)
		return e;
	dir.quarantine_fd = openat(dir_fd, QUARANTINE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir.quarantine_fd < 0)
		return ERR_AUDIT_UNAVAILABLE;
	for (size_t i = 0; e == OK && i < sizeof places / sizeof *places; i++)
		if (!is_ours(dir_fd, places[i].name, places[i].type))
			e = log_aside(&dir, dir_fd, 0, places[i].name);
	close(dir.quarantine_fd);
	return e;
}
