/*
 * log_repair: how a log that was changed from outside becomes one that can be
 * written again. What stands before the first damage stays, byte for byte. The
 * segment with the damage is replaced by a copy that ends before it; the
 * original, and every segment behind it, moves to quarantine/. A repair record
 * then says what was found and what was given up. Nothing is deleted but
 * segments of zeros.
 *
 * A crash at any step leaves a log that is refused as before, and can be
 * repaired again: until the record is durable the anchor names what is given up.
 * Source: docs/store-format.md, "Repairs".
 */
#ifndef STORE_LOG_REPAIR_H
#define STORE_LOG_REPAIR_H

#include "store/log.h"
#include "store/log_head.h"

/* Heads that are known from elsewhere; those of size 0 are passed over. */
struct log_known {
	const struct log_head *heads;
	size_t                 n;
};

/*
 * Looks what a repair would find and give up; changes no file of ours but its
 * mode. The log must not be open. Errors as log_open; ERR_AUDIT_TAMPERED: the folders
 * themselves are not ours.
 */
enum err log_repair_look(const struct log_settings *settings, struct log_known known, struct log_repaired *out);

/*
 * Moves what does not hold out of the way and opens the log for its repair: a
 * pending epoch has begun, and it takes nothing but its certificate.
 *
 * *repaired  what the record will say
 *
 * Errors as log_open; the log is then as it was, or can be repaired again.
 */
enum err log_repair_open(const struct log_settings *settings, struct log_known known, struct log **out,
    struct log_repaired *repaired);

/*
 * Writes the repair record and the anchor, durably: from then on it is a log
 * like any other.
 *
 * terminal  whose owner asked for it
 *
 * ERR_LOCKED: its epoch is not certified. Otherwise as
 * log_append and log_commit.
 */
enum err log_repair_finish(struct log *l, struct uuid terminal);

#endif
