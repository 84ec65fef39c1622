/*
 * believed: what holds, under the public key of the log that an asker believes
 * in, of what the keyring says of itself: its boot key, the log's epoch, and
 * the epoch before. And whether an ack's receipt is one of such an epoch.
 */
#ifndef GATEWAY_BELIEVED_H
#define GATEWAY_BELIEVED_H

#include "escrow/cert.h"
#include "mailbox/protocol.h"
#include "store/log_commit.h"

struct believed {
	bool        boot;    /* the boot key */
	bool        epoch;   /* the epoch, whose id and key follow */
	struct uuid epoch_id;
	uint8_t     epoch_public[SIGN_PUBLIC_LEN];
	bool        earlier; /* the one before, named by its certificate */
	struct cert earlier_cert;
};

/*
 * False: the boot key claims a certificate that is none, as an impostor's
 * would; nothing is believed then. A boot key without one is not believed
 * either, but may be met.
 */
bool believed_of(const struct boot_body *b, const uint8_t log_public[SIGN_PUBLIC_LEN], struct believed *out);

/* The key of an epoch that is believed; NULL: of none. */
const uint8_t *believed_epoch(const struct believed *b, struct uuid epoch);

/* The commit in an ack, not yet verified. ERR_AUDIT_UNAVAILABLE: it has no form, or is not over the ack's record. */
enum err receipt_commit(const struct ack_body *ack, struct log_commit *out);

#endif
