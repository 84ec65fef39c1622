/* What the log's fuzz targets share: a check that ends the run, and a key made from a fixed first byte or bytes. */
#ifndef TESTS_FUZZ_KEY_H
#define TESTS_FUZZ_KEY_H

#include <stdlib.h>
#include <string.h>

#include "escrow/sign.h"

static inline void
must(bool holds)
{
	if (!holds)
		abort();
}

/* The signer whose seed is n_ones bytes of 1 and zeros behind them. */
static inline struct signer *
fuzz_signer(size_t n_ones)
{
	struct signer *signer = NULL;
	struct key *seed = NULL;

	must(secret_init(true) == OK && key_new(&seed) == OK);
	memset(seed->b, 0, KEY_LEN);
	memset(seed->b, 1, n_ones);
	must(signer_of_seed(seed, &signer) == OK);
	key_free(&seed);
	return signer;
}

#endif
