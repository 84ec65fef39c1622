#include <string.h>

#include "gateway/believed.h"

/* The certificate is for that purpose, context and key, and holds under the believed log key. */
static bool
certified(struct span bytes, enum cert_purpose purpose, struct uuid context, const uint8_t subject[32],
    const uint8_t log_public[SIGN_PUBLIC_LEN])
{
	struct wire_in in = wire_in(bytes.p, bytes.len);
	struct cert cert;

	cert_take(&in, &cert);
	return wire_done(&in) && cert.purpose == purpose && uuid_equal(cert.context, context) &&
	    memcmp(cert.subject, subject, 32) == 0 && cert_valid(&cert, log_public);
}

/* The one before needs no fields beside its certificate, which names its id and key. */
static bool
earlier_certified(struct span bytes, const uint8_t log_public[SIGN_PUBLIC_LEN], struct cert *out)
{
	struct wire_in in = wire_in(bytes.p, bytes.len);

	cert_take(&in, out);
	return wire_done(&in) && out->purpose == CERT_EPOCH && cert_valid(out, log_public);
}

bool
believed_of(const struct boot_body *b, const uint8_t log_public[SIGN_PUBLIC_LEN], struct believed *out)
{
	memset(out, 0, sizeof *out);
	if (!b->certified)
		return true;
	if (!certified(b->certificate, CERT_BOOT, b->boot, b->boot_public, log_public))
		return false;
	out->boot = true;
	out->epoch = b->epoch_known && certified(b->epoch_certificate, CERT_EPOCH, b->epoch, b->epoch_public, log_public);
	out->epoch_id = b->epoch;
	memcpy(out->epoch_public, b->epoch_public, sizeof out->epoch_public);
	out->earlier = earlier_certified(b->earlier_certificate, log_public, &out->earlier_cert);
	return true;
}

const uint8_t *
believed_epoch(const struct believed *b, struct uuid epoch)
{
	if (b->epoch && uuid_equal(epoch, b->epoch_id))
		return b->epoch_public;
	return b->earlier && uuid_equal(epoch, b->earlier_cert.context) ? b->earlier_cert.subject : NULL;
}

enum err
receipt_commit(const struct ack_body *ack, struct log_commit *out)
{
	struct wire_in in = wire_in(ack->commit, sizeof ack->commit);

	log_commit_take(&in, out);
	return wire_done(&in) && ack->index >= out->first && ack->index - out->first < out->count ? OK : ERR_AUDIT_UNAVAILABLE;
}
