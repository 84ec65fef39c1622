/*
 * log_seal: the state of a log at a rotation, so that it can be opened from
 * there and not from its first record. It is a cache: a seal counts only when
 * the rotation that follows it in the log names its hash, under a signature
 * of an epoch that the log key certified. Nobody but the owner reads it.
 * Source: docs/store-format.md, "Seals of the log".
 */
#ifndef STORE_LOG_SEAL_H
#define STORE_LOG_SEAL_H

#include "store/log_check.h"

#define LOG_SEAL_STATE_MAX ((size_t)8 << 20)
#define LOG_SEAL_KEPT      2

struct log_seal {
	struct log_chain chain;       /* before the group with the rotation; its epoch is certified */
	struct cert      certificate; /* of that epoch */
	uint64_t         segment;     /* where the last group ends */
	uint64_t         end;
	uint8_t          segments[SHA256_LEN]; /* of log_seal_segments up to that one */
	struct span      state;       /* what the owner made of the records; borrowed */
};

/* *bytes is malloc'ed, the caller's. ERR_NO_MEMORY. ERR_INVALID_ARGUMENT: the state is too long. */
enum err log_seal_put(const struct log_seal *s, uint8_t **bytes, size_t *len);

/*
 * False when the bytes are no seal, or the certificate in it does not hold
 * under the log's public key. The state points into the bytes.
 */
bool log_seal_take(struct span bytes, const uint8_t log_public[SIGN_PUBLIC_LEN], struct log_seal *out);

/* Writes it, durably, under its size; *hash is what a rotation names. Of log_seal_put and log_dir_publish. */
enum err log_seal_write(int seal_fd, const struct log_seal *s, uint8_t hash[SHA256_LEN]);

/* The sizes of the newest seals that are there, the newest first; 0 behind them. */
void log_seal_list(int seal_fd, uint64_t sizes[LOG_SEAL_KEPT + 1]);

/* The bytes of one, malloc'ed; their hash. ERR_FILE_UNREADABLE, ERR_NO_MEMORY. */
enum err log_seal_read(int seal_fd, uint64_t size, uint8_t **bytes, size_t *len, uint8_t hash[SHA256_LEN]);

/* Removes all but the newest two. */
void log_seal_prune(int seal_fd);

/*
 * The hash over lengths and headers of the segments 1 to `number`. False when
 * one is missing, is not a file of ours alone, or cannot be read.
 */
bool log_seal_segments(int seg_fd, uint64_t number, uint8_t hash[SHA256_LEN]);

#endif
