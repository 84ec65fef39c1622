#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "actors/http_server.h"
#include "tools/bench_home.h"
#include "tools/bench_http.h"

#define BODY_LEN 2048

struct fixed {
	struct http_server *server;
	atomic_bool         is_over;
	char                body[BODY_LEN];
};

static void
answer(void *arg, struct http_exchange *x)
{
	const struct fixed *f = arg;
	struct http_response r;

	http_response_start(&r, 200);
	http_response_body(&r, "application/json", (struct span){ (const uint8_t *)f->body, BODY_LEN });
	http_exchange_answer(x, &r);
}

/* {"fixed":"xxx…"} */
static void
fill(char body[BODY_LEN])
{
	static const char head[] = "{\"fixed\":\"", tail[] = "\"}";

	memset(body, 'x', BODY_LEN);
	memcpy(body, head, sizeof head - 1);
	memcpy(body + BODY_LEN - (sizeof tail - 1), tail, sizeof tail - 1);
}

static void *
wait_for_the_end(void *arg)
{
	struct fixed *f = arg;
	char c;

	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	f->is_over = true;
	http_server_wake(f->server);
	return NULL;
}

int
bench_http_run(void)
{
	static struct fixed f;
	struct http_config *config = NULL;
	struct http_server_config server = { .connections_max = 4096, .on_request = answer, .arg = &f };
	pthread_t thread;

	fill(f.body);
	bench_must(http_config_default(&config), "config");
	config->port = 0;
	config->peer_connections = 4096;
	server.http = config;
	bench_must(http_server_new(&server, &f.server), "server");
	bench_must(http_server_listen(f.server), "listen");
	printf("%u\n", http_server_port(f.server));
	bench_must(pthread_create(&thread, NULL, wait_for_the_end, &f) == 0 ? OK : ERR_NO_MEMORY, "thread");
	while (!f.is_over) {
		http_server_wait(f.server);
		http_server_tick(f.server, clock_mono());
	}
	pthread_join(thread, NULL);
	http_server_free(&f.server);
	http_config_free(&config);
	return 0;
}
