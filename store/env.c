/*
 * Order of transactions: at most one is open. A look keeps its reader until
 * the next look or the next group, so that spans stay valid between calls and
 * no reader is open while a group is written.
 */
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "store/env_inside.h"

#define ROOM_MIN  ((uint64_t)1 << 20) /* a disk with less is called full */
#define PAGE_COST 4096

static MDB_val
val(struct span s)
{
	/* LMDB takes no const; it does not write through keys and values of a put. */
	return (MDB_val){ .mv_size = s.len, .mv_data = (void *)(uintptr_t)s.p };
}

static struct span
span_of(MDB_val v)
{
	return (struct span){ v.mv_data, v.mv_size };
}

static bool
disk_is_full(const struct env *e)
{
	struct statvfs s;

	return fstatvfs(e->dir_fd, &s) == 0 && (uint64_t)s.f_bavail * s.f_frsize < ROOM_MIN;
}

enum err
env_error(const struct env *e, int rc)
{
	switch (rc) {
	case MDB_SUCCESS:
		return OK;
	case MDB_NOTFOUND:
		return ERR_NOT_FOUND;
	case MDB_CORRUPTED:
	case MDB_PAGE_NOTFOUND:
	case MDB_INVALID:
	case MDB_VERSION_MISMATCH:
	case MDB_INCOMPATIBLE:
		return ERR_STORAGE_CORRUPT;
	case ENOSPC:
	case EDQUOT:
	case MDB_MAP_FULL:
	case MDB_TXN_FULL:
		return ERR_STORAGE_FULL;
	case EIO:
		/* LMDB calls a short write EIO, and that is how most full disks look. */
		return disk_is_full(e) ? ERR_STORAGE_FULL : ERR_STORAGE_FAILED;
	case ENOMEM:
		return ERR_NO_MEMORY;
	default:
		return ERR_STORAGE_FAILED;
	}
}

static void
close_cursors(struct env *e)
{
	for (size_t i = 0; i < ENV_DBS_MAX; i++) {
		if (e->cursor[i] != NULL)
			mdb_cursor_close(e->cursor[i]);
		e->cursor[i] = NULL;
	}
}

void
env_release(struct env *e)
{
	if (e->group != NULL)
		return;
	close_cursors(e);
	if (e->reading)
		mdb_txn_reset(e->reader);
	e->reading = false;
}

enum err
env_look(struct env *e)
{
	int rc;

	if (e->latched != OK)
		return e->latched;
	close_cursors(e);
	if (e->group != NULL)
		return OK;
	env_release(e);
	if (e->reader != NULL)
		rc = mdb_txn_renew(e->reader);
	else
		rc = mdb_txn_begin(e->mdb, NULL, MDB_RDONLY, &e->reader);
	e->reading = rc == 0;
	return env_error(e, rc);
}

enum err
env_rest(struct env *e)
{
	MDB_envinfo info;

	if (e->latched != OK)
		return e->latched;
	if (e->group != NULL)
		return ERR_BUSY;
	env_release(e);
	mdb_env_info(e->mdb, &info);
	return env_remap(e, info.me_mapsize);
}

static MDB_txn *
txn_in_use(const struct env *e)
{
	return e->group != NULL ? e->group : e->reader;
}

enum err
env_get(struct env *e, size_t db, struct span key, struct span *value)
{
	MDB_val k = val(key), v;
	int rc;

	if ((rc = mdb_get(txn_in_use(e), e->dbi[db], &k, &v)) != 0)
		return env_error(e, rc);
	*value = span_of(v);
	return OK;
}

static enum err
move(struct env *e, size_t db, struct span key, MDB_cursor_op how, struct env_row *out)
{
	MDB_val k = val(key), v;
	int rc = 0;

	if (e->cursor[db] == NULL)
		rc = mdb_cursor_open(txn_in_use(e), e->dbi[db], &e->cursor[db]);
	if (rc == 0)
		rc = mdb_cursor_get(e->cursor[db], &k, &v, how);
	if (rc != 0)
		return env_error(e, rc);
	*out = (struct env_row){ span_of(k), span_of(v) };
	return OK;
}

enum err
env_seek(struct env *e, size_t db, struct span key, struct env_row *out)
{
	return move(e, db, key, MDB_SET_RANGE, out);
}

enum err
env_next(struct env *e, size_t db, struct env_row *out)
{
	return move(e, db, (struct span){ NULL, 0 }, MDB_NEXT, out);
}

enum err
env_floor(struct env *e, size_t db, struct span key, struct env_row *out)
{
	struct env_row row = { .key = { NULL, 0 } };
	enum err r = env_seek(e, db, key, &row);

	if (r == ERR_NOT_FOUND)
		r = move(e, db, (struct span){ NULL, 0 }, MDB_LAST, &row);
	else if (r == OK && (row.key.len != key.len || memcmp(row.key.p, key.p, key.len) != 0))
		r = move(e, db, (struct span){ NULL, 0 }, MDB_PREV, &row);
	if (r == OK)
		*out = row;
	return r;
}

bool
env_in_group(const struct env *e)
{
	return e->group != NULL;
}

enum err
env_begin(struct env *e)
{
	enum err r;
	int rc;

	if (e->latched != OK)
		return e->latched;
	if (e->group_error != OK)
		return e->group_error;
	if (e->group != NULL) {
		close_cursors(e);
		return e->group_bytes >= ENV_GROUP_MAX ? ERR_BUSY : OK;
	}
	env_release(e);
	if ((r = env_make_room(e)) != OK)
		return r;
	if ((rc = mdb_txn_begin(e->mdb, NULL, 0, &e->group)) != 0)
		return env_error(e, rc);
	e->group_bytes = 0;
	return OK;
}

enum err
env_fail(struct env *e, enum err why)
{
	env_abort(e);
	e->group_error = why;
	return why;
}

enum err
env_put(struct env *e, size_t db, struct span key, struct span value, bool *existed)
{
	MDB_val k = val(key), v = val(value);
	int rc;

	if (existed != NULL) {
		if ((rc = mdb_put(e->group, e->dbi[db], &k, &v, MDB_NOOVERWRITE)) == 0)
			*existed = false;
		else if (rc == MDB_KEYEXIST)
			*existed = true;
		v = val(value);
		if (rc == MDB_KEYEXIST)
			rc = mdb_put(e->group, e->dbi[db], &k, &v, 0);
	} else {
		rc = mdb_put(e->group, e->dbi[db], &k, &v, 0);
	}
	if (rc != 0)
		return env_fail(e, env_error(e, rc));
	e->group_bytes += value.len + PAGE_COST;
	return OK;
}

enum err
env_delete(struct env *e, size_t db, struct span key)
{
	MDB_val k = val(key);
	int rc = mdb_del(e->group, e->dbi[db], &k, NULL);

	if (rc != 0 && rc != MDB_NOTFOUND)
		return env_fail(e, env_error(e, rc));
	e->group_bytes += PAGE_COST;
	return OK;
}

/* A commit that met a full disk leaves the pages that it did write: gives them back. */
static void
cut_leftover(struct env *e)
{
	size_t used = env_used_bytes(e);
	struct stat s;
	int fd;

	if (mdb_env_get_fd(e->mdb, &fd) == 0 && fstat(fd, &s) == 0 && (size_t)s.st_size > used &&
	    ftruncate(fd, (off_t)used) != 0)
		e->latched = ERR_STORAGE_FAILED;
}

/*
 * Before the meta page is written nothing has changed on disk, and LMDB can go
 * on; a full disk is met there. LMDB itself says when the meta page failed: it
 * gives no transaction any more.
 */
static enum err
commit_failed(struct env *e, int rc)
{
	enum err r = env_error(e, rc);

	if (r != ERR_STORAGE_FULL || env_look(e) != OK) {
		e->latched = ERR_STORAGE_FAILED;
		return ERR_STORAGE_FAILED;
	}
	env_release(e);
	cut_leftover(e);
	return r;
}

enum err
env_commit(struct env *e)
{
	enum err r = e->group_error;
	int rc;

	if (e->latched != OK)
		return e->latched;
	if (r != OK || e->group == NULL) {
		env_abort(e);
		return r;
	}
	close_cursors(e);
	rc = mdb_txn_commit(e->group);
	e->group = NULL;
	return rc == 0 ? OK : commit_failed(e, rc);
}

void
env_abort(struct env *e)
{
	if (e->group != NULL) {
		close_cursors(e);
		mdb_txn_abort(e->group);
	}
	e->group = NULL;
	e->group_error = OK;
}
