#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "actors/process.h"
#include "actors/sandbox.h"
#include "actors/settings.h"
#include "escrow/hash.h"
#include "escrow/secret.h"

_Static_assert(ERR__COUNT < PROCESS_END_PROFILE, "an error fits a byte beside the words");

#define CONFIG_MAX 32768

static void
config_put(struct wire_out *o, const struct process_config *c)
{
	wire_put_u8(o, c->one_process);
	wire_put_u8(o, c->process);
	wire_put_u8(o, c->sandbox);
	wire_put_u8(o, c->guard);
	wire_put_u8(o, c->trace);
	wire_put_u8(o, c->pin);
	wire_put_u32(o, c->supervisor_pid);
	wire_put_u32(o, c->kdf_memory_kib_min);
	wire_put_u64(o, c->log_first_segment);
	wire_put_u64(o, c->log_segment);
	wire_put_u64(o, c->log_epoch_records);
	wire_put_u64(o, c->idle_lock_ms);
	wire_put_span(o, (struct span){ (const uint8_t *)c->home, strlen(c->home) });
	wire_put_span(o, (struct span){ (const uint8_t *)c->weakened, strlen(c->weakened) });
	wire_put_u16(o, (uint16_t)c->n_edges);
	for (size_t i = 0; i < c->n_edges; i++) {
		wire_put_u8(o, (uint8_t)c->edges[i].a);
		wire_put_u8(o, (uint8_t)c->edges[i].b);
		wire_put_u8(o, c->edges[i].here[0]);
		wire_put_u8(o, c->edges[i].here[1]);
		wire_put_bytes(o, c->edges[i].key, PAIR_KEY_LEN);
	}
}

static void
take_text(struct wire_in *in, char *out, size_t size)
{
	struct span s = wire_take_span(in, size - 1);

	if (s.p != NULL)
		memcpy(out, s.p, s.len);
	out[s.len] = '\0';
}

static void
config_take(struct wire_in *in, struct process_config *c)
{
	c->one_process = wire_take_u8(in);
	c->process = wire_take_u8(in);
	c->sandbox = wire_take_u8(in);
	c->guard = wire_take_u8(in);
	c->trace = wire_take_u8(in);
	c->pin = wire_take_u8(in);
	c->supervisor_pid = wire_take_u32(in);
	c->kdf_memory_kib_min = wire_take_u32(in);
	c->log_first_segment = wire_take_u64(in);
	c->log_segment = wire_take_u64(in);
	c->log_epoch_records = wire_take_u64(in);
	c->idle_lock_ms = wire_take_u64(in);
	take_text(in, c->home, sizeof c->home);
	take_text(in, c->weakened, sizeof c->weakened);
	c->n_edges = wire_take_u16(in);
	if (c->n_edges > sizeof c->edges / sizeof *c->edges)
		in->failed = true;
	for (size_t i = 0; i < c->n_edges && !in->failed; i++) {
		c->edges[i].a = (enum actor)wire_take_u8(in);
		c->edges[i].b = (enum actor)wire_take_u8(in);
		c->edges[i].here[0] = wire_take_u8(in);
		c->edges[i].here[1] = wire_take_u8(in);
		wire_take_bytes(in, c->edges[i].key, PAIR_KEY_LEN);
	}
}

static enum err
write_all(int fd, const uint8_t *p, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return ERR_INTERNAL;
		p += n;
		len -= (size_t)n;
	}
	return OK;
}

static enum err
read_all(int fd, uint8_t *p, size_t len)
{
	while (len > 0) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return ERR_INTERNAL;
		p += n;
		len -= (size_t)n;
	}
	return OK;
}

enum err
process_config_send(int fd, const struct process_config *c)
{
	uint8_t buf[CONFIG_MAX];
	struct wire_out o = wire_out(buf + 4, sizeof buf - 4), head = wire_out(buf, 4);
	enum err e;

	config_put(&o, c);
	wire_put_u32(&head, (uint32_t)o.len);
	e = o.failed ? ERR_INTERNAL : write_all(fd, buf, 4 + o.len);
	wipe(buf, sizeof buf);
	return e;
}

static enum err
config_receive(int fd, struct process_config *c)
{
	uint8_t buf[CONFIG_MAX];
	struct wire_in in;
	uint32_t len;
	enum err e;

	if ((e = read_all(fd, buf, 4)) != OK)
		return e;
	in = wire_in(buf, 4);
	if ((len = wire_take_u32(&in)) > sizeof buf)
		return ERR_INTERNAL;
	if ((e = read_all(fd, buf, len)) == OK) {
		in = wire_in(buf, len);
		config_take(&in, c);
		e = wire_done(&in) ? OK : ERR_INTERNAL;
	}
	wipe(buf, sizeof buf);
	return e;
}

static void
edge_tag(const uint8_t key[PAIR_KEY_LEN], const void *p, size_t len, uint8_t out[32])
{
	struct key *k = NULL;

	memset(out, 0, 32);
	if (key_of(key, &k) != OK)
		return;
	keyed_tag(k, "memories/edge/v1", (struct span){ p, len }, out);
	key_free(&k);
}

/* Dies with the supervisor, also when that died before this could be said. */
static enum err
follow_supervisor(const struct process_config *c)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		return ERR_UNSUPPORTED;
	return getppid() == (pid_t)c->supervisor_pid ? OK : ERR_INTERRUPTED;
}

/* Signals are the supervisor's: a terminal's Ctrl-C reaches the whole group. */
static void
ignore_signals(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
}

static void
say_connected(void *arg)
{
	(void)arg;
	(void)write_all(PROCESS_FD, &(uint8_t){ PROCESS_CONNECTED }, 1);
}

/* Its listener is open: nothing that could open another one, or touch a file, is needed any more. */
static enum err
settle(void *arg)
{
	(void)arg;
	return sandbox_settle();
}

/* Every connection is a descriptor: as many as the system gives, less those of everything else. */
static unsigned
take_descriptors(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0)
		return HTTP_CONNECTIONS_MAX / 16;
	r.rlim_cur = r.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &r);
	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur / 4 * 3 >= HTTP_CONNECTIONS_MAX)
		return HTTP_CONNECTIONS_MAX;
	return (unsigned)(r.rlim_cur / 4 * 3);
}

/* Files that the endpoint needs are read while it may still open some. */
static void
read_http_config(struct settings *settings, struct http_config **http)
{
	settings->http_connections = take_descriptors();
	settings->http_error = http_config_read(AT_FDCWD, http);
	settings->http = *http;
}

static enum err
run(const struct process_config *c, const struct roster *roster)
{
	const struct roster_process *p = &roster->processes[c->process];
	struct settings settings = {
		.home = c->home, .log_first_segment = c->log_first_segment, .log_segment = c->log_segment,
		.log_epoch_records = c->log_epoch_records, .idle_lock_ms = c->idle_lock_ms,
		.kdf_memory_kib_min = c->kdf_memory_kib_min, .sandbox = c->sandbox, .guard = c->guard,
		.ready_fd = PROCESS_FD, .weakened = c->weakened,
	};
	struct host_config host = {
		.actors = p->actors, .edges = c->edges, .n_edges = c->n_edges, .tag = edge_tag,
		.run_dir = "run", .supervisor_pid = (int)c->supervisor_pid, .control_fd = PROCESS_FD,
		.settings = &settings, .trace_fd = c->trace ? STDERR_FILENO : -1, .pin = c->pin,
		.connected = say_connected,
	};
	struct http_config *http = NULL;
	enum err e;

	(void)prctl(PR_SET_NAME, p->name, 0, 0, 0);
	/* They may not look into /proc: who calls is known by the edge's key alone. */
	if (c->sandbox && (p->sandbox == SANDBOX_SEARCH || p->sandbox == SANDBOX_HTTP))
		host.supervisor_pid = 0;
	if (c->sandbox && p->sandbox == SANDBOX_SEARCH)
		host.ready = settle;
	while (p->actors[host.n_actors] != NULL)
		host.n_actors++;
	if (roster_process_of(roster, ACTOR_GATE) == c->process)
		host.front_door = "service.sock";
	if ((e = secret_init(!c->guard)) != OK)
		return e;
	if (roster_process_of(roster, ACTOR_HTTP) == c->process)
		read_http_config(&settings, &http);
	if (!c->sandbox || (e = sandbox_enter(p->sandbox)) == OK)
		e = host_run(&host);
	http_config_free(&http);
	return e;
}

int
process_run(void)
{
	struct process_config *c = calloc(1, sizeof *c);
	const struct roster *roster;
	enum err e = c == NULL ? ERR_NO_MEMORY : OK;

	ignore_signals();
	/* Before the edge keys are here; a debugging daemon lifts it again. */
	if (e == OK && (e = sandbox_guard(true)) == OK && (e = config_receive(PROCESS_FD, c)) == OK &&
	    (c->guard || (e = sandbox_guard(false)) == OK) && (e = follow_supervisor(c)) == OK) {
		roster = c->one_process ? &roster_one_process : &roster_default;
		if (c->process >= roster->n_processes)
			e = ERR_INTERNAL;
		else
			e = run(c, roster);
	}
	if (e != OK)
		(void)write_all(PROCESS_FD, &(uint8_t){ (uint8_t)e }, 1);
	if (c != NULL)
		wipe(c, sizeof *c);
	free(c);
	return err_exit(e);
}
