/* bench_search: the search index: how long it takes to build and to ask, and what memory; beside a plain scan and SQLite. */
#ifndef TOOLS_BENCH_SEARCH_H
#define TOOLS_BENCH_SEARCH_H

#include "tools/bench_reads.h"

/*
 * 100,000 memories of 500 characters in one vault, in this process. Leaves the
 * corpus and the queries in plan->dir, for tools/bench_search_peer.py.
 */
void bench_search(const struct bench_plan *plan);

#endif
