/*
 * log_inside: an open log, shared by the files that make its calls (log.c,
 * log_open.c, log_epoch.c, log_repair.c) and by nobody else.
 */
#ifndef STORE_LOG_INSIDE_H
#define STORE_LOG_INSIDE_H

#include "store/log.h"
#include "store/log_anchor.h"
#include "store/log_commit.h"
#include "store/log_dir.h"
#include "store/log_group.h"
#include "store/log_room.h"

struct log_receipt {
	uint8_t bytes[LOG_COMMIT_LEN];
};

struct log {
	struct log_settings settings; /* its dir is NULL here, its key that below */
	struct log_dir     dir;
	struct log_head    found;     /* what counted when it was opened */
	struct log_repaired repaired; /* while it is repaired: what its record is to say of what was lost */
	struct log_room    room;
	struct log_chain   chain;     /* what counts */
	uint8_t            root[SHA256_LEN];
	struct log_group   group;     /* what waits */
	bool               waiting_lock; /* the manual lock as the group leaves it */
	struct log_epoch   epoch;     /* certified as soon as its certificate waits */
	struct signer     *epoch_key; /* owned; never leaves this memory */
	struct cert        certificate; /* of the running epoch, once certified */
	uint64_t           epoch_first; /* records before the epoch began */
	struct mono_ms     epoch_began;
	struct log_epoch   next;      /* that is to follow; begun when there is one */
	struct signer     *next_key;  /* owned, likewise */
	bool               rotating;  /* the waiting group ends the epoch for the next */
	uint8_t            log_public[SIGN_PUBLIC_LEN];
	struct log_receipt receipt;
	int                anchor_fd;
	uint64_t           anchor_size;
	struct mono_ms     anchor_time;
	enum err           failure;
};

/* Latches the log, and answers e. */
enum err log_inside_latch(struct log *l, enum err e);

/* What the anchor is to say now. It is the caller's to write. */
struct log_anchor log_inside_anchor(struct log *l);

/* log_append without the rule of pending epochs, for epoch records too. */
enum err log_inside_append(struct log *l, const struct log_record *r, uint64_t *index);

/* Begins the epoch of this process, pending, and makes its record durable. */
enum err log_inside_begin_epoch(struct log *l);

#endif
