#include <stdlib.h>
#include <string.h>

#include "mailbox/edge_queue.h"

/* Longer messages do not gather. */
#define GATHER_MAX (16u * 1024)

/* Frames that gather end here: far below the limit, since their length is allocated at once. */
#define OPEN_MAX (64u * 1024)

nng_msg *
edge_queue_frame(const struct span *messages, size_t n)
{
	struct wire_out w;
	size_t len = 1;
	nng_msg *m;

	for (size_t i = 0; i < n; i++)
		len += 4 + messages[i].len;
	if (len > EDGE_FRAME_MAX || nng_msg_alloc(&m, len) != 0)
		return NULL;
	w = wire_out(nng_msg_body(m), len);
	wire_put_u8(&w, EDGE_FRAME_MESSAGES);
	for (size_t i = 0; i < n; i++)
		wire_put_span(&w, messages[i]);
	return m;
}

static enum err
make_room(struct edge_queue *q)
{
	size_t max = q->max == 0 ? 16 : q->max * 2;
	nng_msg **frames;

	if (q->n < q->max)
		return OK;
	if ((frames = calloc(max, sizeof(nng_msg *))) == NULL)
		return ERR_NO_MEMORY;
	for (size_t i = 0; i < q->n; i++)
		frames[i] = q->frames[(q->first + i) % q->max];
	free(q->frames);
	q->frames = frames;
	q->first = 0;
	q->max = max;
	return OK;
}

static enum err
add_ready(struct edge_queue *q, nng_msg *m)
{
	if (m == NULL)
		return ERR_NO_MEMORY;
	if (make_room(q) != OK) {
		nng_msg_free(m);
		return ERR_NO_MEMORY;
	}
	q->frames[(q->first + q->n++) % q->max] = m;
	q->ready_len += nng_msg_len(m);
	return OK;
}

/* What has gathered, as a message of exactly its length. */
static nng_msg *
end_open(struct edge_queue *q)
{
	nng_msg *m;

	if (q->open_len == 0 || nng_msg_alloc(&m, q->open_len) != 0)
		return NULL;
	memcpy(nng_msg_body(m), q->open, q->open_len);
	q->open_len = 0;
	return m;
}

static enum err
gather(struct edge_queue *q, struct span message)
{
	struct wire_out w;

	if (q->open == NULL && (q->open = malloc(OPEN_MAX)) == NULL)
		return ERR_NO_MEMORY;
	w = wire_out(q->open + q->open_len, OPEN_MAX - q->open_len);
	if (q->open_len == 0)
		wire_put_u8(&w, EDGE_FRAME_MESSAGES);
	wire_put_span(&w, message);
	q->open_len += w.len;
	return OK;
}

enum err
edge_queue_add(struct edge_queue *q, struct span message)
{
	enum err e;

	if (q->open_len > 0 && (message.len > GATHER_MAX || q->open_len + 4 + message.len > OPEN_MAX) &&
	    (e = add_ready(q, end_open(q))) != OK)
		return e;
	if (message.len > GATHER_MAX)
		return add_ready(q, edge_queue_frame(&message, 1));
	return gather(q, message);
}

nng_msg *
edge_queue_take(struct edge_queue *q)
{
	nng_msg *m;

	if (q->n == 0)
		return end_open(q);
	m = q->frames[q->first];
	q->first = (q->first + 1) % q->max;
	q->n--;
	q->ready_len -= nng_msg_len(m);
	return m;
}

size_t
edge_queue_len(const struct edge_queue *q)
{
	return q->ready_len + q->open_len;
}

void
edge_queue_clear(struct edge_queue *q)
{
	for (size_t i = 0; i < q->n; i++)
		nng_msg_free(q->frames[(q->first + i) % q->max]);
	free(q->frames);
	free(q->open);
	*q = (struct edge_queue){ .frames = NULL };
}
