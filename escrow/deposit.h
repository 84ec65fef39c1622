/*
 * deposit: what a sealed piece of a revision is bound to. The vault gives out
 * pieces as they lie on disk; their seals bind the ids, the place and, for
 * head, title and meta, the clear fields of the revision's row.
 * Source: docs/store-format.md, "Sealed pieces".
 */
#ifndef ESCROW_DEPOSIT_H
#define ESCROW_DEPOSIT_H

#include "mailbox/protocol.h"
#include "mailbox/words.h"

/* Flags of a deposit's item. */
#define ITEM_HEAD        0x01 /* the revision is a head of its asset */
#define ITEM_QUARANTINED 0x02
#define ITEM_INACTIVE    0x04 /* a vault that was removed */

#define PIECE_BINDING_MAX 600

/*
 * The associated data of a piece, into buf; the result points into it.
 * row is empty for content chunks and for names; last is the final flag of content.
 */
struct span piece_binding(enum part part, struct uuid asset, struct uuid revision, uint32_t index,
    bool last, struct span row, uint8_t buf[PIECE_BINDING_MAX]);

#endif
