#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gateway/client.h"
#include "store/log_commit.h"
#include "tools/bench_load.h"
#include "tools/bench_server.h"

#define TIMES_MAX ((size_t)1 << 22)

struct clients {
	const struct bench_load *load;
	struct client      *clients[BENCH_CLIENTS_MAX];
	struct client_asked asked[BENCH_CLIENTS_MAX];
	uint64_t            began[BENCH_CLIENTS_MAX];
	struct pollfd       fds[BENCH_CLIENTS_MAX];
	uint32_t           *times;
	size_t              n_times;
	uint64_t            n_all;
	double              n_commits; /* an answer counts as its part of one */
};

uint64_t
bench_chance(uint64_t n)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

void
bench_result_of(uint32_t *times, size_t n, uint64_t took_us, struct bench_result *out)
{
	for (size_t gap = n / 2; gap > 0; gap /= 2)
		for (size_t i = gap; i < n; i++) {
			uint32_t t = times[i];
			size_t j = i;

			for (; j >= gap && times[j - gap] > t; j -= gap)
				times[j] = times[j - gap];
			times[j] = t;
		}
	out->n = n;
	out->per_s = (double)n * 1e6 / (double)(took_us > 0 ? took_us : 1);
	out->p50_us = n > 0 ? times[n / 2] : 0;
	out->p99_us = n > 0 ? times[n * 99 / 100] : 0;
}

static void
ask(struct clients *c, size_t i)
{
	const struct bench_load *l = c->load;
	struct client_want want = { .op = OP_READ, .surface = SURFACE_CLI, .vault = l->home->vault, .limit = CHUNK_LEN,
		.token = l->home->token, .grant_type = GRANT_UNATTENDED };

	if (l->what == BENCH_PAGE) {
		want.op = OP_LIST;
		want.offset = l->offset;
		want.limit = 100;
	} else {
		want.asset = bench_asset(l->group, bench_chance(bench_group_size(l->group, &l->home->want)));
	}
	c->began[i] = bench_now_us();
	bench_must(client_ask_send(c->clients[i], &want, &c->asked[i]), "ask");
}

static double
part_of_commit(const struct ack_body *ack)
{
	struct wire_in in = wire_in(ack->commit, sizeof ack->commit);
	struct log_commit commit;

	log_commit_take(&in, &commit);
	return in.failed ? 0 : 1 / (double)commit.count;
}

static void
take(struct clients *c, size_t i)
{
	struct client_answer *a = NULL;
	union any_body answer;

	bench_must(client_ask_wait(c->clients[i], &c->asked[i], &answer), "answer");
	c->n_commits += part_of_commit(&answer.answer.ack);
	if (!c->load->no_open)
		bench_must(client_ask_open(c->clients[i], &c->asked[i], &answer.answer, &a), "open");
	client_answer_free(&a);
	c->n_all++;
	if (c->n_times < TIMES_MAX)
		c->times[c->n_times++] = (uint32_t)(bench_now_us() - c->began[i]);
}

static void
run_until(struct clients *c, uint64_t end)
{
	unsigned n = c->load->n_clients;

	while (bench_now_us() < end) {
		poll(c->fds, n, 1000);
		for (size_t i = 0; i < n; i++)
			if (c->fds[i].revents != 0) {
				take(c, i);
				ask(c, i);
			}
	}
}

static uint64_t
own_cpu_us(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000u + (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static void
open_clients(struct clients *c)
{
	const struct bench_load *l = c->load;

	bench_must_not_fail(chdir(l->home->path), l->home->path);
	for (size_t i = 0; i < l->n_clients; i++) {
		bench_must(client_open(&c->clients[i]), "hello");
		bench_must(client_trust(c->clients[i], signer_public(l->home->log_key)), "trust");
		c->fds[i] = (struct pollfd){ .fd = client_fd(c->clients[i]), .events = POLLIN };
	}
}

void
bench_load_run(const struct bench_load *load, struct bench_result *out)
{
	struct clients *c = calloc(1, sizeof *c);
	uint64_t began, cpu;

	if (c == NULL || (c->times = malloc(TIMES_MAX * sizeof *c->times)) == NULL)
		bench_must(ERR_NO_MEMORY, "load");
	c->load = load;
	open_clients(c);
	for (size_t i = 0; i < load->n_clients; i++)
		ask(c, i);
	run_until(c, bench_now_us() + load->run_us / 10);
	c->n_times = 0;
	c->n_commits = 0;
	began = bench_now_us();
	cpu = own_cpu_us();
	run_until(c, began + load->run_us);
	bench_result_of(c->times, c->n_times, bench_now_us() - began, out);
	out->per_sync = c->n_commits > 0 ? (double)c->n_times / c->n_commits : 0;
	out->own_cpu_us = (double)(own_cpu_us() - cpu) / (double)(out->n > 0 ? out->n : 1);
	for (size_t i = 0; i < load->n_clients; i++) {
		take(c, i);
		client_close(&c->clients[i]);
	}
	out->n_all = c->n_all;
	free(c->times);
	free(c);
}

uint64_t
bench_load_stream(const struct bench_home *h, void (*each)(void *arg), void *arg)
{
	struct client_want want = { .op = OP_READ, .surface = SURFACE_CLI, .vault = h->vault, .limit = CHUNK_LEN,
		.asset = bench_asset(BENCH_FILE, 0), .token = h->token, .grant_type = GRANT_UNATTENDED };
	struct client_bytes b = { .at_end = false };
	struct client *c = NULL;

	bench_must_not_fail(chdir(h->path), h->path);
	bench_must(client_open(&c), "hello");
	bench_must(client_trust(c, signer_public(h->log_key)), "trust");
	while (!b.at_end) {
		bench_must(client_read(c, &want, &b), "read");
		want.offset += b.data != NULL ? secret_len(b.data) : 0;
		client_bytes_free(&b);
		each(arg);
	}
	client_close(&c);
	return want.offset;
}
