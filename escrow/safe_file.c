#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escrow/random.h"
#include "escrow/safe_dir.h"
#include "escrow/safe_file.h"

#define FILE_MODE 0600

static bool
is_owners_alone(const struct stat *st, mode_t forbidden)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() && st->st_nlink == 1 &&
	    (st->st_mode & forbidden) == 0;
}

/* Reads to the end of the file or of the buffer. */
static enum err
read_all(int fd, uint8_t *buf, size_t cap, size_t *len)
{
	size_t n = 0;
	ssize_t got;

	while (n < cap) {
		got = read(fd, buf + n, cap - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ERR_STORAGE_FAILED;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	*len = n;
	return OK;
}

static enum err
read_checked(int fd, const struct safe_file_rule *rule, struct secret **out)
{
	struct secret *s = NULL;
	struct stat st;
	size_t len;
	enum err e;

	if (fstat(fd, &st) != 0 || !is_owners_alone(&st, rule->forbidden))
		return rule->unsafe;
	if ((uintmax_t)st.st_size > rule->max_len)
		return rule->invalid;

	/* One byte more than it has, so that a file that grows is noticed. */
	if ((e = secret_new((size_t)st.st_size + 1, &s)) != OK)
		return e;
	e = read_all(fd, secret_bytes(s), secret_len(s), &len);
	if (e == OK && len > (size_t)st.st_size)
		e = rule->invalid;
	if (e != OK) {
		secret_free(&s);
		return e;
	}
	secret_cut(s, len);
	*out = s;
	return OK;
}

enum err
safe_file_read(int dir_fd, const char *name, const struct safe_file_rule *rule,
    struct secret **out)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	enum err e;

	if (fd < 0)
		return safe_dir_err(errno, rule->unsafe);
	e = read_checked(fd, rule, out);
	close(fd);
	return e;
}

static enum err
write_all(int fd, struct span bytes)
{
	ssize_t put;

	while (bytes.len > 0) {
		put = write(fd, bytes.p, bytes.len);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return safe_dir_err(errno, ERR_STORAGE_FAILED);
		bytes.p += put;
		bytes.len -= (size_t)put;
	}
	return OK;
}

/* The mode is set again since the umask may have taken bits of it. */
static enum err
fill(int fd, struct span bytes)
{
	enum err e;

	if (fchmod(fd, FILE_MODE) != 0)
		return ERR_STORAGE_FAILED;
	if ((e = write_all(fd, bytes)) != OK)
		return e;
	return fsync(fd) == 0 ? OK : ERR_STORAGE_FAILED;
}

/* Gives the nameless file its name. AT_EMPTY_PATH needs a privilege; /proc needs to be mounted. */
static int
link_nameless(int fd, int dir_fd, const char *name)
{
	char path[32];

	if (linkat(fd, "", dir_fd, name, AT_EMPTY_PATH) == 0)
		return 0;
	if (errno == EEXIST)
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, dir_fd, name, AT_SYMLINK_FOLLOW);
}

static enum err
name_err(int error, enum err exists)
{
	return error == EEXIST ? exists : safe_dir_err(error, ERR_FILE_UNWRITABLE);
}

static enum err
publish_nameless(int fd, int dir_fd, const char *name, struct span bytes, enum err exists)
{
	enum err e = fill(fd, bytes);

	if (e == OK && link_nameless(fd, dir_fd, name) != 0)
		e = name_err(errno, exists);
	close(fd);
	return e;
}

/* For file systems without O_TMPFILE. */
static enum err
publish_renamed(int dir_fd, const char *name, struct span bytes, enum err exists)
{
	char temporary[32];
	uint64_t random;
	enum err e;
	int fd;

	random_bytes(&random, sizeof random);
	snprintf(temporary, sizeof temporary, ".memories-%016" PRIx64, random);
	fd = openat(dir_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	if (fd < 0)
		return safe_dir_err(errno, ERR_FILE_UNWRITABLE);
	e = fill(fd, bytes);
	close(fd);
	if (e == OK && renameat2(dir_fd, temporary, dir_fd, name, RENAME_NOREPLACE) != 0)
		e = name_err(errno, exists);
	if (e != OK)
		(void)unlinkat(dir_fd, temporary, 0);
	return e;
}

enum err
safe_file_publish(int dir_fd, const char *name, struct span bytes, enum err exists)
{
	int fd = openat(dir_fd, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, FILE_MODE);
	enum err e;

	if (fd >= 0)
		e = publish_nameless(fd, dir_fd, name, bytes, exists);
	else if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)
		e = publish_renamed(dir_fd, name, bytes, exists);
	else
		return safe_dir_err(errno, ERR_FILE_UNWRITABLE);
	if (e == OK && fsync(dir_fd) != 0) {
		(void)unlinkat(dir_fd, name, 0);
		e = ERR_STORAGE_FAILED;
	}
	return e;
}

static enum err
overwrite(int fd, off_t len)
{
	static const uint8_t zeros[4096];
	enum err e = OK;

	while (e == OK && len > 0) {
		size_t n = len < (off_t)sizeof zeros ? (size_t)len : sizeof zeros;

		e = write_all(fd, (struct span){ zeros, n });
		len -= (off_t)n;
	}
	if (e == OK && fsync(fd) != 0)
		e = ERR_STORAGE_FAILED;
	return e;
}

/* A file that its owner made read-only is to be overwritten all the same. */
static int
open_to_overwrite(int dir_fd, const char *name)
{
	int flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = openat(dir_fd, name, flags);

	if (fd < 0 && errno == EACCES && fchmodat(dir_fd, name, FILE_MODE, 0) == 0)
		fd = openat(dir_fd, name, flags);
	return fd;
}

/* Failing to overwrite does not stop the unlinking, but is told. */
static enum err
remove_one(int dir_fd, const char *name, enum err unsafe)
{
	int fd = open_to_overwrite(dir_fd, name);
	struct stat st;
	enum err e = OK;

	if (fd >= 0) {
		if (fstat(fd, &st) == 0 && is_owners_alone(&st, 0))
			e = overwrite(fd, st.st_size);
		close(fd);
	}
	if (unlinkat(dir_fd, name, 0) != 0 && errno != ENOENT)
		return errno == EISDIR ? unsafe : ERR_STORAGE_FAILED;
	return e == OK ? OK : ERR_STORAGE_FAILED;
}

static bool
new_name(const char *name, char out[NAME_MAX + 1])
{
	int len = snprintf(out, NAME_MAX + 1, "%s.new", name);

	return len > 0 && len <= NAME_MAX;
}

static enum err
rename_over(int dir_fd, const char *from, const char *to, enum err unsafe)
{
	if (renameat(dir_fd, from, dir_fd, to) != 0)
		return errno == EISDIR ? unsafe : safe_dir_err(errno, ERR_STORAGE_FAILED);
	return fsync(dir_fd) == 0 ? OK : ERR_STORAGE_FAILED;
}

enum err
safe_file_replace(int dir_fd, const char *name, struct span bytes, enum err unsafe)
{
	char fresh[NAME_MAX + 1];
	enum err e;
	int fd;

	if (!new_name(name, fresh))
		return unsafe;
	if ((e = remove_one(dir_fd, fresh, unsafe)) != OK)
		return e;
	fd = openat(dir_fd, fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	if (fd < 0)
		return safe_dir_err(errno, ERR_FILE_UNWRITABLE);
	e = fill(fd, bytes);
	close(fd);
	if (e == OK)
		e = rename_over(dir_fd, fresh, name, unsafe);
	if (e != OK)
		(void)remove_one(dir_fd, fresh, unsafe);
	return e;
}

enum err
safe_file_remove(int dir_fd, const char *name, enum err unsafe)
{
	char fresh[NAME_MAX + 1];
	enum err e, e_fresh = OK;

	e = remove_one(dir_fd, name, unsafe);
	if (new_name(name, fresh))
		e_fresh = remove_one(dir_fd, fresh, unsafe);
	if (e == OK)
		e = e_fresh;
	if (fsync(dir_fd) != 0 && e == OK)
		e = ERR_STORAGE_FAILED;
	return e;
}
