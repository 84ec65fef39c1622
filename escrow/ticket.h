/*
 * ticket: the keys of what a deposit holds, sealed to one opener for one ask.
 * The keyring makes it and gives it to the audit actor alone, inside the intent;
 * it reaches the opener inside the ack.
 *
 * Everything that says what the ticket is for is associated data, so a ticket
 * for another boot, ask, operation, thing or range opens nothing.
 * Source: docs/store-format.md, "Tickets".
 */
#ifndef ESCROW_TICKET_H
#define ESCROW_TICKET_H

#include "escrow/channel.h"
#include "mailbox/words.h"
#include "mailbox/wire.h"

#define TICKET_KEYS_MAX 102 /* a page of 100 rows; a read needs 3 */
#define TICKET_MAX      (TICKET_KEYS_MAX * KEY_LEN + 40u)

struct ticket_terms {
	struct uuid boot;
	uint64_t    client_ask;
	enum op     op;
	struct uuid vault;
	struct uuid asset;    /* as asked */
	struct uuid revision; /* as asked */
	uint64_t    offset;
	uint32_t    limit;
	struct span refs;     /* the encoded key_refs, in the order of the keys; at most 4,000 bytes */
};

/* keys: n times KEY_LEN bytes. out: TICKET_MAX bytes of room; *len is what was written. */
enum err ticket_seal(const struct channel *c, const struct ticket_terms *terms,
    const struct secret *keys, uint8_t *out, size_t *len);

#endif
