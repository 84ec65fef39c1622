/* env_inside: what env.c and env_open.c share. */
#ifndef STORE_ENV_INSIDE_H
#define STORE_ENV_INSIDE_H

#include <lmdb.h>

#include "store/env.h"

struct env {
	MDB_env    *mdb;
	int         dir_fd;       /* holds the flock */
	MDB_dbi     dbi[ENV_DBS_MAX];
	MDB_txn    *reader;       /* kept for the next look; reset while reading is false */
	bool        reading;
	MDB_txn    *group;
	size_t      group_bytes;
	enum err    group_error;  /* why the group was forgotten */
	enum err    latched;
	MDB_cursor *cursor[ENV_DBS_MAX]; /* of the transaction in use */
};

/* What a return code of LMDB or an errno means. */
enum err env_error(const struct env *e, int rc);

/* Makes the map larger when a group might not fit. With no transaction open. */
enum err env_make_room(struct env *e);

/* Maps the file anew at its size. With no transaction open. */
enum err env_remap(struct env *e, size_t map_bytes);

/* Bytes of the file that pages in use may lie in. */
size_t env_used_bytes(const struct env *e);

#endif
