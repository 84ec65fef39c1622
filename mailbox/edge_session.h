/*
 * edge_session: the opening of an edge, from a new connection to "up". Each
 * end says hello with a fresh nonce, then proves the pair's key over both
 * nonces; inside one process there is nobody to prove it to, and the hello is
 * enough. No sockets here.
 */
#ifndef MAILBOX_EDGE_SESSION_H
#define MAILBOX_EDGE_SESSION_H

#include "mailbox/edge_frame.h"
#include "mailbox/host.h"

enum edge_state {
	EDGE_DOWN,
	EDGE_WAITS_HELLO,
	EDGE_WAITS_PROOF,
	EDGE_UP,
};

struct edge_session {
	enum edge_state state;
	bool            listens;   /* which end: it is part of what is proved */
	bool            proves;    /* false between two actors of one process */
	const uint8_t  *key;       /* PAIR_KEY_LEN, borrowed */
	host_tag       *tag;
	uint8_t         own_nonce[EDGE_NONCE_LEN];
	uint8_t         other_nonce[EDGE_NONCE_LEN];
};

/*
 * A new connection: makes a nonce and writes the hello to send.
 * ERR_UNSUPPORTED: the system has no randomness; the session stays down.
 */
enum err edge_session_start(struct edge_session *s, struct wire_out *hello);

/*
 * Takes a hello or a proof, after its kind; what it writes is to be sent, and
 * before anything else. Look at s->state afterwards.
 * ERR_PROTOCOL: not what is due now, or another build's. ERR_NOT_OWNER: the
 * proof is wrong. The session is down and the connection must be dropped.
 */
enum err edge_session_take(struct edge_session *s, enum edge_frame kind, struct wire_in *in,
    struct wire_out *reply);

/*
 * The other end may be up already, since it has all that it waits for: what it
 * has had others ask of this end is answered when this one is up, too.
 */
bool edge_session_is_up_there(const struct edge_session *s);

void edge_session_end(struct edge_session *s);

#endif
