/*
 * bench_reads: reads a second, in turns: the two bounds, the daemon's default
 * placement, all in one process.
 */
#ifndef TOOLS_BENCH_READS_H
#define TOOLS_BENCH_READS_H

#include <stdbool.h>
#include <stdint.h>

struct bench_plan {
	const char *self;      /* this program */
	const char *memories;  /* the product */
	const char *dir;       /* for homes; on a real disk */
	bool        quick;
	unsigned    n_rounds;
	uint64_t    run_us;    /* of one measurement */
};

void bench_reads(const struct bench_plan *plan);

/* One line: what a target is, and whether it is met. */
void bench_print_target(const char *what, double is, double wanted, bool at_least);

double bench_median(double *v, unsigned n); /* sorts them */
int bench_compare(const void *a, const void *b); /* of doubles, for qsort */

#endif
