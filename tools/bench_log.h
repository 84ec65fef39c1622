/* bench_log: a home whose log is long, made with the log's own writer, and what reading it costs. */
#ifndef TOOLS_BENCH_LOG_H
#define TOOLS_BENCH_LOG_H

#include "tools/bench_home.h"
#include "tools/bench_reads.h"

/*
 * Appends n intents to the log of a home that has no daemon, `group` in each
 * commit. The working directory is the home afterwards.
 */
void bench_log_fill(const struct bench_home *h, uint64_t n, uint32_t group);

/* Verify, show and start, on logs of 1e7 records (quick: 1e6). */
void bench_log(const struct bench_plan *plan);

#endif
