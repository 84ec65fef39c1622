/*
 * edge_call: has a function called soon on one of nng's threads, which is
 * where actors run: all on one CPU, and never the thread that keeps the time.
 */
#ifndef MAILBOX_EDGE_CALL_H
#define MAILBOX_EDGE_CALL_H

#include "mailbox/err.h"

#include <stdbool.h>

struct edge_call;

/* Makes nng's threads, on the first CPU that is allowed if pin is set; before any call into nng. */
void edge_call_start(bool pin);

/* ERR_NO_MEMORY. */
enum err edge_call_new(void (*function)(void *arg), void *arg, struct edge_call **out);

/* From any thread. Asked twice before it has begun, it is called once. */
void edge_call_soon(struct edge_call *c);

/* Waits until the function does not run and never will. */
void edge_call_free(struct edge_call **c);

#endif
