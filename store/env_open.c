#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "store/env_inside.h"

#define MAP_MIN      ((size_t)256 << 20)
#define MAP_ROOM     ((size_t)128 << 20) /* far over what one group can take */
#define READERS_MAX  4
#define LOCK_LEN     4096
#define FLOCK_TRIES  100
#define FLOCK_WAIT_NS 20000000

size_t
env_used_bytes(const struct env *e)
{
	MDB_envinfo info;
	MDB_stat stat;

	mdb_env_info(e->mdb, &info);
	mdb_env_stat(e->mdb, &stat);
	return (info.me_last_pgno + 1) * stat.ms_psize;
}

enum err
env_remap(struct env *e, size_t map_bytes)
{
	int rc = mdb_env_set_mapsize(e->mdb, map_bytes);

	/* LMDB has unmapped the file by then and must not be asked again. */
	if (rc != 0)
		e->latched = ERR_STORAGE_FAILED;
	return e->latched;
}

enum err
env_make_room(struct env *e)
{
	size_t used = env_used_bytes(e);
	MDB_envinfo info;

	mdb_env_info(e->mdb, &info);
	if (info.me_mapsize >= used + MAP_ROOM)
		return OK;
	return env_remap(e, used > MAP_MIN / 4 ? 4 * used : MAP_MIN);
}

/* fcntl locks and shared maps, which LMDB stands on, do not hold over a network. */
static bool
is_network_fs(int dir_fd)
{
	struct statfs s;

	if (fstatfs(dir_fd, &s) != 0)
		return false;
	switch ((unsigned long)s.f_type) {
	case NFS_SUPER_MAGIC:
	case SMB_SUPER_MAGIC:
	case CIFS_SUPER_MAGIC:
	case SMB2_SUPER_MAGIC:
	case AFS_SUPER_MAGIC:
	case CEPH_SUPER_MAGIC:
	case V9FS_MAGIC:
		return true;
	default:
		return false;
	}
}

static enum err
lock_dir(struct env *e, const char *dir)
{
	if ((e->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return ERR_STORAGE_FAILED;
	if (is_network_fs(e->dir_fd))
		return ERR_UNSUPPORTED;
	for (int i = 0; flock(e->dir_fd, LOCK_EX | LOCK_NB) != 0; i++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return ERR_STORAGE_FAILED;
		if (i == FLOCK_TRIES)
			return ERR_BUSY;
		nanosleep(&(struct timespec){ .tv_nsec = FLOCK_WAIT_NS }, NULL);
	}
	return OK;
}

/* LMDB writes to the lock file through a map: on a full disk a hole in it would be SIGBUS. */
static enum err
fill_lock_file(const struct env *e)
{
	static const uint8_t zeros[LOCK_LEN];
	struct stat s;
	enum err r = OK;
	int fd;

	fd = openat(e->dir_fd, "lock.mdb", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return env_error(e, errno);
	if (fstat(fd, &s) != 0)
		r = ERR_STORAGE_FAILED;
	else if (s.st_size < LOCK_LEN && pwrite(fd, zeros, LOCK_LEN, 0) != LOCK_LEN)
		r = env_error(e, EIO);
	close(fd);
	return r;
}

/* Makes holes of what is missing at the end: LMDB answers MDB_CORRUPTED to an empty page, a cut file is SIGBUS. */
static enum err
mend_length(const struct env *e)
{
	size_t used = env_used_bytes(e);
	struct stat s;
	int fd;

	if (mdb_env_get_fd(e->mdb, &fd) != 0 || fstat(fd, &s) != 0)
		return ERR_STORAGE_FAILED;
	if ((s.st_mode & 07777) != 0600 && fchmod(fd, 0600) != 0)
		return ERR_STORAGE_FAILED;
	if ((size_t)s.st_size < used && ftruncate(fd, (off_t)used) != 0)
		return env_error(e, errno);
	return OK;
}

static enum err
open_mdb(struct env *e, const char *dir)
{
	bool is_new = faccessat(e->dir_fd, "data.mdb", F_OK, AT_SYMLINK_NOFOLLOW) != 0;
	int dead, rc;
	enum err r;

	if (mdb_env_create(&e->mdb) != 0)
		return ERR_NO_MEMORY;
	mdb_env_set_maxreaders(e->mdb, READERS_MAX);
	mdb_env_set_maxdbs(e->mdb, ENV_DBS_MAX);
	mdb_env_set_mapsize(e->mdb, MAP_MIN);
	if ((rc = mdb_env_open(e->mdb, dir, MDB_NOTLS, 0600)) != 0) {
		/* Half of the first two pages would be called corrupt for ever. */
		if (is_new)
			unlinkat(e->dir_fd, "data.mdb", 0);
		return env_error(e, rc);
	}
	mdb_reader_check(e->mdb, &dead);
	if ((r = mend_length(e)) != OK)
		return r;
	if (is_new && fsync(e->dir_fd) != 0)
		return ERR_STORAGE_FAILED;
	return env_make_room(e);
}

/* All in one transaction; nothing is written when all are there. */
static enum err
open_dbs(struct env *e, const char *const *names, size_t n_names)
{
	MDB_txn *txn;
	int rc;

	if ((rc = mdb_txn_begin(e->mdb, NULL, 0, &txn)) != 0)
		return env_error(e, rc);
	for (size_t i = 0; i < n_names; i++) {
		if ((rc = mdb_dbi_open(txn, names[i], MDB_CREATE, &e->dbi[i])) != 0) {
			mdb_txn_abort(txn);
			return env_error(e, rc);
		}
	}
	return env_error(e, mdb_txn_commit(txn));
}

enum err
env_open(const char *dir, const char *const *names, size_t n_names, struct env **out)
{
	struct env *e = calloc(1, sizeof *e);
	enum err r;

	if (e == NULL)
		return ERR_NO_MEMORY;
	if ((r = lock_dir(e, dir)) != OK)
		goto close;
	if ((r = fill_lock_file(e)) != OK)
		goto close;
	if ((r = open_mdb(e, dir)) != OK)
		goto close;
	if ((r = open_dbs(e, names, n_names)) != OK)
		goto close;
	*out = e;
	return OK;

close:
	env_close(&e);
	return r;
}

void
env_close(struct env **env)
{
	struct env *e = *env;

	if (e == NULL)
		return;
	env_abort(e);
	env_release(e);
	if (e->reader != NULL)
		mdb_txn_abort(e->reader);
	if (e->mdb != NULL)
		mdb_env_close(e->mdb);
	if (e->dir_fd >= 0)
		close(e->dir_fd);
	free(e);
	*env = NULL;
}
