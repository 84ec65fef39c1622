#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mailbox/front_conn.h"

#define HELLO_LEN  8
#define HEADER_LEN 9
#define ID_LEN     4
#define ID_BIT     0x80000000u
#define FRAME_MAX  (HEADER_LEN + ID_LEN + MESSAGE_MAX)
#define IN_MIN     (4u * 1024)

static const uint8_t own_hello[HELLO_LEN] = { 0, 'S', 'P', 0, 0, 0x31, 0, 0 };   /* REP */
static const uint8_t asker_hello[HELLO_LEN] = { 0, 'S', 'P', 0, 0, 0x30, 0, 0 }; /* REQ */

void
front_conn_open(struct front_conn *c, int fd, uint32_t pid)
{
	*c = (struct front_conn){ .fd = fd, .pid = pid };
	/* An empty socket has room for eight bytes. */
	c->broken = send(fd, own_hello, HELLO_LEN, MSG_NOSIGNAL) != HELLO_LEN;
}

void
front_conn_close(struct front_conn *c)
{
	close(c->fd);
	free(c->in);
	free(c->out);
	*c = (struct front_conn){ .fd = -1 };
}

/* Room for at least so much more. */
static bool
make_room(uint8_t **p, size_t len, size_t *cap, size_t more)
{
	size_t wanted = *cap == 0 ? IN_MIN : *cap;
	uint8_t *bigger;

	while (wanted - len < more)
		wanted *= 2;
	if (wanted == *cap)
		return true;
	if ((bigger = realloc(*p, wanted)) == NULL)
		return false;
	*p = bigger;
	*cap = wanted;
	return true;
}

static void
drop_used(struct front_conn *c)
{
	if (c->in_used == 0)
		return;
	memmove(c->in, c->in + c->in_used, c->in_len - c->in_used);
	c->in_len -= c->in_used;
	c->in_used = 0;
}

/* How long the frame at the start is, header and all; 0 while that is not known, or not allowed. */
static size_t
frame_len(struct front_conn *c)
{
	struct wire_in in = wire_in(c->in, c->in_len);
	uint64_t len;

	if (c->in_len < HEADER_LEN)
		return 0;
	if (wire_take_u8(&in) != 1)
		c->broken = true;
	len = wire_take_u64(&in);
	if (len < ID_LEN || len > ID_LEN + MESSAGE_MAX)
		c->broken = true;
	return c->broken ? 0 : HEADER_LEN + (size_t)len;
}

bool
front_conn_read(struct front_conn *c)
{
	size_t wanted;
	ssize_t n;

	if (c->broken)
		return false;
	drop_used(c);
	/* The whole of a long frame at once; of short ones as many as there are. */
	wanted = c->greeted ? frame_len(c) : 0;
	wanted = wanted > c->in_len ? wanted - c->in_len : 1;
	if (c->broken || !make_room(&c->in, c->in_len, &c->in_cap, wanted)) {
		c->broken = true;
		return false;
	}
	do
		n = recv(c->fd, c->in + c->in_len, c->in_cap - c->in_len, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return false;
	if (n <= 0) {
		c->broken = true;
		return false;
	}
	c->in_len += (size_t)n;
	return true;
}

static bool
take_hello(struct front_conn *c)
{
	if (c->in_len < HELLO_LEN)
		return false;
	c->broken = memcmp(c->in, asker_hello, HELLO_LEN) != 0;
	c->greeted = !c->broken;
	c->in_used = HELLO_LEN;
	drop_used(c);
	return c->greeted;
}

bool
front_conn_next(struct front_conn *c, uint32_t *request, struct span *message)
{
	struct wire_in in;
	size_t len;

	drop_used(c);
	if (c->broken || (!c->greeted && !take_hello(c)))
		return false;
	if ((len = frame_len(c)) == 0 || c->in_len < len)
		return false;
	in = wire_in(c->in + HEADER_LEN, len - HEADER_LEN);
	*request = wire_take_u32(&in);
	*message = (struct span){ in.p, in.len };
	c->in_used = len;
	/* REQ sets the high bit in the last id of the way back, and there is but one way here. */
	c->broken = (*request & ID_BIT) == 0;
	return !c->broken;
}

static void
queue(struct front_conn *c, const void *p, size_t len, struct mono_ms now)
{
	if (c->out_len == c->out_at) {
		c->out_len = c->out_at = 0;
		c->stalled = now;
	}
	if (c->out_at > 0 && c->out_cap - c->out_len < len) {
		memmove(c->out, c->out + c->out_at, c->out_len - c->out_at);
		c->out_len -= c->out_at;
		c->out_at = 0;
	}
	if (!make_room(&c->out, c->out_len, &c->out_cap, len)) {
		c->broken = true;
		return;
	}
	memcpy(c->out + c->out_len, p, len);
	c->out_len += len;
}

void
front_conn_send(struct front_conn *c, uint32_t request, struct span message, struct mono_ms now)
{
	uint8_t head[HEADER_LEN + ID_LEN];
	struct wire_out o = wire_out(head, sizeof head);
	struct iovec parts[2] = { { head, sizeof head }, { (void *)(uintptr_t)message.p, message.len } };
	struct msghdr all = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t n = 0;
	size_t sent;

	if (c->broken)
		return;
	wire_put_u8(&o, 1);
	wire_put_u64(&o, ID_LEN + message.len);
	wire_put_u32(&o, request);
	if (front_conn_waiting(c) == 0)
		n = sendmsg(c->fd, &all, MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
		c->broken = true;
		return;
	}
	sent = n > 0 ? (size_t)n : 0;
	if (sent < sizeof head)
		queue(c, head + sent, sizeof head - sent, now);
	sent = sent > sizeof head ? sent - sizeof head : 0;
	if (sent < message.len)
		queue(c, message.p + sent, message.len - sent, now);
}

void
front_conn_flush(struct front_conn *c, struct mono_ms now)
{
	ssize_t n;

	while (!c->broken && front_conn_waiting(c) > 0) {
		n = send(c->fd, c->out + c->out_at, c->out_len - c->out_at, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n <= 0) {
			c->broken = true;
			return;
		}
		c->out_at += (size_t)n;
		c->stalled = now;
	}
	/* A long answer's buffer is not kept for the next one. */
	free(c->out);
	c->out = NULL;
	c->out_len = c->out_at = c->out_cap = 0;
}

size_t
front_conn_waiting(const struct front_conn *c)
{
	return c->out_len - c->out_at;
}
