/*
 * log_repair_files: the files of a log under repair: what is found in them, and
 * how they are moved. For log_repair.c.
 */
#ifndef STORE_LOG_REPAIR_FILES_H
#define STORE_LOG_REPAIR_FILES_H

#include "store/log_dir.h"
#include "store/log_repair.h"
#include "store/log_scan.h"

/* What a walk from the first record found. */
struct log_damage {
	bool            broken;
	uint64_t        number;   /* the segment that it lies in; else the last that is in use */
	uint64_t        end;      /* behind the last group there that holds; 0: the header does not */
	struct log_head found;    /* what holds; with the newest count of repairs */
	struct log_head claimed;  /* the highest head that a commit behind the damage claims; size 0: none */
};

/*
 * Gives the folders of ours their modes back, sets aside what stands in the place of
 * one of them or of a file and is none of ours, and holds the log's lock.
 * ERR_AUDIT_TAMPERED: dir itself is none of ours. Otherwise as log_dir_open.
 */
enum err log_repair_files_hold(const char *dir, struct log_dir *out);

/*
 * Takes off what was put behind the end of a segment, the original set aside.
 * No record is lost by it. ERR_AUDIT_FULL, ERR_AUDIT_UNAVAILABLE.
 */
enum err log_repair_files_trim(const struct log_dir *dir);

/* Walks all of it. ERR_AUDIT_UNAVAILABLE, ERR_NO_MEMORY. */
enum err log_repair_files_walk(const struct log_settings *settings, const struct log_dir *dir, struct log_damage *out);

/*
 * Sets aside what does not hold, and every spare: names in quarantine/ begin with "repair-" and
 * `repairs`. From the end of the log to the damage, so that what is left is
 * damaged until the last step. ERR_AUDIT_FULL, ERR_AUDIT_UNAVAILABLE.
 */
enum err log_repair_files_move(const struct log_settings *settings, const struct log_dir *dir,
    const struct log_damage *damage, uint32_t repairs);

#endif
