/*
 * cert: who stands behind a public key. The log key signs boot keys, epoch
 * keys and delegates; a delegate, which the log key certified for one custody,
 * signs boot and epoch keys in its place while the library is locked.
 * Source: docs/store-format.md, "Certificates".
 */
#ifndef ESCROW_CERT_H
#define ESCROW_CERT_H

#include "escrow/sign.h"
#include "mailbox/wire.h"

enum cert_purpose {
	CERT_BOOT = 1,  /* context: boot id; subject: X25519 boot key */
	CERT_EPOCH,     /* context: epoch id; subject: Ed25519 epoch key */
	CERT_DELEGATE,  /* context: enrolment id; subject: Ed25519 delegate key */
};

/* The log key's word for a delegate. */
struct delegation {
	struct uuid enrolment;
	uint8_t     delegate[SIGN_PUBLIC_LEN];
	uint8_t     signature[SIGNATURE_LEN];
};

struct cert {
	enum cert_purpose purpose;
	struct uuid       context;
	uint8_t           subject[32];
	bool              delegated; /* signed by a delegate, not by the log key */
	struct delegation delegation; /* zero unless delegated */
	uint8_t           signature[SIGNATURE_LEN];
};

#define DELEGATION_LEN (UUID_LEN + SIGN_PUBLIC_LEN + SIGNATURE_LEN)
#define CERT_LEN (1 + UUID_LEN + 32 + 1 + DELEGATION_LEN + SIGNATURE_LEN)

/* Signs with the log key itself (delegation NULL), or with the delegate that it names. */
void cert_make(const struct signer *signer, const struct delegation *delegation,
    enum cert_purpose purpose, struct uuid context, const uint8_t subject[32], struct cert *out);

/* The log key certifies a delegate for one enrolment. */
void delegation_make(const struct signer *log_key, struct uuid enrolment,
    const uint8_t delegate[SIGN_PUBLIC_LEN], struct delegation *out);

/* True when the chain from the log's public key holds. */
bool cert_valid(const struct cert *c, const uint8_t log_public[SIGN_PUBLIC_LEN]);

void cert_put(struct wire_out *o, const struct cert *c);

/* Fails the reader on a purpose that is none, and on a delegation that is not used and not zero. */
void cert_take(struct wire_in *in, struct cert *out);
void delegation_put(struct wire_out *o, const struct delegation *d);
void delegation_take(struct wire_in *in, struct delegation *out);

#endif
