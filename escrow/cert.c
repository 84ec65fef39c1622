#include <string.h>

#include "escrow/cert.h"

#define LABEL "memories/cert/v1"

/* Purpose, context and subject: what a signature covers. */
static struct span
statement(enum cert_purpose purpose, struct uuid context, const uint8_t subject[32], uint8_t buf[64])
{
	struct wire_out o = wire_out(buf, 64);

	wire_put_u8(&o, (uint8_t)purpose);
	wire_put_id(&o, context);
	wire_put_bytes(&o, subject, 32);
	return wire_written(&o);
}

void
cert_make(const struct signer *signer, const struct delegation *delegation,
    enum cert_purpose purpose, struct uuid context, const uint8_t subject[32], struct cert *out)
{
	uint8_t buf[64];

	*out = (struct cert){ .purpose = purpose, .context = context };
	memcpy(out->subject, subject, 32);
	if (delegation != NULL) {
		out->delegated = true;
		out->delegation = *delegation;
	}
	signer_sign(signer, LABEL, statement(purpose, context, subject, buf), out->signature);
}

void
delegation_make(const struct signer *log_key, struct uuid enrolment,
    const uint8_t delegate[SIGN_PUBLIC_LEN], struct delegation *out)
{
	uint8_t buf[64];

	out->enrolment = enrolment;
	memcpy(out->delegate, delegate, SIGN_PUBLIC_LEN);
	signer_sign(log_key, LABEL, statement(CERT_DELEGATE, enrolment, delegate, buf), out->signature);
}

bool
cert_valid(const struct cert *c, const uint8_t log_public[SIGN_PUBLIC_LEN])
{
	const uint8_t *signed_by = log_public;
	const struct delegation *d = &c->delegation;
	uint8_t buf[64];

	if (c->delegated) {
		if (!signature_valid(log_public, LABEL,
		    statement(CERT_DELEGATE, d->enrolment, d->delegate, buf), d->signature))
			return false;
		signed_by = d->delegate;
	}
	return signature_valid(signed_by, LABEL,
	    statement(c->purpose, c->context, c->subject, buf), c->signature);
}

void
delegation_put(struct wire_out *o, const struct delegation *d)
{
	wire_put_id(o, d->enrolment);
	wire_put_bytes(o, d->delegate, sizeof d->delegate);
	wire_put_bytes(o, d->signature, sizeof d->signature);
}

void
delegation_take(struct wire_in *in, struct delegation *out)
{
	out->enrolment = wire_take_id(in);
	wire_take_bytes(in, out->delegate, sizeof out->delegate);
	wire_take_bytes(in, out->signature, sizeof out->signature);
}

void
cert_put(struct wire_out *o, const struct cert *c)
{
	wire_put_u8(o, (uint8_t)c->purpose);
	wire_put_id(o, c->context);
	wire_put_bytes(o, c->subject, sizeof c->subject);
	wire_put_u8(o, c->delegated);
	delegation_put(o, &c->delegation);
	wire_put_bytes(o, c->signature, sizeof c->signature);
}

void
cert_take(struct wire_in *in, struct cert *out)
{
	static const struct delegation none;
	uint8_t purpose, delegated;

	memset(out, 0, sizeof *out);
	purpose = wire_take_u8(in);
	out->context = wire_take_id(in);
	wire_take_bytes(in, out->subject, sizeof out->subject);
	delegated = wire_take_u8(in);
	delegation_take(in, &out->delegation);
	wire_take_bytes(in, out->signature, sizeof out->signature);
	if (purpose < CERT_BOOT || purpose > CERT_DELEGATE || delegated > 1 ||
	    (delegated == 0 && memcmp(&out->delegation, &none, sizeof none) != 0))
		in->failed = true;
	out->purpose = (enum cert_purpose)purpose;
	out->delegated = delegated == 1;
}
