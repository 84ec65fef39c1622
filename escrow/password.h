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

#endif
