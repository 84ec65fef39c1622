/*
 * log_anchor: the last known size, root and epoch of the log, beside it. It
 * tells of a log that was cut or exchanged; nothing is ever taken from it.
 * Source: docs/store-format.md, "The anchor".
 */
#ifndef STORE_LOG_ANCHOR_H
#define STORE_LOG_ANCHOR_H

#include "escrow/hash.h"
#include "mailbox/wire.h"

#define LOG_ANCHOR_LEN (4 + 8 + SHA256_LEN + UUID_LEN + SHA256_LEN)

struct log_anchor {
	uint64_t    size;
	uint8_t     root[SHA256_LEN];
	struct uuid epoch;
};

void log_anchor_put(struct wire_out *o, const struct log_anchor *a);
void log_anchor_take(struct wire_in *in, struct log_anchor *out);

enum log_anchor_state {
	LOG_ANCHOR_NONE,    /* no file, or what a crash leaves of the first one: nothing, or zeros */
	LOG_ANCHOR_GOOD,
	LOG_ANCHOR_DAMAGED, /* somebody else wrote there */
	LOG_ANCHOR_UNREADABLE,
};

/* *out is set when it is good. */
enum log_anchor_state log_anchor_look(int dir_fd, struct log_anchor *out);

/* False when there is none that has its form. */
bool log_anchor_read(int dir_fd, struct log_anchor *out);

/* Opens the file for the two below, or makes it, and cuts off what is too long. ERR_AUDIT_FULL, ERR_AUDIT_UNAVAILABLE. */
enum err log_anchor_open(int dir_fd, int *fd);

/* Overwrites it in place. A failure shows at the next log_anchor_sync or not at all. */
void log_anchor_write(int fd, const struct log_anchor *a);

/* Writes and syncs. ERR_AUDIT_FULL, ERR_AUDIT_UNAVAILABLE. */
enum err log_anchor_sync(int fd, const struct log_anchor *a);

#endif
