#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "mailbox/dial.h"

/* SP: a hello of 8 bytes that ends in the protocol's number, then messages
 * under a byte 1 and a u64 length, which start with the request's id. */
#define HELLO_LEN  8
#define HEADER_LEN 9
#define ID_LEN     4
#define ID_BIT     0x80000000u

static const uint8_t own_hello[HELLO_LEN] = { 0, 'S', 'P', 0, 0, 0x30, 0, 0 };  /* REQ */
static const uint8_t gate_hello[HELLO_LEN] = { 0, 'S', 'P', 0, 0, 0x31, 0, 0 }; /* REP */

#define RETRY_MS      10
#define HELLO_MS      1000  /* to wait for a listener's hello, whatever the patience */
#define SEND_WAITS_MS 10000 /* a daemon that reads nothing for so long is gone */
#define IN_MIN        (16u * 1024)
#define IN_MAX        (HEADER_LEN + ID_LEN + MESSAGE_MAX)

struct dial {
	int      fd;      /* -1: closed, after something went wrong */
	uint32_t last_id;
	uint8_t *in;      /* what was read and not yet given out */
	size_t   in_len;
	size_t   in_cap;
	size_t   in_used; /* given out by the last receive */
	uint8_t *out;
	size_t   out_cap;
};

/* Real time, whatever clock tests put in: others do the waiting here. */
static uint64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* True when one of the events, or an end, is there before the time. */
static bool
wait_for(int fd, short events, uint64_t ends_ms, short *seen)
{
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		uint64_t now = now_ms();
		int n = poll(&p, 1, now < ends_ms ? (int)(ends_ms - now) : 0);

		if (n > 0) {
			*seen = p.revents;
			return true;
		}
		if (n == 0 && now >= ends_ms)
			return false;
		if (n < 0 && errno != EINTR)
			return false;
	}
}

static void
hang_up(struct dial *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
	d->in_len = 0;
	d->in_used = 0;
}

static bool
peer_is_ours(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof peer;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == getuid();
}

/*
 * Exchanges hellos. The listener's is waited for whatever happens: to leave
 * before it has come can end an nng listener.
 * ERR_TIMEOUT. ERR_INTERRUPTED: it hung up. ERR_PROTOCOL: it is no gate.
 */
static enum err
exchange_hellos(int fd, uint64_t ends_ms)
{
	uint8_t hello[HELLO_LEN];
	size_t len = 0;
	short seen;

	if (send(fd, own_hello, HELLO_LEN, MSG_NOSIGNAL) != HELLO_LEN)
		return ERR_INTERRUPTED;
	while (len < HELLO_LEN) {
		ssize_t n;

		if (!wait_for(fd, POLLIN, ends_ms, &seen))
			return ERR_TIMEOUT;
		n = recv(fd, hello + len, HELLO_LEN - len, 0);
		if (n > 0)
			len += (size_t)n;
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			return ERR_INTERRUPTED;
	}
	return memcmp(hello, gate_hello, HELLO_LEN) == 0 ? OK : ERR_PROTOCOL;
}

/* One try. ERR_DAEMON_NOT_RUNNING: nobody listens there. Or as exchange_hellos. */
static enum err
try_once(const struct sockaddr_un *a, uint64_t ends_ms, int *out)
{
	enum err e;
	int fd;

	if ((fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) < 0)
		return ERR_NO_MEMORY;
	if (connect(fd, (const struct sockaddr *)a, sizeof *a) != 0) {
		if (errno == EAGAIN)
			e = ERR_INTERRUPTED;
		else
			e = errno == EACCES || errno == EPERM ? ERR_NOT_OWNER : ERR_DAEMON_NOT_RUNNING;
	} else {
		e = peer_is_ours(fd) ? exchange_hellos(fd, ends_ms) : ERR_NOT_OWNER;
	}
	if (e != OK) {
		close(fd);
		return e;
	}
	*out = fd;
	return OK;
}

/*
 * Until the patience ends, while trying again can help. A listener that hung
 * up dies or is made anew, and a killed one may take its time: what it leaves
 * is waited for as long as a hello is.
 */
static enum err
try_all(const struct sockaddr_un *a, unsigned patience_ms, int *out)
{
	uint64_t began = now_ms();
	enum err e;

	for (;;) {
		unsigned patience = patience_ms;

		/* A listener that is made anew may leave a connection behind, forgotten. */
		e = try_once(a, now_ms() + HELLO_MS, out);
		if (e != ERR_DAEMON_NOT_RUNNING && e != ERR_INTERRUPTED && e != ERR_TIMEOUT)
			return e;
		if (e == ERR_INTERRUPTED && patience < HELLO_MS)
			patience = HELLO_MS;
		if (now_ms() >= began + patience)
			return e == ERR_INTERRUPTED ? ERR_TIMEOUT : e;
		poll(NULL, 0, RETRY_MS);
	}
}

enum err
dial_open(const char *path, unsigned patience_ms, struct dial **out)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct dial *d;
	enum err e;

	if (strlen(path) >= sizeof a.sun_path)
		return ERR_INVALID_ARGUMENT;
	memcpy(a.sun_path, path, strlen(path) + 1);
	if ((d = calloc(1, sizeof *d)) == NULL)
		return ERR_NO_MEMORY;
	d->fd = -1;
	if ((e = try_all(&a, patience_ms, &d->fd)) != OK) {
		dial_close(&d);
		return e;
	}
	*out = d;
	return OK;
}

void
dial_close(struct dial **d)
{
	if (*d == NULL)
		return;
	hang_up(*d);
	free((*d)->in);
	free((*d)->out);
	free(*d);
	*d = NULL;
}

int
dial_fd(const struct dial *d)
{
	return d->fd;
}

static enum err
grow(uint8_t **p, size_t *cap, size_t want)
{
	size_t size = *cap < IN_MIN ? IN_MIN : *cap;
	uint8_t *grown;

	while (size < want)
		size *= 2;
	if (size == *cap)
		return OK;
	if ((grown = realloc(*p, size)) == NULL)
		return ERR_NO_MEMORY;
	*p = grown;
	*cap = size;
	return OK;
}

/* Forgets what the last receive gave out. */
static void
forget_used(struct dial *d)
{
	if (d->in_used == 0)
		return;
	d->in_len -= d->in_used;
	memmove(d->in, d->in + d->in_used, d->in_len);
	d->in_used = 0;
}

/* Reads what there is, without waiting, up to the given length of input. */
static enum err
read_some(struct dial *d, size_t up_to)
{
	ssize_t n;
	enum err e;

	if (up_to < IN_MIN)
		up_to = IN_MIN;
	if ((e = grow(&d->in, &d->in_cap, up_to)) != OK)
		return e;
	if (d->in_len == d->in_cap)
		return OK;
	n = recv(d->fd, d->in + d->in_len, d->in_cap - d->in_len, MSG_DONTWAIT);
	if (n > 0)
		d->in_len += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		return ERR_INTERRUPTED;
	return OK;
}

/*
 * While the daemon's answers fill the socket it may read nothing, so answers
 * are taken in while a request goes out, as far as they have room.
 */
static enum err
write_all(struct dial *d, const uint8_t *p, size_t len)
{
	uint64_t ends = now_ms() + SEND_WAITS_MS;
	enum err e;

	while (len > 0) {
		bool room = d->in_len < IN_MAX;
		ssize_t n = send(d->fd, p, len, MSG_NOSIGNAL);
		short seen;

		if (n > 0) {
			p += n;
			len -= (size_t)n;
			ends = now_ms() + SEND_WAITS_MS;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return ERR_INTERRUPTED;
		if (!wait_for(d->fd, (short)(POLLOUT | (room ? POLLIN : 0)), ends, &seen))
			return ERR_INTERRUPTED;
		if (room && (seen & POLLIN) != 0 && (e = read_some(d, IN_MAX)) != OK)
			return e;
	}
	return OK;
}

enum err
dial_send(struct dial *d, enum msg type, const void *body, uint32_t *request)
{
	uint32_t id = d->last_id + 1;
	struct wire_out head;
	struct wire_out w;
	enum err e;

	if (d->fd < 0)
		return ERR_INTERRUPTED;
	if ((e = grow(&d->out, &d->out_cap, IN_MAX)) != OK)
		return e;
	w = wire_out(d->out + HEADER_LEN, ID_LEN + MESSAGE_MAX);
	wire_put_u32(&w, id | ID_BIT);
	message_put(&w, type, id, body);
	if (w.failed)
		return ERR_INTERNAL;
	head = wire_out(d->out, HEADER_LEN);
	wire_put_u8(&head, 1);
	wire_put_u64(&head, w.len);
	if ((e = write_all(d, d->out, HEADER_LEN + w.len)) != OK) {
		hang_up(d);
		return e;
	}
	d->last_id = id & ~ID_BIT;
	*request = d->last_id;
	return OK;
}

/* The length of the first message that is in, or will be; 0: its header is not in yet. */
static enum err
first_len(const struct dial *d, size_t *len)
{
	struct wire_in in = wire_in(d->in, d->in_len);
	uint64_t body_len;

	*len = 0;
	if (d->in_len < HEADER_LEN)
		return OK;
	if (wire_take_u8(&in) != 1)
		return ERR_PROTOCOL;
	body_len = wire_take_u64(&in);
	if (body_len < ID_LEN || body_len > ID_LEN + MESSAGE_MAX)
		return ERR_PROTOCOL;
	*len = HEADER_LEN + (size_t)body_len;
	return OK;
}

static enum err
read_message(struct dial *d, uint64_t ends_ms, size_t *len)
{
	short seen;
	enum err e;

	for (;;) {
		if ((e = first_len(d, len)) != OK)
			return e;
		if (*len > 0 && d->in_len >= *len)
			return OK;
		if ((e = read_some(d, *len)) != OK)
			return e;
		if ((e = first_len(d, len)) != OK || (*len > 0 && d->in_len >= *len))
			return e;
		if (!wait_for(d->fd, POLLIN, ends_ms, &seen))
			return ERR_TIMEOUT;
	}
}

enum err
dial_receive(struct dial *d, unsigned timeout_ms, uint32_t *request,
    enum msg *type, union any_body *body)
{
	struct wire_in in;
	enum msg got = MSG_NONE;
	union any_body taken;
	uint64_t ask_id;
	uint32_t id;
	size_t len;
	enum err e;

	if (d->fd < 0)
		return ERR_INTERRUPTED;
	forget_used(d);
	if ((e = read_message(d, now_ms() + timeout_ms, &len)) != OK)
		goto out;
	in = wire_in(d->in + HEADER_LEN, len - HEADER_LEN);
	id = wire_take_u32(&in);
	message_take(&in, ACTOR_GATE, ACTOR_CLIENT, &got, &ask_id, &taken);
	e = ERR_PROTOCOL;
	if (in.failed || (id & ID_BIT) == 0)
		goto out;
	d->in_used = len;
	*request = id & ~ID_BIT;
	*type = got;
	*body = taken;
	return OK;

out:
	if (e != ERR_TIMEOUT)
		hang_up(d);
	return e;
}
