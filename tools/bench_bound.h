/*
 * bench_bound: what any daemon must do for a read, by one thread and with no
 * message: the look-ups in both databases, the keys, the ticket, the record,
 * and one commit of the log for a group. No ruling is signed or checked, for
 * there is nobody between whom it would go.
 */
#ifndef TOOLS_BENCH_BOUND_H
#define TOOLS_BENCH_BOUND_H

#include "mailbox/protocol.h"
#include "tools/bench_home.h"

#define BENCH_BOUND_MAX 512 /* asks in a group */

struct bench_bound;

/* In the home, which is the working directory and has no daemon. */
void bench_bound_open(const struct bench_home *h, struct bench_bound **out);
void bench_bound_close(struct bench_bound **b);

/* What an asker learns from a hello. Borrowed. */
const struct welcome_body *bench_bound_welcome(const struct bench_bound *b);

/* Does all of a read but the commit. Returns its place in the group. */
size_t bench_bound_ask(struct bench_bound *b, const struct ask_body *ask);
size_t bench_bound_waiting(const struct bench_bound *b);

/* Makes the group durable; then its answers can be had, until bench_bound_clear. */
void bench_bound_commit(struct bench_bound *b);
void bench_bound_answer(struct bench_bound *b, size_t i, struct answer_body *out);
void bench_bound_clear(struct bench_bound *b);

#endif
