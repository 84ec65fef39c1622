#include <string.h>
#include <sys/random.h>

#include "mailbox/edge_session.h"

#define LABEL     "edge proof"
#define LABEL_LEN (sizeof LABEL - 1)

/* The role stands in the tag, or a proof could be sent back to its maker. */
static void
make_tag(const struct edge_session *s, bool of_listener, uint8_t tag[EDGE_TAG_LEN])
{
	const uint8_t *listener = s->listens ? s->own_nonce : s->other_nonce;
	const uint8_t *dialer = s->listens ? s->other_nonce : s->own_nonce;
	uint8_t said[LABEL_LEN + 1 + 2 * EDGE_NONCE_LEN];
	struct wire_out w = wire_out(said, sizeof said);

	wire_put_bytes(&w, LABEL, LABEL_LEN);
	wire_put_u8(&w, of_listener ? 1 : 2);
	wire_put_bytes(&w, listener, EDGE_NONCE_LEN);
	wire_put_bytes(&w, dialer, EDGE_NONCE_LEN);
	s->tag(s->key, said, w.len, tag);
}

static bool
tags_equal(const uint8_t a[EDGE_TAG_LEN], const uint8_t b[EDGE_TAG_LEN])
{
	volatile uint8_t differ = 0;

	for (size_t i = 0; i < EDGE_TAG_LEN; i++)
		differ |= (uint8_t)(a[i] ^ b[i]);
	return differ == 0;
}

enum err
edge_session_start(struct edge_session *s, struct wire_out *hello)
{
	struct edge_hello own = { .fingerprint = protocol_fingerprint() };

	edge_session_end(s);
	if (getrandom(s->own_nonce, EDGE_NONCE_LEN, 0) != EDGE_NONCE_LEN)
		return ERR_UNSUPPORTED;
	memcpy(own.nonce, s->own_nonce, EDGE_NONCE_LEN);
	edge_frame_put_hello(hello, &own);
	s->state = EDGE_WAITS_HELLO;
	return OK;
}

static enum err
take_hello(struct edge_session *s, struct wire_in *in, struct wire_out *reply)
{
	struct edge_hello hello;
	uint8_t tag[EDGE_TAG_LEN];

	edge_frame_take_hello(in, &hello);
	if (in->failed || hello.fingerprint != protocol_fingerprint())
		return ERR_PROTOCOL;
	if (!s->proves) {
		s->state = EDGE_UP;
		return OK;
	}
	memcpy(s->other_nonce, hello.nonce, EDGE_NONCE_LEN);
	make_tag(s, s->listens, tag);
	edge_frame_put_proof(reply, tag);
	s->state = EDGE_WAITS_PROOF;
	return OK;
}

static enum err
take_proof(struct edge_session *s, struct wire_in *in)
{
	uint8_t said[EDGE_TAG_LEN];
	uint8_t due[EDGE_TAG_LEN];

	edge_frame_take_proof(in, said);
	if (in->failed)
		return ERR_PROTOCOL;
	make_tag(s, !s->listens, due);
	if (!tags_equal(said, due))
		return ERR_NOT_OWNER;
	s->state = EDGE_UP;
	return OK;
}

enum err
edge_session_take(struct edge_session *s, enum edge_frame kind, struct wire_in *in,
    struct wire_out *reply)
{
	enum err e = ERR_PROTOCOL;

	if (s->state == EDGE_WAITS_HELLO && kind == EDGE_FRAME_HELLO)
		e = take_hello(s, in, reply);
	else if (s->state == EDGE_WAITS_PROOF && kind == EDGE_FRAME_PROOF)
		e = take_proof(s, in);
	if (e != OK)
		edge_session_end(s);
	return e;
}

bool
edge_session_is_up_there(const struct edge_session *s)
{
	return s->state == EDGE_UP || s->state == (s->proves ? EDGE_WAITS_PROOF : EDGE_WAITS_HELLO);
}

void
edge_session_end(struct edge_session *s)
{
	s->state = EDGE_DOWN;
	memset(s->own_nonce, 0, sizeof s->own_nonce);
	memset(s->other_nonce, 0, sizeof s->other_nonce);
}
