/*
 * Whatever an actor or a client can send: a frame of an edge, split and opened
 * as the host does, and every message between any two actors. What is taken
 * must be put again to the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "mailbox/edge_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t again[MESSAGE_MAX];

static void
take_message(struct span message, enum actor from, enum actor to)
{
	struct wire_in in = wire_in(message.p, message.len);
	struct wire_out out = wire_out(again, sizeof again);
	union any_body body;
	enum msg type = MSG_NONE;
	uint64_t ask_id = 0;

	message_take(&in, from, to, &type, &ask_id, &body);
	if (in.failed)
		return;
	message_put(&out, type, ask_id, &body);
	if (out.failed || out.len != message.len || memcmp(again, message.p, out.len) != 0)
		abort();
}

static void
take_from_everyone(struct span message)
{
	for (int from = 0; from < ACTOR__COUNT; from++)
		for (int to = 0; to < ACTOR__COUNT; to++)
			take_message(message, (enum actor)from, (enum actor)to);
}

static void
take_frame(const uint8_t *data, size_t size)
{
	struct wire_in in = wire_in(data, size);
	struct edge_hello hello;
	uint8_t tag[EDGE_TAG_LEN];
	struct span message;

	switch (edge_frame_kind(&in)) {
	case EDGE_FRAME_NONE:
		break;
	case EDGE_FRAME_HELLO:
		edge_frame_take_hello(&in, &hello);
		break;
	case EDGE_FRAME_PROOF:
		edge_frame_take_proof(&in, tag);
		break;
	case EDGE_FRAME_MESSAGES:
		while (edge_frame_next(&in, &message))
			take_from_everyone(message);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	take_frame(data, size);
	if (size <= MESSAGE_MAX)
		take_from_everyone((struct span){ data, size });
	return 0;
}
