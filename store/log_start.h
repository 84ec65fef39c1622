/*
 * log_start: where the walk of a log begins that its owner opens: behind the
 * newest seal that stands for all before it, or at the first record.
 *
 * Whatever is odd about a seal, or about what it stands for, only makes the
 * walk longer: it is the walk from the first record that says what is wrong.
 */
#ifndef STORE_LOG_START_H
#define STORE_LOG_START_H

#include "store/log.h"
#include "store/log_dir.h"
#include "store/log_scan.h"

/*
 * Sets the chain of s->check and the place in s, and gives the owner the state
 * in the seal; leaves them alone when no seal holds. Set before: seg_fd,
 * library, and in the check the anchor and the log's public key.
 */
void log_start(const struct log_settings *settings, const struct log_dir *dir, struct log_scan *s);

#endif
