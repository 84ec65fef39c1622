/*
 * log_proof: a proof under a signed checkpoint, and the text that carries it.
 * Source: C2SP tlog-proof and tlog-witness; docs/store-format.md, "Proofs".
 */
#ifndef STORE_LOG_PROOF_H
#define STORE_LOG_PROOF_H

#include "store/log_checkpoint.h"
#include "store/log_record.h"
#include "store/merkle_proof.h"

struct log_proof {
	struct log_checkpoint checkpoint;
	struct merkle_proof   proof;

	/* Of a record's inclusion in the tree of the checkpoint. */
	uint64_t              index;
	uint8_t               leaf[LOG_LEAF_MAX];
	size_t                leaf_len; /* 0: a proof of consistency */

	/* Of consistency between two sizes. */
	uint64_t              old, size;
	uint8_t               old_root[SHA256_LEN], root[SHA256_LEN];
};

void log_proof_free(struct log_proof *p);

/*
 * Inclusion: a C2SP tlog-proof, whose extra data is the leaf. Consistency: as
 * C2SP witnesses are asked: "old" and its size, the hashes, an empty line, the
 * checkpoint of the new size; when that is not the signed one, its text alone.
 *
 * *text  new, NUL-terminated; caller frees. ERR_NO_MEMORY.
 */
enum err log_proof_text(const struct log_proof *p, char **text);

#endif
