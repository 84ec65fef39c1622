/* bench_sizes: what grows, or must not, with the number of assets and the size of a file. */
#ifndef TOOLS_BENCH_SIZES_H
#define TOOLS_BENCH_SIZES_H

#include "tools/bench_reads.h"

void bench_sizes(const struct bench_plan *plan);

#endif
