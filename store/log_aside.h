/*
 * log_aside: how a repair sets aside what is not to stand in a log's folder:
 * under a name of its own in quarantine/, never deleted.
 */
#ifndef STORE_LOG_ASIDE_H
#define STORE_LOG_ASIDE_H

#include "store/log_dir.h"

#define LOG_ASIDE_NAME_LEN 64

/* A name in quarantine/ that is not taken: "repair-N-NAME", with a number behind it where that is. */
void log_aside_name(int quarantine_fd, uint32_t repairs, const char *name, char out[LOG_ASIDE_NAME_LEN]);

/*
 * Moves what stands under the name, whatever it is; nothing there is OK. Uses quarantine_fd of dir.
 * ERR_AUDIT_FULL, ERR_AUDIT_UNAVAILABLE.
 */
enum err log_aside(const struct log_dir *dir, int at_fd, uint32_t repairs, const char *name);

/* Links are not followed. */
bool log_aside_is_our_file(int at_fd, const char *name);

/*
 * In the log's folder: what stands in the place of a folder, of `lock`, of `anchor` or of a note
 * and is none of ours gives way. In the place of quarantine/ itself it stays beside it, as quarantine.N.
 * ERR_AUDIT_FULL, ERR_AUDIT_UNAVAILABLE.
 */
enum err log_aside_foreign(int dir_fd);

#endif
