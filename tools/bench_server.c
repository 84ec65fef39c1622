#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/bench_server.h"

uint64_t
bench_now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static size_t
read_proc(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	buf[0] = '\0';
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return 0;
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static pid_t
parent_of(pid_t pid)
{
	char text[1024];
	const char *at;
	int parent = 0;

	read_proc(pid, "stat", text, sizeof text);
	if ((at = strrchr(text, ')')) == NULL || sscanf(at + 2, "%*c %d", &parent) != 1)
		return 0;
	return (pid_t)parent;
}

static void
find_children(struct bench_server *s)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;

	s->n = 1;
	while (proc != NULL && s->n < BENCH_PROCESSES_MAX && (entry = readdir(proc)) != NULL) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && parent_of(pid) == s->pids[0])
			s->pids[s->n++] = pid;
	}
	if (proc != NULL)
		closedir(proc);
}

static void
wait_ready(int fd)
{
	char text[64];
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len < sizeof text - 1) {
		n = read(fd, text + len, sizeof text - 1 - len);
		len += n > 0 ? (size_t)n : 0;
		text[len] = '\0';
		if (strstr(text, "ready\n") != NULL)
			return;
	}
	bench_must(ERR_DAEMON_NOT_RUNNING, "the server did not get ready");
}

void
bench_server_start(const char *const *argv, struct bench_server *out)
{
	int in[2], outs[2];
	uint64_t began;

	bench_must_not_fail(pipe2(in, O_CLOEXEC), "pipe");
	bench_must_not_fail(pipe2(outs, O_CLOEXEC), "pipe");
	began = bench_now_us();
	out->pids[0] = fork();
	if (out->pids[0] == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(outs[1], STDOUT_FILENO);
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	bench_must_not_fail(out->pids[0], "fork");
	close(in[0]);
	close(outs[1]);
	out->stdin_fd = in[1];
	wait_ready(outs[0]);
	out->start_us = bench_now_us() - began;
	close(outs[0]);
	find_children(out);
}

void
bench_server_stop(struct bench_server *s)
{
	close(s->stdin_fd);
	/* A daemon stops at the signal, a gate at the end of its input. */
	if (s->n > 1)
		kill(s->pids[0], SIGTERM);
	waitpid(s->pids[0], NULL, 0);
	s->n = 0;
}

static uint64_t
ticks_of(pid_t pid)
{
	char text[1024];
	unsigned long long user = 0, system = 0;
	const char *at;

	read_proc(pid, "stat", text, sizeof text);
	if ((at = strrchr(text, ')')) == NULL ||
	    sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) != 2)
		return 0;
	return user + system;
}

uint64_t
bench_server_cpu_us(const struct bench_server *s)
{
	uint64_t ticks = 0;

	for (size_t i = 0; i < s->n; i++)
		ticks += ticks_of(s->pids[i]);
	return ticks * (1000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

static uint64_t
kib_of(const char *text, const char *label)
{
	const char *at = strstr(text, label);

	return at != NULL ? strtoull(at + strlen(label), NULL, 10) : 0;
}

struct bench_memory
bench_server_memory(const struct bench_server *s)
{
	struct bench_memory m = { 0 };
	char text[4096];

	for (size_t i = 0; i < s->n; i++) {
		read_proc(s->pids[i], "smaps_rollup", text, sizeof text);
		m.rss_kib += kib_of(text, "\nRss:");
		m.pss_kib += kib_of(text, "\nPss:");
		m.own_kib += kib_of(text, "\nPss_Anon:");
	}
	return m;
}

double
bench_run_command(const char *const *argv)
{
	uint64_t began = bench_now_us();
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
			_exit(127);
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	bench_must_not_fail(pid, "fork");
	bench_must_not_fail(waitpid(pid, &status, 0), "wait");
	bench_must(status == 0 ? OK : ERR_INTERNAL, "command");
	return (double)(bench_now_us() - began) / 1000;
}
