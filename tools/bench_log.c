#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "actors/audit_state.h"
#include "store/log_read.h"
#include "tools/bench_log.h"
#include "tools/bench_server.h"

#define N_COMMANDS 21
#define N_STARTS   5

static void
certify(const struct bench_home *h, struct log *l)
{
	const struct log_receipt *receipt;
	struct cert c;

	cert_make(h->log_key, NULL, CERT_EPOCH, log_epoch(l), log_epoch_public(l), &c);
	bench_must(log_epoch_certify(l, &c), "epoch");
	bench_must(log_commit(l, &receipt), "epoch");
}

/* As the daemon does it when an epoch is long enough. */
static void
rotate(const struct bench_home *h, struct log *l)
{
	const uint8_t *next_public;
	struct uuid next;
	struct cert c;

	bench_must(log_epoch_next(l, &next, &next_public), "epoch");
	cert_make(h->log_key, NULL, CERT_EPOCH, next, next_public, &c);
	bench_must(log_epoch_rotate(l, &c), "epoch");
}

/* The i-th read of the home's grant. */
static struct log_record
a_read(const struct bench_home *h, uint64_t i)
{
	struct log_record r = { .type = LOG_INTENT, .surface = SURFACE_CLI, .subject_kind = LOG_GRANT_ID,
		.subject = h->grant, .op = OP_READ, .vault = h->vault, .asset = bench_asset(BENCH_NOTES, i % h->want.n_notes),
		.revision = bench_asset(BENCH_NOTES, i % h->want.n_notes), .length = 256, .n_chunks = 1, .ask_id = i };

	memset(r.ticket_hash, (int)(i % 255) + 1, sizeof r.ticket_hash);
	return r;
}

void
bench_log_fill(const struct bench_home *h, uint64_t n, uint32_t group)
{
	struct settings settings = { .log_segment = 0 };
	struct audit a = { .settings = &settings, .library = h->library };
	struct log_settings log_settings;
	const struct log_receipt *receipt;
	uint64_t index;

	bench_must_not_fail(chdir(h->path), h->path);
	memcpy(a.log_public, signer_public(h->log_key), sizeof a.log_public);
	bench_must(usage_new(&a.usage), "usage");
	log_settings = audit_log_settings(&a);
	bench_must(log_open(&log_settings, &a.log), "log");
	certify(h, a.log);
	for (uint64_t i = 0; i < n; i++) {
		struct log_record r = a_read(h, i);

		r.wall = clock_wall();
		bench_must(log_append(a.log, &r, &index), "record");
		bench_must(usage_note(a.usage, &r), "usage");
		if (log_waiting(a.log) < group)
			continue;
		bench_must(log_commit(a.log, &receipt), "commit");
		if (log_epoch_due(a.log))
			rotate(h, a.log);
		(void)log_tend(a.log);
	}
	bench_must(log_commit(a.log, &receipt), "commit");
	log_close(&a.log);
	usage_free(&a.usage);
}

static double
seconds_since(uint64_t began)
{
	return (double)(bench_now_us() - began) / 1e6;
}

/* By its own processor time: what else runs on the machine is not its speed. */
static void
print_verify(bool full)
{
	struct log_verify_options options = { .dir = "audit", .full = full };
	struct log_verdict verdict;
	clock_t began = clock();
	double per_s;

	bench_must(log_verify(&options, &verdict), "verify");
	bench_must(verdict.valid ? OK : ERR_AUDIT_TAMPERED, "verify");
	per_s = (double)verdict.size * CLOCKS_PER_SEC / (double)(clock() - began);
	if (full)
		printf("audit verify --full: %.0f records a second of one core\n", per_s);
	else
		bench_print_target("audit verify, records a second of one core", per_s, 300000, true);
}

static void
print_show(const struct bench_plan *plan)
{
	const char *last[] = { plan->memories, "audit", "show", "audit", NULL };
	const char *middle[] = { plan->memories, "audit", "show", "audit", "--before", "500000", NULL };
	double of_last[N_COMMANDS], of_middle[N_COMMANDS];

	for (unsigned i = 0; i < N_COMMANDS; i++) {
		of_last[i] = bench_run_command(last);
		of_middle[i] = bench_run_command(middle);
	}
	bench_print_target("audit show of the last 100, ms", bench_median(of_last, N_COMMANDS), 50, false);
	printf("audit show of the 100 before record 500,000: %.1f ms\n", bench_median(of_middle, N_COMMANDS));
}

static void
print_start(const struct bench_plan *plan, const struct bench_home *h)
{
	const char *daemon[] = { plan->memories, "daemon", "--home", h->path, "--test-kdf", NULL };
	struct bench_server server;
	double ms[N_STARTS];

	for (unsigned i = 0; i < N_STARTS; i++) {
		bench_server_start(daemon, &server);
		ms[i] = (double)server.start_us / 1000;
		bench_server_stop(&server);
	}
	bench_print_target("start to ready, ms", bench_median(ms, N_STARTS), 2000, false);
}

void
bench_log(const struct bench_plan *plan)
{
	uint64_t n = plan->quick ? 1000000 : 10000000, began = bench_now_us();
	struct bench_want want = { .n_notes = 1000 };
	struct bench_home *h = calloc(1, sizeof *h);
	char place[BENCH_PATH_MAX - 16];

	bench_must(h == NULL ? ERR_NO_MEMORY : OK, "log");
	snprintf(place, sizeof place, "%s/log", plan->dir);
	bench_home_make(place, &want, h);
	bench_log_fill(h, n, 256);
	printf("\na log of %llu records, 256 a commit, made in %.1f s\n", (unsigned long long)n, seconds_since(began));
	print_start(plan, h);
	print_verify(false);
	print_verify(true);
	print_show(plan);
	free(h);
}
