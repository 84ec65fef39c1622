/*
 * dial: the asker's end of the front door: nng's wire protocol (SP over a Unix
 * stream socket, REQ's framing) spoken by hand, since a short-lived command
 * would pay 5 ms for nng's threads. No resend: a request is sent once.
 *
 * Source: the SP protocol over IPC: 8 bytes hello each way, then messages of
 * u8 1, u64 length, body; REQ puts a u32 with its high bit set first.
 */
#ifndef MAILBOX_DIAL_H
#define MAILBOX_DIAL_H

#include "mailbox/protocol.h"

struct dial;

/*
 * Connects to the socket at that path (relative paths may be of any home, see
 * escrow/home.h), trying for up to patience_ms: the listener may be moving.
 * ERR_DAEMON_NOT_RUNNING: nobody listens, or nobody does any more.
 * ERR_TIMEOUT: somebody listens, but says no hello or always hangs up; it is
 * waited for a second, whatever the patience. ERR_NOT_OWNER: the peer is another user.
 * ERR_PROTOCOL: it is no gate. ERR_INVALID_ARGUMENT: the path is too long.
 * ERR_NO_MEMORY.
 */
enum err dial_open(const char *path, unsigned patience_ms, struct dial **out);
void     dial_close(struct dial **d);

/*
 * Sends one message; *request names it. Several may be in flight.
 * ERR_INTERRUPTED: the connection is gone; nothing can be said of earlier requests.
 * ERR_INTERNAL: the body does not fit its row; nothing was sent. ERR_NO_MEMORY.
 */
enum err dial_send(struct dial *d, enum msg type, const void *body, uint32_t *request);

/*
 * Waits for the next answer, to any request in flight. The body's spans are
 * valid until the next call on d.
 * ERR_TIMEOUT. ERR_INTERRUPTED: the connection is gone. ERR_PROTOCOL: not a
 * message from the gate to a client; the connection is closed.
 */
enum err dial_receive(struct dial *d, unsigned timeout_ms, uint32_t *request,
    enum msg *type, union any_body *body);

/* To poll for readability beside other descriptors. */
int dial_fd(const struct dial *d);

#endif
