/*
 * edge_closing: the end of a listener or dialer that died. Closing it can wait
 * for ever in nng 1.5.2 (nanomsg/nng#1813), so a thread of its own does it.
 */
#ifndef MAILBOX_EDGE_CLOSING_H
#define MAILBOX_EDGE_CLOSING_H

#include <stdbool.h>

#include <nng/nng.h>

struct edge_closing;

/* NULL: there was no thread to be had, and it is closed already. */
struct edge_closing *edge_closing_listener(nng_listener listener);
struct edge_closing *edge_closing_dialer(nng_dialer dialer);

/* True once it is closed; then *c is freed and NULL. True for NULL. */
bool edge_closing_done(struct edge_closing **c);

/* Waits for nothing: whatever becomes of it, it is not ours any more. */
void edge_closing_leave(struct edge_closing **c);

#endif
