/*
 * uuid: the ids of vaults, assets, revisions, grants, libraries and devices
 * (RFC 9562, version 7 where we make them; escrow/random.h makes them).
 */
#ifndef MAILBOX_UUID_H
#define MAILBOX_UUID_H

#include <stdbool.h>
#include <stdint.h>

#include "mailbox/err.h"

#define UUID_LEN      16
#define UUID_TEXT_LEN 36

struct uuid {
	uint8_t b[UUID_LEN];
};

/* Writes 36 lower-case characters and a NUL. */
void uuid_text(struct uuid id, char out[UUID_TEXT_LEN + 1]);

/* Takes exactly 36 characters, lower or upper case. ERR_INVALID_ARGUMENT otherwise. */
enum err uuid_parse(const char *text, struct uuid *out);

bool uuid_is_zero(struct uuid id);
bool uuid_equal(struct uuid a, struct uuid b);

/* Byte order, which for version 7 is the order of making: <0, 0, >0. */
int uuid_compare(struct uuid a, struct uuid b);

/* When an id of version 7 was made, in milliseconds since 1970. */
uint64_t uuid_ms(struct uuid id);

#endif
