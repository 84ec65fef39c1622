/*
 * log_export: a log up to its newest checkpoint as a directory of C2SP
 * tlog-tiles, which any web server can serve: checkpoint, key.pub, tile/….
 * Without entries it is the cache from which proofs are made soon.
 * Source: C2SP tlog-tiles; docs/store-format.md, "Tiles".
 */
#ifndef STORE_LOG_EXPORT_H
#define STORE_LOG_EXPORT_H

#include "mailbox/err.h"
#include "mailbox/wire.h"

struct log_export {
	uint64_t size;     /* of the checkpoint: what the directory holds now */
	uint64_t old_size; /* what it held before; 0: nothing */
	uint64_t n_new;    /* files made */
};

/*
 * Brings the export in `out` to the newest checkpoint of the log. Files appear
 * whole, the checkpoint last and after all else is durable. What an earlier
 * export of this log left is used, once its signed root was found in the log.
 *
 * out   made, with mode 0755 and files of 0644, if it is missing
 *
 * ERR_NOT_FOUND: no log, or no checkpoint yet. ERR_AUDIT_TAMPERED: the log does
 * not hold what its checkpoint says. ERR_AUDIT_DIVERGED: the export holds a
 * later checkpoint, or one with another root than the log has there.
 * ERR_EXPORT_FOREIGN: something in `out` is not this log's. ERR_BUSY,
 * ERR_FILE_UNREADABLE, ERR_FILE_UNWRITABLE, ERR_STORAGE_FULL,
 * ERR_STORAGE_FAILED, ERR_NO_MEMORY. `out` may hold more tiles than before then,
 * never another checkpoint.
 */
enum err log_export(const char *log_dir, const char *out, struct log_export *result);

/*
 * The same for the tiles in log_dir/tile, without entries and not durable.
 *
 * anew  what is there is not used, and replaced where it is something else
 */
enum err log_export_cache(const char *log_dir, bool anew);

#endif
