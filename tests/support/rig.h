/*
 * rig: one actor alone, without sockets and threads: what it hears is handed
 * to it, and what it wants said can be looked at. Messages are encoded and
 * decoded on the way, so what does not fit its row fails here too.
 */
#ifndef TESTS_SUPPORT_RIG_H
#define TESTS_SUPPORT_RIG_H

#include "mailbox/outbox.h"
#include "tests/support/fake_clock.h"
#include "tests/support/rig_dir.h"

struct rig;

/* Starts the actor. What its start says. */
enum err rig_open(const struct actor_spec *spec, const void *settings, struct rig **out);

/* Stops it and frees all. */
void rig_close(struct rig **r);

/* The actor itself, for tests that know it. */
void *rig_self(struct rig *r);

/* The key that the two share in every rig. */
const uint8_t *rig_pair_key(enum actor a, enum actor b);

/*
 * Has it hear a message; from ACTOR_CLIENT with our own uid and pid. What the
 * handler says; then what it put is dropped, as the host does.
 * ERR_PROTOCOL: no such row, or the body does not fit it. ERR_UNSUPPORTED: it
 * has no handler for it.
 */
enum err rig_deliver(struct rig *r, enum msg type, enum actor from, uint64_t ask_id, const void *body);

/* As rig_deliver, from a client whose process is that one. */
enum err rig_deliver_as(struct rig *r, enum msg type, uint64_t ask_id, const void *body, uint32_t pid);

/* Ends a batch. An error drops what was put since the last one ended. */
enum err rig_batch(struct rig *r);

/* on_tick; what it wishes, 0 when it has none. */
struct mono_ms rig_tick(struct rig *r, struct mono_ms now);

void rig_edge(struct rig *r, enum actor other, bool up);

/* Its process is asked to stop. */
void rig_leave(struct rig *r);

/*
 * Takes the next message that it put, if it is of that type: its body, valid
 * until the next call. NULL: nothing is left, or the next is another.
 */
const union any_body *rig_expect(struct rig *r, enum msg type);

/* Of the message that rig_expect gave last. */
uint64_t rig_ask_id(const struct rig *r);

/* The type of the next message; MSG_NONE when nothing is left. */
enum msg rig_next(const struct rig *r);

/* True when nothing is left that rig_expect could take. */
bool rig_silent(const struct rig *r);

/* Forgets what is left. */
void rig_forget(struct rig *r);

#endif
