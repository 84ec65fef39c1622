#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>
#include <unistd.h>

#include "tools/bench_asker.h"
#include "tools/bench_bound.h"
#include "tools/bench_load.h"
#include "tools/bench_reads.h"
#include "tools/bench_server.h"

#define ROUNDS_MAX 15
#define N_ASSETS   1000

enum variant { BOUND_0, BOUND_1_THREAD, BOUND_1, DEFAULT, ONE_PROCESS, VARIANT__COUNT };

static const char *const names[] = { "B0", "B1 own thread", "B1", "default", "one process" };
/* How many clients, and whether they open what they get. */
static const struct count {
	const char *name;
	unsigned    n;
	bool        no_open;
} counts[] = { { "1", 1, false }, { "8", 8, false }, { "64", 64, false }, { "1 shut", 1, true }, { "64 shut", 64, true } };
enum { COUNT_1, COUNT_8, COUNT_64, COUNT_1_SHUT, COUNT_64_SHUT };
static const enum bench_group groups[] = { BENCH_SMALL, BENCH_LARGE };

#define N_COUNTS (sizeof counts / sizeof *counts)
#define N_GROUPS (sizeof groups / sizeof *groups)

/* One measurement. */
struct cell {
	double per_s, p50_us, p99_us, cpu_us, own_cpu_us, per_sync;
};

struct reads {
	const struct bench_plan *plan;
	struct bench_home   homes[VARIANT__COUNT];
	struct bench_server servers[VARIANT__COUNT];
	struct bench_bound *bound;
	struct cell cells[VARIANT__COUNT][N_GROUPS][N_COUNTS][ROUNDS_MAX];
};

static void
place_of(const struct bench_plan *plan, enum variant v, char out[BENCH_PATH_MAX - 16])
{
	snprintf(out, BENCH_PATH_MAX - 16, "%s/reads-%d", plan->dir, (int)v);
}

static void
start(struct reads *r, enum variant v)
{
	const struct bench_plan *plan = r->plan;
	struct bench_want want = { .n_notes = N_ASSETS };
	char place[BENCH_PATH_MAX - 16];
	const char *gate[] = { plan->self, "gate", place, v == BOUND_1 ? "pool" : "thread", NULL };
	const char *daemon[] = { plan->memories, "daemon", "--home", r->homes[v].path, "--test-kdf",
		v == ONE_PROCESS ? "--one-process" : NULL, NULL };

	place_of(plan, v, place);
	bench_home_make(place, &want, &r->homes[v]);
	if (v == BOUND_0)
		bench_bound_open(&r->homes[v], &r->bound);
	else
		bench_server_start(v == DEFAULT || v == ONE_PROCESS ? daemon : gate, &r->servers[v]);
}

/* One read of each of n clients, in one group. */
static void
bound_turn(struct reads *r, struct bench_asker *askers, struct ask_body *asks, const struct count *count,
    enum bench_group g)
{
	struct answer_body answer;
	unsigned n = count->n;

	for (unsigned i = 0; i < n; i++) {
		bench_asker_make(&askers[i], bench_asset(g, bench_chance(BENCH_N_EACH)), &asks[i]);
		bench_bound_ask(r->bound, &asks[i]);
	}
	bench_bound_commit(r->bound);
	for (unsigned i = 0; i < n && !count->no_open; i++) {
		bench_bound_answer(r->bound, i, &answer);
		bench_asker_open(&askers[i], &asks[i], &answer);
	}
	bench_bound_clear(r->bound);
}

static struct cell
measure_bound(struct reads *r, enum bench_group g, const struct count *count)
{
	static struct bench_asker askers[BENCH_CLIENTS_MAX];
	static struct ask_body asks[BENCH_CLIENTS_MAX];
	uint32_t *times = malloc(sizeof *times << 20);
	struct bench_result result;
	unsigned n = count->n;
	size_t n_times = 0;
	uint64_t began;

	bench_must(times == NULL ? ERR_NO_MEMORY : OK, "bound");
	bench_must_not_fail(chdir(r->homes[BOUND_0].path), "chdir");
	for (unsigned i = 0; i < n; i++)
		bench_asker_start(&askers[i], &r->homes[BOUND_0], bench_bound_welcome(r->bound));
	bound_turn(r, askers, asks, count, g);
	began = bench_now_us();
	while (bench_now_us() < began + r->plan->run_us && n_times < 1u << 20) {
		uint64_t turn = bench_now_us();

		bound_turn(r, askers, asks, count, g);
		times[n_times++] = (uint32_t)(bench_now_us() - turn);
	}
	bench_result_of(times, n_times, bench_now_us() - began, &result);
	for (unsigned i = 0; i < n; i++)
		bench_asker_end(&askers[i]);
	free(times);
	return (struct cell){ .per_s = result.per_s * n, .p50_us = (double)result.p50_us, .p99_us = (double)result.p99_us,
		.per_sync = n };
}

static struct cell
measure_server(struct reads *r, enum variant v, enum bench_group g, const struct count *count)
{
	struct bench_load load = { .home = &r->homes[v], .n_clients = count->n, .run_us = r->plan->run_us, .group = g,
		.no_open = count->no_open };
	uint64_t cpu = bench_server_cpu_us(&r->servers[v]);
	struct bench_result result;

	bench_load_run(&load, &result);
	cpu = bench_server_cpu_us(&r->servers[v]) - cpu;
	return (struct cell){ .per_s = result.per_s, .p50_us = (double)result.p50_us, .p99_us = (double)result.p99_us,
		.cpu_us = (double)cpu / (double)result.n_all, .own_cpu_us = result.own_cpu_us,
		.per_sync = result.per_sync };
}

int
bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double
bench_median(double *v, unsigned n)
{
	qsort(v, n, sizeof *v, bench_compare);
	return v[n / 2];
}

/* The median over the rounds of one field of a cell, or of its ratio to another's. */
static double
median(const struct cell *cells, const struct cell *under, size_t field, unsigned n)
{
	double v[ROUNDS_MAX];

	for (unsigned i = 0; i < n; i++) {
		v[i] = *(const double *)((const char *)&cells[i] + field);
		if (under != NULL)
			v[i] /= *(const double *)((const char *)&under[i] + field);
	}
	qsort(v, n, sizeof *v, bench_compare);
	return n % 2 != 0 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

#define MEDIAN(cells, under, field) median(cells, under, offsetof(struct cell, field), r->plan->n_rounds)

static void
print_group(struct reads *r, size_t g)
{
	printf("\n%s reads, medians of %u rounds\n", groups[g] == BENCH_SMALL ? "1 KiB" : "64 KiB", r->plan->n_rounds);
	printf("%8s  %-14s %9s %9s %9s %10s %10s %9s %6s %6s\n", "clients", "", "reads/s", "p50 us", "p99 us", "server us",
	    "client us", "per sync", "to B0", "to B1");
	for (size_t c = 0; c < N_COUNTS; c++)
		for (int v = 0; v < VARIANT__COUNT; v++) {
			const struct cell *cells = r->cells[v][g][c];

			printf("%8s  %-14s %9.0f %9.0f %9.0f %10.1f %10.1f %9.1f %6.2f %6.2f\n", counts[c].name, names[v],
			    MEDIAN(cells, NULL, per_s), MEDIAN(cells, NULL, p50_us), MEDIAN(cells, NULL, p99_us),
			    MEDIAN(cells, NULL, cpu_us), MEDIAN(cells, NULL, own_cpu_us), MEDIAN(cells, NULL, per_sync),
			    MEDIAN(cells, r->cells[BOUND_0][g][c], per_s), MEDIAN(cells, r->cells[BOUND_1][g][c], per_s));
		}
}

void
bench_print_target(const char *what, double is, double wanted, bool at_least)
{
	printf("%-60s %8.2f  (%s %.2f)  %s\n", what, is, at_least ? "at least" : "at most", wanted,
	    (at_least ? is >= wanted : is <= wanted) ? "met" : "MISSED");
}

static void
print_targets(struct reads *r)
{
	struct cell (*is)[N_COUNTS][ROUNDS_MAX] = r->cells[DEFAULT];
	struct cell (*bound)[N_COUNTS][ROUNDS_MAX] = r->cells[BOUND_1];

	printf("\ntargets, default placement\n");
	bench_print_target("64 clients, 1 KiB: reads/s to B1", MEDIAN(is[0][COUNT_64], bound[0][COUNT_64], per_s), 0.4, true);
	bench_print_target("the same, nothing opened", MEDIAN(is[0][COUNT_64_SHUT], bound[0][COUNT_64_SHUT], per_s), 0.4, true);
	bench_print_target("64 clients, 1 KiB: reads/s to 1 client's", MEDIAN(is[0][COUNT_64], is[0][COUNT_1], per_s), 10, true);
	bench_print_target("64 clients, 64 KiB: reads/s to B1", MEDIAN(is[1][COUNT_64], bound[1][COUNT_64], per_s), 0.4, true);
	bench_print_target("1 client, 1 KiB: p50 over B1's, ms",
	    (MEDIAN(is[0][COUNT_1], NULL, p50_us) - MEDIAN(bound[0][COUNT_1], NULL, p50_us)) / 1000, 0.6, false);
}

static void
one_round(struct reads *r, unsigned round)
{
	for (size_t g = 0; g < N_GROUPS; g++)
		for (size_t c = 0; c < N_COUNTS; c++)
			for (int v = 0; v < VARIANT__COUNT; v++)
				r->cells[v][g][c][round] = v == BOUND_0 ? measure_bound(r, groups[g], &counts[c])
				    : measure_server(r, (enum variant)v, groups[g], &counts[c]);
}

void
bench_reads(const struct bench_plan *plan)
{
	struct reads *r = calloc(1, sizeof *r);

	bench_must(r == NULL || plan->n_rounds > ROUNDS_MAX ? ERR_NO_MEMORY : OK, "reads");
	r->plan = plan;
	for (int v = 0; v < VARIANT__COUNT; v++)
		start(r, (enum variant)v);
	for (unsigned round = 0; round < plan->n_rounds; round++)
		one_round(r, round);
	for (size_t g = 0; g < N_GROUPS; g++)
		print_group(r, g);
	print_targets(r);
	for (int v = BOUND_1_THREAD; v < VARIANT__COUNT; v++)
		bench_server_stop(&r->servers[v]);
	bench_bound_close(&r->bound);
	free(r);
}
