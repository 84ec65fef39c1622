/*
 * bench_load: clients of a front door, each on a connection of its own with an
 * opener of its own, in one process and one thread. Each has one ask under way
 * at any time.
 */
#ifndef TOOLS_BENCH_LOAD_H
#define TOOLS_BENCH_LOAD_H

#include "tools/bench_home.h"

#define BENCH_CLIENTS_MAX 256

enum bench_what { BENCH_READ, BENCH_PAGE };

struct bench_load {
	const struct bench_home *home;
	unsigned        n_clients;
	uint64_t        run_us;    /* after a tenth of it for warming up */
	enum bench_what what;
	enum bench_group group;    /* READ: any asset of it, by chance */
	uint64_t        offset;    /* PAGE: of 100 rows */
	bool            no_open;   /* answers are taken in but not opened */
};

struct bench_result {
	uint64_t n;
	uint64_t n_all;      /* warming up and the last ones too */
	double   per_s;
	uint64_t p50_us, p99_us;
	double   own_cpu_us; /* the clients' processor time a read */
	double   per_sync;   /* records that shared a commit */
};

/* A number under n, the same row of them in every run. */
uint64_t bench_chance(uint64_t n);

/* The working directory becomes the home. */
void bench_load_run(const struct bench_load *load, struct bench_result *out);

/* Reads all of the group FILE's asset once, in ranges of 64 KiB, one after the other. Bytes that came. */
uint64_t bench_load_stream(const struct bench_home *h, void (*each)(void *arg), void *arg);

/* From times in microseconds, which it sorts. */
void bench_result_of(uint32_t *times, size_t n, uint64_t took_us, struct bench_result *out);

#endif
