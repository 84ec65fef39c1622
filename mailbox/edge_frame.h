/*
 * edge_frame: what crosses an edge. A frame's first byte says what it is: a
 * hello, a proof, or messages, each as u32 length and message_put's form.
 */
#ifndef MAILBOX_EDGE_FRAME_H
#define MAILBOX_EDGE_FRAME_H

#include "mailbox/protocol.h"

#define EDGE_NONCE_LEN 32
#define EDGE_TAG_LEN   32

/* The longest frame: one message of the longest kind fills it. */
#define EDGE_FRAME_MAX (1u + 4u + MESSAGE_MAX)

enum edge_frame {
	EDGE_FRAME_NONE,
	EDGE_FRAME_HELLO,
	EDGE_FRAME_PROOF,
	EDGE_FRAME_MESSAGES,
};

struct edge_hello {
	uint64_t fingerprint;
	uint8_t  nonce[EDGE_NONCE_LEN];
};

void edge_frame_put_hello(struct wire_out *o, const struct edge_hello *hello);
void edge_frame_put_proof(struct wire_out *o, const uint8_t tag[EDGE_TAG_LEN]);

/* The first byte. NONE when it is none of ours, or the frame is empty or too long. */
enum edge_frame edge_frame_kind(struct wire_in *in);

/* What follows that byte; the reader fails on a length that is not exact. */
void edge_frame_take_hello(struct wire_in *in, struct edge_hello *hello);
void edge_frame_take_proof(struct wire_in *in, uint8_t tag[EDGE_TAG_LEN]);

/*
 * The next message of a messages frame, borrowed from it. False at the end,
 * or when the frame is malformed, in which case the reader has failed.
 */
bool edge_frame_next(struct wire_in *in, struct span *message);

#endif
