/*
 * secret: bytes that are wiped by their type. A char * is by definition not
 * secret; whoever takes a struct key or a struct secret holds one.
 *
 * Keys are 32 or 64 bytes and live in one slab that is locked into memory,
 * left out of core files and absent after fork. Longer secrets (a password, a
 * chunk of content being opened) live on the heap and are wiped whole.
 */
#ifndef ESCROW_SECRET_H
#define ESCROW_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mailbox/err.h"
#include "mailbox/wire.h"

#define KEY_LEN 32

/* One slot of the slab: only the first KEY_LEN bytes of most keys are used. */
struct key {
	uint8_t b[2 * KEY_LEN];
};

/*
 * Makes the slab and readies libsodium. Call once, before any thread and
 * after any fork.
 *
 * ERR_UNSUPPORTED: the slab could not be locked into memory; with
 * allow_unlocked the slab is made all the same.
 */
enum err secret_init(bool allow_unlocked);

/* A zeroed key from the slab. ERR_NO_MEMORY: all slots are taken. */
enum err key_new(struct key **out);

/* A new key with these 32 bytes. */
enum err key_of(const uint8_t bytes[KEY_LEN], struct key **out);

/* Wipes the key, gives its slot back and sets the pointer to NULL. Accepts NULL inside. */
void key_free(struct key **k);

struct secret;

/* len zeroed bytes, 0 .. 16 MiB. ERR_NO_MEMORY. */
enum err secret_new(size_t len, struct secret **out);

/* Wipes the whole allocation. Sets the pointer to NULL. */
void secret_free(struct secret **s);

uint8_t       *secret_bytes(struct secret *s);
const uint8_t *secret_view(const struct secret *s);
size_t         secret_len(const struct secret *s);
struct span    secret_span(const struct secret *s);

/* Makes the secret shorter; what is cut off is wiped. len <= its length. */
void secret_cut(struct secret *s, size_t len);

/* Wipes plain memory that held something secret for a moment. */
void wipe(void *p, size_t len);

/* In constant time. */
bool same_bytes(const void *a, const void *b, size_t len);

#endif
