/*
 * db_anchor: the newest head of the log that an environment's owner was told,
 * kept in a database of its own with each group that is committed, so that a
 * log which was put back shows. Private to the folder.
 * Source: docs/store-format.md, "Anchors in the databases".
 */
#ifndef STORE_DB_ANCHOR_H
#define STORE_DB_ANCHOR_H

#include "store/env.h"
#include "store/log_head.h"

struct db_anchor {
	struct log_head kept;   /* as it lies on the disk; size 0: none */
	struct log_head next;   /* for the next group; size 0: none */
};

/* Reads what lies on the disk. ERR_STORAGE_CORRUPT: it does not have its form. */
enum err db_anchor_load(struct env *env, size_t db, struct db_anchor *a);

/* Takes a head for the groups to come, if it is newer than the one known. */
void db_anchor_note(struct db_anchor *a, const struct log_head *head);

/* The newest that is known, on the disk or not yet; size 0: none. */
struct log_head db_anchor_newest(const struct db_anchor *a);

/* Commits the group, and the head with it. As env_commit. */
enum err db_anchor_commit(struct env *env, size_t db, struct db_anchor *a);

/* A group for the head alone, where one waits. As env_begin and env_commit. */
enum err db_anchor_keep(struct env *env, size_t db, struct db_anchor *a);

#endif
