/*
 * password: a key from what a person can remember. Argon2id version 1.3 with
 * one lane (RFC 9106).
 */
#ifndef ESCROW_PASSWORD_H
#define ESCROW_PASSWORD_H

#include "escrow/secret.h"

#define PASSWORD_SALT_LEN 16

#define PASSWORD_PASSES_DEFAULT     3
#define PASSWORD_MEMORY_KIB_DEFAULT 262144u

/* The test setting; a library made with it says so in its status. */
#define PASSWORD_PASSES_TEST     1
#define PASSWORD_MEMORY_KIB_TEST 8192u

#define PASSWORD_PASSES_MAX     10
#define PASSWORD_MEMORY_KIB_MIN 8192u    /* 8 MiB */
#define PASSWORD_MEMORY_KIB_MAX 2097152u /* 2 GiB */

/* Stored beside what the key opens. */
struct password_terms {
	uint32_t passes;     /* 1 .. PASSWORD_PASSES_MAX */
	uint32_t memory_kib; /* PASSWORD_MEMORY_KIB_MIN .. PASSWORD_MEMORY_KIB_MAX */
	uint8_t  salt[PASSWORD_SALT_LEN];
};

/*
 * Derives KEY_LEN bytes; takes most of a second and the memory that the terms
 * name. Bounds are checked first, since terms may come from disk. secret_init
 * was called.
 *
 * password  its bytes as they are; may be empty
 *
 * ERR_INVALID_ARGUMENT: terms out of bounds. ERR_NO_MEMORY: it cannot be
 * allocated. In a memory cgroup that is too small the kernel kills the process
 * instead.
 */
enum err password_kek(const struct secret *password, const struct password_terms *terms,
    struct key *out);

/*
 * A verifier: what tells later whether a password is the one, and opens
 * nothing. It is argon2id's own text, "$argon2id$v=19$m=65536,t=2,p=1$…$…".
 */
#define PASSWORD_VERIFIER_MAX 128 /* its NUL included */

/*
 * Takes a tenth of a second and 64 MiB (RFC 9106's second choice); weak: for
 * tests, 8 MiB. ERR_NO_MEMORY.
 */
enum err password_verifier(const struct secret *password, bool weak, char out[PASSWORD_VERIFIER_MAX]);

/*
 * Takes what the verifier says, at most a second and PASSWORD_VERIFIER_MEMORY_KIB_MAX.
 * ERR_WRONG_PASSWORD. ERR_INVALID_CONTENT: it is none, or says more. ERR_NO_MEMORY.
 */
#define PASSWORD_VERIFIER_MEMORY_KIB_MAX 262144u
#define PASSWORD_VERIFIER_PASSES_MAX     4u
enum err password_verify(const struct secret *password, struct span verifier);

/* True for a text of that form and within those bounds. */
bool password_verifier_good(struct span verifier);

#endif
