/* bench_fill: fills a benchmark's vault through store/vault_db.h, sealed as a writer would. */
#ifndef TOOLS_BENCH_FILL_H
#define TOOLS_BENCH_FILL_H

#include "tools/bench_home.h"

/* In the home, which is the working directory; nobody else has its vault open. */
void bench_fill(const struct bench_home *h);

#endif
