/*
 * pending: asks in flight. Each ends exactly once: taken by its answer, or
 * expired at its deadline. Bounded: past the bound nothing is added.
 */
#ifndef MAILBOX_PENDING_H
#define MAILBOX_PENDING_H

#include "mailbox/clock.h"
#include "mailbox/err.h"

#include <stdbool.h>
#include <stddef.h>

struct pending;

/* For at most max asks, each with a value of value_size bytes. ERR_NO_MEMORY. */
enum err pending_new(size_t max, size_t value_size, struct pending **out);
void     pending_free(struct pending **p);

/*
 * Adds an ask; *value points at its zeroed value, valid until the ask ends.
 * ERR_BUSY: the table is full. ERR_INTERNAL: the id is in flight already.
 */
enum err pending_add(struct pending *p, uint64_t ask_id, struct mono_ms deadline, void **value);

/* The value of an ask in flight; NULL for one that ended or never was. */
void *pending_find(const struct pending *p, uint64_t ask_id);

/* Ends an ask. False when it had ended already; values are not freed inside. */
bool pending_end(struct pending *p, uint64_t ask_id);

/* Calls each() for asks past their deadline, once each; each() may end others and must not add. The
 * value stays valid during the call, and the ask has ended when it is called. */
void pending_expire(struct pending *p, struct mono_ms now,
    void (*each)(void *arg, uint64_t ask_id, void *value), void *arg);

/* The same for every ask, whatever its deadline: when what they wait for is gone. */
void pending_fail_all(struct pending *p,
    void (*each)(void *arg, uint64_t ask_id, void *value), void *arg);

/* The same for those whose value waits for what is gone. */
void pending_fail_some(struct pending *p, bool (*waits)(const void *arg, const void *value),
    void (*each)(void *arg, uint64_t ask_id, void *value), void *arg);

size_t         pending_count(const struct pending *p);
struct mono_ms pending_next(const struct pending *p); /* the earliest deadline; 0 when none */

#endif
