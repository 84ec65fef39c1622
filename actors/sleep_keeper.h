/*
 * sleep_keeper: the supervisor's hold on the process of sleep_process.h:
 * starts it once the daemon serves, starts it anew when it dies, ends it.
 */
#ifndef ACTORS_SLEEP_KEEPER_H
#define ACTORS_SLEEP_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "mailbox/err.h"

struct event_base;
struct sleep_keeper;

/* *out  new; sleep_keeper_free ends the process. ERR_NO_MEMORY. */
enum err sleep_keeper_new(struct event_base *base, struct sleep_keeper **out);
void     sleep_keeper_free(struct sleep_keeper **k);

/* Starts it where a system bus is to be expected; otherwise there is never one. */
void sleep_keeper_start(struct sleep_keeper *k);

/* A child ended: true if it was this one. One that failed is started anew after a while. */
bool sleep_keeper_ended(struct sleep_keeper *k, pid_t pid, int status);

/* Ends it, and starts none any more. */
void sleep_keeper_stop(struct sleep_keeper *k);

#endif
