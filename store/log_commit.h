/*
 * log_commit: the signed body of a commit frame, which is also the receipt in
 * an ack. Checked by whoever holds the log's public key.
 * Source: docs/store-format.md, "Commit frames".
 */
#ifndef STORE_LOG_COMMIT_H
#define STORE_LOG_COMMIT_H

#include "escrow/sign.h"
#include "mailbox/clock.h"
#include "mailbox/wire.h"
#include "escrow/hash.h"

#define LOG_COMMIT_MANUAL_LOCK 0x0001 /* a manual lock is in force */

struct log_commit {
	uint64_t       first;       /* index of the group's first record */
	uint32_t       count;
	uint16_t       flags;
	uint64_t       size;        /* first + count */
	struct wall_ms wall;
	struct uuid    epoch;
	uint8_t        root[SHA256_LEN];
	uint8_t        previous[SHA256_LEN];   /* SHA-256 of the previous commit body and signature; zero for the first */
	uint8_t        bytes_hash[SHA256_LEN]; /* of the group's record frames as they lie on disk */
	uint8_t        signature[SIGNATURE_LEN];
};

#define LOG_COMMIT_BODY_LEN (1 + 8 + 4 + 2 + 8 + 8 + UUID_LEN + 3 * SHA256_LEN)
#define LOG_COMMIT_LEN (LOG_COMMIT_BODY_LEN + SIGNATURE_LEN)

void log_commit_put(struct wire_out *o, const struct log_commit *c); /* body and signature */
void log_commit_take(struct wire_in *in, struct log_commit *out);

/* Signs body with the epoch key; fills c->signature. */
void log_commit_sign(struct log_commit *c, const struct signer *epoch_key);
bool log_commit_valid(const struct log_commit *c, const uint8_t epoch_public[SIGN_PUBLIC_LEN]);

#endif
