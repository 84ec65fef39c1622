#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "mailbox/edge_listen.h"
#include "mailbox/host.h"
#include "mailbox/log_line.h"

#define KNOCK_EVERY_MS 1000
#define KNOCK_EAGER_MS 100  /* while somebody should come in and does not */
#define KNOCK_WAITS_MS 600u
#define SLOWER_TIMES   4    /* the wait doubles, after that many vain mendings no more */
#define RETRY_MS       50
#define CLOSE_LOOK_MS  2    /* closing takes far less than a millisecond, as a rule */

/* A burst of clients can fill the backlog for a moment; a dead listener's stays full. */
#define FULL_RETRY_MS  100
#define FULL_TIMES     5

/* nng that does less than this has stopped. */
#define BURIED_WITHIN_MS 10000
#define CLOSED_WITHIN_MS 10000
#define VAIN_TIMES       10

#define HELLO_LEN 8

/*
 * An SP hello of a protocol that nobody speaks. A listener that lives hangs up
 * on it, before it could take a pair socket's only place. One that died still
 * greets, in nng's transport, but nobody takes the connection over from there.
 */
static const uint8_t knock_hello[HELLO_LEN] = { 0, 'S', 'P', 0, 0xff, 0xff, 0, 0 };

static bool
listen_now(struct edge_listen *l)
{
	char url[sizeof "ipc://" + EDGE_LISTEN_PATH_MAX];

	snprintf(url, sizeof url, "ipc://%s", l->path);
	/* What a predecessor left: nng would connect to see whether it is alive, which not every process may. */
	(void)unlink(l->path);
	if (nng_listener_create(&l->listener, l->socket, url) != 0)
		return false;
	if (nng_listener_set_int(l->listener, NNG_OPT_IPC_PERMISSIONS, 0600) == 0 &&
	    nng_listener_start(l->listener, 0) == 0)
		return true;
	nng_listener_close(l->listener);
	return false;
}

enum err
edge_listen_open(struct edge_listen *l, nng_socket socket, const char *path)
{
	*l = (struct edge_listen){ .socket = socket, .knock_fd = -1 };
	if (strlen(path) > EDGE_LISTEN_PATH_MAX)
		return ERR_UNSUPPORTED;
	memcpy(l->path, path, strlen(path) + 1);
	l->knock_next.ms = clock_mono().ms + KNOCK_EVERY_MS;
	l->listening = listen_now(l);
	return l->listening ? OK : ERR_UNSUPPORTED;
}

static void
close_knock(struct edge_listen *l)
{
	if (l->knock_fd >= 0)
		close(l->knock_fd);
	l->knock_fd = -1;
}

static void
knock_end(struct edge_listen *l, struct mono_ms now, bool alive)
{
	close_knock(l);
	l->dead = !alive;
	l->knock_next.ms = now.ms + KNOCK_EVERY_MS;
}

/* Mending did not help: perhaps it is not dead but slow. */
static struct mono_ms
patience(const struct edge_listen *l, struct mono_ms now)
{
	return (struct mono_ms){ now.ms + (KNOCK_WAITS_MS << (l->n_vain < SLOWER_TIMES ? l->n_vain : SLOWER_TIMES)) };
}

/* Nobody can knock here from inside. */
static void
await_somebody(struct edge_listen *l, struct mono_ms now)
{
	close_knock(l);
	l->awaits = true;
	l->n_came_before = l->n_came;
	l->knock_ends = patience(l, now);
}

/* Who waits for nobody has no use for a door: it is as good as alive. */
static void
await_look(struct edge_listen *l, struct mono_ms now, enum edge_listen_mood mood)
{
	bool alive = mood != EDGE_LISTEN_EAGER || l->n_came != l->n_came_before;

	if (!alive && now.ms < l->knock_ends.ms)
		return;
	l->awaits = false;
	knock_end(l, now, alive);
}

static void
knock(struct edge_listen *l, struct mono_ms now)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	bool waits;

	if ((l->knock_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) < 0) {
		/* Short of descriptors: nothing was learned. */
		l->knock_next.ms = now.ms + KNOCK_EVERY_MS;
		return;
	}
	memcpy(a.sun_path, l->path, strlen(l->path) + 1);
	if (connect(l->knock_fd, (struct sockaddr *)&a, sizeof a) != 0) {
		if (errno == EPERM) {
			await_somebody(l, now);
			return;
		}
		waits = errno == EAGAIN && ++l->n_full < FULL_TIMES;
		knock_end(l, now, waits);
		if (waits)
			l->knock_next.ms = now.ms + FULL_RETRY_MS;
		return;
	}
	l->n_full = 0;
	l->knock_ends = patience(l, now);
	if (l->burial_ends.ms == 0)
		l->n_buried_then = l->n_buried;
	if (send(l->knock_fd, knock_hello, HELLO_LEN, MSG_NOSIGNAL) != HELLO_LEN)
		knock_end(l, now, false);
}

static void
knock_look(struct edge_listen *l, struct mono_ms now, bool can_wait)
{
	uint8_t answer[HELLO_LEN];
	ssize_t n;

	while ((n = recv(l->knock_fd, answer, sizeof answer, MSG_DONTWAIT)) > 0)
		;
	if (n == 0 || errno == ECONNRESET) {
		knock_end(l, now, true);
		if (l->burial_ends.ms == 0)
			l->burial_ends.ms = now.ms + BURIED_WITHIN_MS;
	} else if ((errno != EAGAIN && errno != EINTR) || (now.ms >= l->knock_ends.ms && !can_wait))
		knock_end(l, now, false);
}

/* True once the dead listener is out of the way. */
static bool
is_closed(struct edge_listen *l, struct mono_ms now)
{
	if (l->listening) {
		l->listening = false;
		l->closing = edge_closing_listener(l->listener);
		l->closing_ends.ms = now.ms + CLOSED_WITHIN_MS;
	}
	l->knock_next.ms = now.ms + CLOSE_LOOK_MS;
	return edge_closing_done(&l->closing);
}

static void
mend(struct edge_listen *l, struct mono_ms now)
{
	if (!is_closed(l, now))
		return;
	l->listening = listen_now(l);
	l->n_full = 0;
	l->dead = !l->listening;
	l->knock_next.ms = now.ms + (l->dead ? RETRY_MS : KNOCK_EVERY_MS);
	l->n_vain = l->n_came == l->n_came_then ? l->n_vain + 1 : 0;
	l->n_came_then = l->n_came;
	if (!l->dead)
		log_line_say(l->path, "listens anew, time", ++l->n_mended);
}

/* Whether there is still hope. A connection that knocked and was shown out must be buried. */
static void
watch_nng(struct edge_listen *l, struct mono_ms now)
{
	if (l->n_buried != l->n_buried_then)
		l->burial_ends.ms = 0;
	if (l->n_vain < VAIN_TIMES && (l->burial_ends.ms == 0 || now.ms < l->burial_ends.ms) &&
	    (l->closing == NULL || now.ms < l->closing_ends.ms))
		return;
	log_line_say(l->path, "nng has stopped, mended times", l->n_mended);
	host_fail(ERR_INTERNAL);
}

void
edge_listen_close(struct edge_listen *l)
{
	close_knock(l);
	edge_closing_leave(&l->closing);
}

void
edge_listen_came(struct edge_listen *l)
{
	l->n_came++;
}

void
edge_listen_buried(struct edge_listen *l)
{
	l->n_buried++;
}

static struct mono_ms
next_look(const struct edge_listen *l, struct mono_ms now)
{
	struct mono_ms next = l->knock_fd >= 0 || l->awaits ? l->knock_ends : l->knock_next;

	/* It is past for a knock that may wait, and for a door that is not mended now. */
	return next.ms > now.ms ? next : (struct mono_ms){ now.ms + KNOCK_EVERY_MS };
}

struct mono_ms
edge_listen_tick(struct edge_listen *l, struct mono_ms now, enum edge_listen_mood mood)
{
	if (mood == EDGE_LISTEN_EAGER && l->knock_next.ms > now.ms + KNOCK_EAGER_MS)
		l->knock_next.ms = now.ms + KNOCK_EAGER_MS;
	if (l->knock_fd >= 0)
		knock_look(l, now, mood == EDGE_LISTEN_CONTENT);
	if (l->awaits)
		await_look(l, now, mood);
	if (l->closing != NULL || (l->dead && mood != EDGE_LISTEN_CONTENT &&
	    (l->listening || now.ms >= l->knock_next.ms)))
		mend(l, now);
	else if (l->knock_fd < 0 && !l->awaits && !l->dead && now.ms >= l->knock_next.ms)
		knock(l, now);
	watch_nng(l, now);
	return next_look(l, now);
}
