/* random: the system's randomness, and ids made from it. */
#ifndef ESCROW_RANDOM_H
#define ESCROW_RANDOM_H

#include "escrow/secret.h"
#include "mailbox/clock.h"

void random_bytes(void *p, size_t len);

/* A number in [0, bound), each as likely as any other; bound is at least 1. */
uint32_t random_below(uint32_t bound);

/* A fresh random key in the slab. */
enum err key_random(struct key **out);

/*
 * A version 7 id (RFC 9562) of that time. Ids of one process rise, also within
 * a millisecond and when the clock goes back.
 */
struct uuid uuid_make(struct wall_ms now);

#endif
