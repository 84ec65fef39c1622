/* bench_server: a server under measurement: started, watched through /proc, stopped. */
#ifndef TOOLS_BENCH_SERVER_H
#define TOOLS_BENCH_SERVER_H

#include <stdint.h>
#include <sys/types.h>

#include "tools/bench_home.h"

#define BENCH_PROCESSES_MAX 8

struct bench_server {
	pid_t    pids[BENCH_PROCESSES_MAX]; /* the one that was started, then its children */
	size_t   n;
	int      stdin_fd;
	uint64_t start_us; /* from fork to "ready" */
};

/* argv[0] is a path. Returns when it has said ready. */
void bench_server_start(const char *const *argv, struct bench_server *out);
void bench_server_stop(struct bench_server *s);

/* Processor time of all its processes. */
uint64_t bench_server_cpu_us(const struct bench_server *s);

struct bench_memory {
	uint64_t rss_kib; /* shared pages once a process */
	uint64_t pss_kib; /* shared pages once */
	uint64_t own_kib; /* of pss, without the pages of files: what cannot be given back */
};

struct bench_memory bench_server_memory(const struct bench_server *s);

uint64_t bench_now_us(void);

/* Wall time of a command in ms, its output thrown away. It must succeed. */
double bench_run_command(const char *const *argv);

#endif
