/*
 * bench_asker: the client of the bound that has no messages: it makes an ask
 * and opens its answer with the calls that gateway/client.c makes for it.
 */
#ifndef TOOLS_BENCH_ASKER_H
#define TOOLS_BENCH_ASKER_H

#include "escrow/channel.h"
#include "escrow/seal.h"
#include "mailbox/protocol.h"
#include "tools/bench_home.h"

struct bench_asker {
	const struct bench_home   *home;
	const struct welcome_body *welcome; /* borrowed */
	struct key_pair            opener;
	struct channel             channel;
	uint64_t                   n_asks;
	uint8_t                    seen_commit[32];
	uint8_t                    boxed[SEALED_KEY_LEN]; /* what the ask points at */
};

void bench_asker_start(struct bench_asker *a, const struct bench_home *h, const struct welcome_body *welcome);
void bench_asker_end(struct bench_asker *a);

/* An ask for all of that asset. Valid until the next one. */
void bench_asker_make(struct bench_asker *a, struct uuid asset, struct ask_body *out);

/* Checks the receipt, once a commit, and opens every piece. */
void bench_asker_open(struct bench_asker *a, const struct ask_body *ask, const struct answer_body *answer);

#endif
