/* config: what the owner has set in HOME/config.json. Members that we do not know are left alone. */
#ifndef GATEWAY_CONFIG_H
#define GATEWAY_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "escrow/home.h"

/*
 * Says whether a remote is set: by --remote (flag, NULL: not given), by
 * MEMORIES_REMOTE (not empty), or as a string (not empty) in the member
 * `remote` of config.json, which is looked at last.
 *
 * home  NULL: there is none yet, so there is no config.json
 *
 * ERR_CONFIG_INVALID: config.json is not strict JSON with an object, a member
 * that we know has not its form, it is over 64 KiB, or it is not a
 * regular file of one link that only the caller can write. ERR_NO_MEMORY,
 * ERR_STORAGE_FAILED.
 */
enum err config_remote_set(const struct home *home, const char *flag, bool *set);

#define CONFIG_IDLE_LOCK_S     (15u * 60)
#define CONFIG_IDLE_LOCK_S_MAX (7u * 24 * 60 * 60)

/*
 * After how many seconds without its owner the library locks by itself: the
 * member `idle_lock_seconds`, 0 .. CONFIG_IDLE_LOCK_S_MAX, or CONFIG_IDLE_LOCK_S
 * without one; 0: never. Errors as above.
 */
enum err config_idle_lock(const struct home *home, uint64_t *seconds);

#endif
