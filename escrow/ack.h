/*
 * ack: the audit actor's word that a delivery is on the disk, and the ticket
 * that came inside it. Without one nothing of a deposit can be opened: it is
 * not a permission to be checked, it holds the keys.
 *
 * ack_accept is the only maker of a struct audit_ack, and needs a ticket that
 * the keyring sealed to this opener under exactly these terms.
 */
#ifndef ESCROW_ACK_H
#define ESCROW_ACK_H

#include "escrow/ticket.h"

struct audit_ack;

/*
 * ERR_AUDIT_UNAVAILABLE: this is no ack for this ask (another ask's, another
 * opener's, replayed after a restart, or changed on the way).
 */
enum err ack_accept(const struct channel *c, const struct ticket_terms *terms, struct span ticket,
    struct audit_ack **out);

/* Wipes the keys. */
void ack_free(struct audit_ack **ack);

size_t ack_n_keys(const struct audit_ack *ack);

/*
 * The one door: opens the i-th sealed piece of the deposit.
 *
 * ad       what the piece is bound to (escrow/deposit.h)
 * *plain   new, the caller frees
 * ERR_STORAGE_CORRUPT: the piece is not what its key and binding say.
 */
enum err escrow_open(const struct audit_ack *ack, size_t i, struct span ad, struct span sealed,
    struct secret **plain);

/* For a writer: the revision key that the ack of a write carries. */
enum err ack_revision_key(const struct audit_ack *ack, struct key **out);

#endif
