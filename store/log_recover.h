/*
 * log_recover: what is found when the owner opens its directory: the records
 * that count, and where the next group may go.
 */
#ifndef STORE_LOG_RECOVER_H
#define STORE_LOG_RECOVER_H

#include "store/log.h"
#include "store/log_check.h"
#include "store/log_dir.h"
#include "store/log_room.h"

/*
 * Walks the log from its newest seal that holds, keeps the bytes behind the
 * last group of each segment in quarantine/, and sets up room: a segment with
 * such bytes is never written to again.
 *
 * ERR_AUDIT_TAMPERED: what counted before does not hold, an anchor is ahead of
 * the log or beside it, or key.pub names another key. ERR_AUDIT_FULL,
 * ERR_AUDIT_UNAVAILABLE, ERR_NO_MEMORY. On an error room is closed.
 */
enum err log_recover(const struct log_settings *settings, const struct log_dir *dir,
    struct log_chain *chain, struct log_room *room);

#endif
