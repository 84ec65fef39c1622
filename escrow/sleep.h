/*
 * sleep: hears from logind when the machine is about to sleep, and has it wait
 * for that long. Never starts logind, never asks anybody.
 * Source: org.freedesktop.login1(5), "Inhibit" and "PrepareForSleep";
 * docs/decisions/0032-suspend.md.
 */
#ifndef ESCROW_SLEEP_H
#define ESCROW_SLEEP_H

#include <stdbool.h>

#include "mailbox/err.h"

struct sleep_watch;

enum sleep_event {
	SLEEP_NOTHING, /* the time is over */
	SLEEP_BEGINS,  /* the machine waits for sleep_watch_release, if it waits at all */
	SLEEP_ENDED,
	SLEEP_LOGIND,  /* logind came or went: ask sleep_watch_heard */
};

/* True when a system bus may be there: what its address names exists, or nobody can tell before trying. */
bool sleep_bus_expected(void);

/* *out  new. ERR_UNSUPPORTED: no libsystemd, or no system bus. ERR_NO_MEMORY. */
enum err sleep_watch_open(struct sleep_watch **out);
void     sleep_watch_close(struct sleep_watch **w);

/* Is there a logind that will say so; and does it wait for us? */
bool sleep_watch_heard(const struct sleep_watch *w);
bool sleep_watch_waits(const struct sleep_watch *w);

/* Waits for the next event, at most so long. ERR_INTERRUPTED: the bus is gone. */
enum err sleep_watch_next(struct sleep_watch *w, unsigned ms, enum sleep_event *out);

/* The machine may sleep; after SLEEP_ENDED it will wait again the next time. */
void sleep_watch_release(struct sleep_watch *w);

#endif
