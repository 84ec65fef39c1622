/*
 * env: named databases of small records, ordered by key, in one LMDB
 * environment. The only files that know LMDB are env.c and env_open.c.
 *
 * Used from one thread at a time. Writes collect in one transaction, the
 * group, until env_commit; reads see the group while there is one. Spans that
 * come out point into the map: they end at the next env_look, env_begin,
 * env_put, env_delete, env_release or end of the group.
 *
 * Durability is LMDB's default: a commit is one fdatasync and one synced write
 * of a meta page. Keys are 1 .. ENV_KEY_MAX bytes.
 *
 * Every call may return
 *   ERR_STORAGE_FULL     no room on the disk; the group is forgotten whole
 *   ERR_STORAGE_FAILED   a read, write or sync failed; after a failed commit it
 *                        is latched: every later call returns it
 *   ERR_STORAGE_CORRUPT  LMDB found a page that is none of its own
 *   ERR_NO_MEMORY
 * A write that fails so also forgets the group, and env_commit tells it again.
 */
#ifndef STORE_ENV_H
#define STORE_ENV_H

#include "mailbox/err.h"
#include "mailbox/wire.h"

#define ENV_DBS_MAX   24
#define ENV_KEY_MAX   64
#define ENV_GROUP_MAX ((size_t)32 << 20) /* bytes in a group; each write counts a page more than its value */

struct env;

/* One record. */
struct env_row {
	struct span key;
	struct span value;
};

/*
 * Opens or makes the environment in dir (exists) with these databases, which
 * are named db 0 .. n_names - 1 from here on. Takes the directory's flock,
 * waiting up to 2 s for a late predecessor, and makes files of mode 0600.
 *
 * ERR_BUSY: another process, or this one, holds it. ERR_UNSUPPORTED: the
 * directory is on a network file system.
 */
enum err env_open(const char *dir, const char *const *names, size_t n_names, struct env **out);

/* Forgets an open group. Sets the pointer to NULL; accepts NULL inside. */
void env_close(struct env **e);

/* Starts a read: a fresh snapshot of what is committed, or the open group. */
enum err env_look(struct env *e);

/* Ends what env_look began, so that old pages can be used again. Leaves a group alone. */
void env_release(struct env *e);

/* For idle times: releases, and gives the map's resident pages back to the system. Not within a group. */
enum err env_rest(struct env *e);

/* All four after env_look or env_begin. ERR_NOT_FOUND. */
enum err env_get(struct env *e, size_t db, struct span key, struct span *value);
enum err env_seek(struct env *e, size_t db, struct span key, struct env_row *out);  /* the first at or after key */
enum err env_floor(struct env *e, size_t db, struct span key, struct env_row *out); /* the last at or before key */
enum err env_next(struct env *e, size_t db, struct env_row *out); /* after the last seek, floor or next of this db */

/* Begins the group, or goes on with it. ERR_BUSY: it holds ENV_GROUP_MAX; commit first. */
enum err env_begin(struct env *e);
bool     env_in_group(const struct env *e);

/* *existed may be NULL. */
enum err env_put(struct env *e, size_t db, struct span key, struct span value, bool *existed);
enum err env_delete(struct env *e, size_t db, struct span key); /* OK when there is none */

/* Forgets the group as if a write had failed with why; returns why. */
enum err env_fail(struct env *e, enum err why);

/* Makes the group durable. OK without one. */
enum err env_commit(struct env *e);

/* Forgets the group and its failure. */
void env_abort(struct env *e);

#endif
