/* config: what the owner has set in HOME/config.json. Members that we do not know are left alone. */
#ifndef GATEWAY_CONFIG_H
#define GATEWAY_CONFIG_H

#include <stdbool.h>

#include "escrow/home.h"

/*
 * Says whether a remote is set: by --remote (flag, NULL: not given), by
 * MEMORIES_REMOTE (not empty), or as a string (not empty) in the member
 * `remote` of config.json, which is looked at last.
 *
 * home  NULL: there is none yet, so there is no config.json
 *
 * ERR_CONFIG_INVALID: config.json is not strict JSON with an object, its
 * `remote` is neither string nor null, it is over 64 KiB, or it is not a
 * regular file of one link that only the caller can write. ERR_NO_MEMORY,
 * ERR_STORAGE_FAILED.
 */
enum err config_remote_set(const struct home *home, const char *flag, bool *set);

#endif
