#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/bench_load.h"
#include "tools/bench_server.h"
#include "tools/bench_sizes.h"

#define ROUNDS_MAX 15
#define REST_US    2500000 /* after that a daemon is at rest */
#define N_COMMANDS 21

enum size { SMALL, MIDDLE, BIG, SIZE__COUNT };

struct sizes {
	const struct bench_plan *plan;
	uint64_t            n[SIZE__COUNT];
	struct bench_home   homes[SIZE__COUNT];
	struct bench_server servers[SIZE__COUNT];
};

static void
place_of(const struct sizes *s, enum size i, char out[BENCH_PATH_MAX - 16])
{
	snprintf(out, BENCH_PATH_MAX - 16, "%s/size-%d", s->plan->dir, (int)i);
}

static void
start(struct sizes *s, enum size i)
{
	const char *daemon[] = { s->plan->memories, "daemon", "--home", s->homes[i].path, "--test-kdf", NULL };

	bench_server_start(daemon, &s->servers[i]);
}

static void
print_start(struct sizes *s)
{
	double v[ROUNDS_MAX];

	for (unsigned i = 0; i < s->plan->n_rounds; i++) {
		start(s, MIDDLE);
		v[i] = (double)s->servers[MIDDLE].start_us / 1000;
		bench_server_stop(&s->servers[MIDDLE]);
	}
	bench_print_target("start to ready, 100,000 assets, ms", bench_median(v, s->plan->n_rounds), 200, false);
}

/* Median p50 of reads or pages by one client, of every size in turns, over that of the first. */
static void
print_latency(struct sizes *s, enum bench_what what, bool deep, const char *name)
{
	double v[SIZE__COUNT][ROUNDS_MAX], ratio[SIZE__COUNT][ROUNDS_MAX];
	struct bench_result r;
	char line[128];

	for (unsigned round = 0; round < s->plan->n_rounds; round++)
		for (int i = 0; i < SIZE__COUNT; i++) {
			struct bench_load load = { .home = &s->homes[i], .n_clients = 1, .run_us = s->plan->run_us, .what = what,
				.group = BENCH_NOTES, .offset = deep ? s->n[i] - 200 : 0 };

			bench_load_run(&load, &r);
			v[i][round] = (double)r.p50_us;
			ratio[i][round] = v[i][round] / v[SMALL][round];
		}
	printf("%-40s p50 us:", name);
	for (int i = 0; i < SIZE__COUNT; i++)
		printf(" %8.0f at %llu", bench_median(v[i], s->plan->n_rounds), (unsigned long long)s->n[i]);
	printf("\n");
	snprintf(line, sizeof line, "%s, %llu assets to 1,000", name, (unsigned long long)s->n[BIG]);
	bench_print_target(line, bench_median(ratio[BIG], s->plan->n_rounds), 1.3, false);
}

static void
print_memory(const struct bench_server *server, const char *when)
{
	struct bench_memory m = bench_server_memory(server);

	printf("memory %-34s rss %.1f MiB, pss %.1f MiB, of it not of files %.1f MiB\n", when, (double)m.rss_kib / 1024,
	    (double)m.pss_kib / 1024, (double)m.own_kib / 1024);
}

static void
print_rest(struct sizes *s)
{
	struct bench_load load = { .home = &s->homes[MIDDLE], .n_clients = 64, .run_us = s->plan->run_us, .group = BENCH_NOTES };
	struct bench_result r;

	usleep(REST_US);
	bench_print_target("memory at rest, 100,000 assets, MiB (rss of all)",
	    (double)bench_server_memory(&s->servers[MIDDLE]).rss_kib / 1024, 60, false);
	print_memory(&s->servers[MIDDLE], "at rest");
	bench_load_run(&load, &r);
	print_memory(&s->servers[MIDDLE], "after reads of 64 clients");
	usleep(REST_US);
	print_memory(&s->servers[MIDDLE], "and at rest again");
}

struct watch {
	const struct bench_server *server;
	uint64_t n;
	double   own_max, rss_max;
};

static void
look(void *arg)
{
	struct watch *w = arg;
	struct bench_memory m;

	if (w->n++ % 256 != 0)
		return;
	m = bench_server_memory(w->server);
	w->own_max = (double)m.own_kib / 1024 > w->own_max ? (double)m.own_kib / 1024 : w->own_max;
	w->rss_max = (double)m.rss_kib / 1024 > w->rss_max ? (double)m.rss_kib / 1024 : w->rss_max;
}

static void
print_stream(struct sizes *s)
{
	struct watch w = { .server = &s->servers[SMALL] };
	uint64_t began, bytes;

	usleep(REST_US);
	print_memory(w.server, "before a stream");
	began = bench_now_us();
	bytes = bench_load_stream(&s->homes[SMALL], look, &w);
	printf("stream of %llu MiB: %.0f MiB/s; at most rss %.1f MiB, not of files %.1f MiB\n", (unsigned long long)(bytes >> 20),
	    (double)bytes / 1.048576 / (double)(bench_now_us() - began), w.rss_max, w.own_max);
	usleep(REST_US);
	print_memory(w.server, "after it");
}

static void
print_commands(struct sizes *s)
{
	const struct bench_home *h = &s->homes[MIDDLE];
	char vault[UUID_TEXT_LEN + 1], asset[UUID_TEXT_LEN + 1];
	const char *read[] = { s->plan->memories, "--home", h->path, "unattended", "read", vault, asset, "--client-file",
		h->client_file, NULL };
	const char *version[] = { s->plan->memories, "--version", NULL };
	double of_read[N_COMMANDS], of_version[N_COMMANDS];

	uuid_text(h->vault, vault);
	uuid_text(bench_asset(BENCH_SMALL, 1), asset);
	for (unsigned i = 0; i < N_COMMANDS; i++) {
		of_read[i] = bench_run_command(read);
		of_version[i] = bench_run_command(version);
	}
	printf("`unattended read` %.2f ms, `--version` %.2f ms, medians of %d\n", bench_median(of_read, N_COMMANDS),
	    bench_median(of_version, N_COMMANDS), N_COMMANDS);
}

void
bench_sizes(const struct bench_plan *plan)
{
	struct sizes *s = calloc(1, sizeof *s);
	char place[BENCH_PATH_MAX - 16];

	bench_must(s == NULL || plan->n_rounds > ROUNDS_MAX ? ERR_NO_MEMORY : OK, "sizes");
	s->plan = plan;
	s->n[SMALL] = 1000;
	s->n[MIDDLE] = 100000;
	s->n[BIG] = plan->quick ? 200000 : 1000000;
	for (int i = 0; i < SIZE__COUNT; i++) {
		struct bench_want want = { .n_notes = s->n[i], .file_mib = i == SMALL ? plan->quick ? 64 : 1024 : 0 };
		uint64_t began = bench_now_us();

		place_of(s, (enum size)i, place);
		bench_home_make(place, &want, &s->homes[i]);
		printf("%s%llu assets made in %.1f s\n", i == 0 ? "\n" : "", (unsigned long long)s->n[i],
		    (double)(bench_now_us() - began) / 1e6);
	}
	print_start(s);
	for (int i = 0; i < SIZE__COUNT; i++)
		start(s, (enum size)i);
	print_rest(s);
	print_stream(s);
	print_latency(s, BENCH_READ, false, "a read");
	print_latency(s, BENCH_PAGE, false, "a page of 100");
	print_latency(s, BENCH_PAGE, true, "a page of 100 at the end");
	print_commands(s);
	for (int i = 0; i < SIZE__COUNT; i++)
		bench_server_stop(&s->servers[i]);
	free(s);
}
