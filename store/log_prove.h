/*
 * log_prove: proofs for others, of records and of a log's growth, from its
 * files and its newest signed checkpoint. A proof is handed out only when it
 * holds under that checkpoint, wherever its hashes came from.
 * Source: RFC 6962, section 2.1.
 */
#ifndef STORE_LOG_PROVE_H
#define STORE_LOG_PROVE_H

#include "store/log_proof.h"

struct log_prove_options {
	const char *dir;
	const char *key_file; /* NULL: DIR/key.pub */
	bool        cache;    /* DIR/tile may be written, so that the next proof is made soon */
};

/*
 * The record `index` in the tree of the newest checkpoint.
 *
 * *out  is freed by the caller with log_proof_free; also on ERR_OFFSET_OUT_OF_RANGE,
 *       where only the checkpoint is in it: its size is not above the index
 *
 * ERR_NOT_FOUND: no log, or no checkpoint yet. ERR_AUDIT_TAMPERED: the
 * checkpoint is not signed by the log's key or a delegate, or the log does not
 * hold what it says. ERR_FILE_UNREADABLE, ERR_NO_MEMORY, ERR_INVALID_CONTENT
 * (the key file is none).
 */
enum err log_prove_inclusion(const struct log_prove_options *o, uint64_t index, struct log_proof *out);

/* The log's first `size` records extend its first `old`; 1 <= old <= size. The same errors. */
enum err log_prove_consistency(const struct log_prove_options *o, uint64_t old, uint64_t size,
    struct log_proof *out);

#endif
