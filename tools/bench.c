/* bench: measures the product against its bounds. tools/bench builds and runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escrow/secret.h"
#include "tools/bench_gate.h"
#include "tools/bench_http.h"
#include "tools/bench_load.h"
#include "tools/bench_log.h"
#include "tools/bench_reads.h"
#include "tools/bench_search.h"
#include "tools/bench_sizes.h"

static int
usage(void)
{
	fprintf(stderr, "usage: bench run DIR MEMORIES full|quick [reads|sizes|log|search]   on new homes in DIR\n"
	    "       bench make PLACE NOTES MIB               a home of so many assets and a file\n"
	    "       bench log PLACE RECORDS GROUP            appends to its log, so many in a commit\n"
	    "       bench reads PLACE CLIENTS small|large|notes SECONDS [shut]   of its running daemon\n"
	    "       bench gate PLACE pool|thread             the bound's server\n"
	    "       bench http-fixed                         the HTTP server with one answer, until stdin ends\n");
	return 2;
}

static int
make(char **argv)
{
	struct bench_want want = { .n_notes = strtoull(argv[1], NULL, 10), .file_mib = (uint32_t)strtoul(argv[2], NULL, 10) };
	static struct bench_home home;

	bench_home_make(argv[0], &want, &home);
	printf("%s\n", home.path);
	return 0;
}

static int
fill(char **argv)
{
	static struct bench_home home;

	bench_home_load(argv[0], &home);
	bench_log_fill(&home, strtoull(argv[1], NULL, 10), (uint32_t)strtoul(argv[2], NULL, 10));
	return 0;
}

static int
reads(char **argv, bool no_open)
{
	static struct bench_home home;
	struct bench_load load = { .home = &home, .n_clients = (unsigned)strtoul(argv[1], NULL, 10),
		.group = strcmp(argv[2], "large") == 0 ? BENCH_LARGE : strcmp(argv[2], "small") == 0 ? BENCH_SMALL : BENCH_NOTES,
		.run_us = (uint64_t)(strtod(argv[3], NULL) * 1e6) };
	struct bench_result r;

	load.no_open = no_open;
	if (load.n_clients < 1 || load.n_clients > BENCH_CLIENTS_MAX)
		return usage();
	bench_home_load(argv[0], &home);
	bench_load_run(&load, &r);
	printf("%.0f reads/s, p50 %u us, p99 %u us, client cpu %.1f us\n", r.per_s, (unsigned)r.p50_us, (unsigned)r.p99_us,
	    r.own_cpu_us);
	return 0;
}

static int
run(const char *self, int argc, char **argv)
{
	bool quick = strcmp(argv[2], "quick") == 0;
	struct bench_plan plan = { .self = self, .dir = argv[0], .memories = argv[1], .quick = quick,
		.n_rounds = quick ? 3 : 5, .run_us = quick ? 300000 : 1000000 };

	if (argc < 4 || strcmp(argv[3], "reads") == 0)
		bench_reads(&plan);
	if (argc < 4 || strcmp(argv[3], "sizes") == 0)
		bench_sizes(&plan);
	if (argc < 4 || strcmp(argv[3], "log") == 0)
		bench_log(&plan);
	if (argc < 4 || strcmp(argv[3], "search") == 0)
		bench_search(&plan);
	return 0;
}

int
main(int argc, char **argv)
{
	bench_must(secret_init(true), "secret");
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc >= 5 && strcmp(argv[1], "run") == 0)
		return run(argv[0], argc - 2, argv + 2);
	if (argc == 5 && strcmp(argv[1], "make") == 0)
		return make(argv + 2);
	if (argc == 5 && strcmp(argv[1], "log") == 0)
		return fill(argv + 2);
	if ((argc == 6 || argc == 7) && strcmp(argv[1], "reads") == 0)
		return reads(argv + 2, argc == 7);
	if (argc == 4 && strcmp(argv[1], "gate") == 0)
		return bench_gate_run(argv[2], strcmp(argv[3], "thread") == 0);
	if (argc == 2 && strcmp(argv[1], "http-fixed") == 0)
		return bench_http_run();
	return usage();
}
