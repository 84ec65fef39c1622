/*
 * http_ask: what the HTTP process asks of the profile on behalf of a
 * connection. Its own opener key, the deposit that comes from the profile, the
 * ack that comes from audit, and the receipt in it: a result is opened when
 * its record is on the disk under an epoch that the log's key stands behind,
 * and nothing is opened otherwise.
 *
 * An ask ends once, within HTTP_ASK_MS. One that only reads is made once more
 * when the keyring has started anew meanwhile; one that proposes never is,
 * since nobody knows what came of it.
 */
#ifndef ACTORS_HTTP_ASK_H
#define ACTORS_HTTP_ASK_H

#include "escrow/secret.h"
#include "mailbox/actor.h"
#include "mailbox/words.h"

#define HTTP_ASKS_MAX 256  /* in flight */
#define HTTP_ASK_MS   2000
#define HTTP_ASK_MESSAGE_MAX 256

struct http_asks;

struct http_ask_end {
	enum err       error;
	char           message[HTTP_ASK_MESSAGE_MAX]; /* of an error; "": err_text says it */
	struct secret *result;                        /* of OK: whoever hears it frees it */
};

struct http_ask_want {
	uint8_t     token[32];  /* hash of the access token */
	enum op     op;
	uint64_t    offset;
	uint32_t    limit;
	struct span request;    /* lives until the ask has ended */
	void      (*done)(void *arg, struct http_ask_end *end, struct outbox *out);
	void       *arg;
};

enum err http_asks_new(struct http_asks **out); /* ERR_NO_MEMORY */

/* Nothing is asked any more, and what is in flight ends as interrupted. */
void http_asks_end_all(struct http_asks *a, struct outbox *out);

/* Asks that are still in flight end without a word. Accepts NULL inside. */
void http_asks_free(struct http_asks **a);

/*
 * Asks. OK: `done` is called once, later. ERR_BUSY: HTTP_ASKS_MAX are in
 * flight. ERR_INTERRUPTED: who has to be asked is not there. ERR_TOO_LARGE.
 */
enum err http_asks_begin(struct http_asks *a, const struct http_ask_want *want, struct outbox *out);

/* What others say; each is a handler's body. True: the message was of an ask of these. */
void http_asks_on_boot(struct http_asks *a, const struct boot_body *b, struct outbox *out);
void http_asks_on_state(struct http_asks *a, const struct http_state_body *b);
bool http_asks_on_found(struct http_asks *a, const struct inbound *in, struct outbox *out);
bool http_asks_on_ack(struct http_asks *a, const struct inbound *in, struct outbox *out);
bool http_asks_on_refused(struct http_asks *a, const struct inbound *in, struct outbox *out);
void http_asks_on_edge(struct http_asks *a, enum actor other, bool up, struct outbox *out);

/* Ends what is over its time. Returns when there is something to do again; 0: nothing. */
struct mono_ms http_asks_tick(struct http_asks *a, struct mono_ms now, struct outbox *out);

/* A token that nobody knows was shown; counted, and recorded once a minute. */
void http_asks_note_stranger(struct http_asks *a, enum err why);

/* A call that the connection had no right to, refused before it was asked. */
void http_asks_note_refused(struct http_asks *a, struct uuid connection, enum op op, enum err why, struct outbox *out);

#endif
