#include <string.h>

#include "store/log_check.h"

/* The first byte of an epoch record's extra. */
enum { BEGINS, CERTIFIES, ROTATES };

struct span
log_check_put_begin(const uint8_t public_key[SIGN_PUBLIC_LEN], uint8_t buf[LOG_EPOCH_EXTRA_MAX])
{
	struct wire_out o = wire_out(buf, LOG_EPOCH_EXTRA_MAX);

	wire_put_u8(&o, BEGINS);
	wire_put_bytes(&o, public_key, SIGN_PUBLIC_LEN);
	return wire_written(&o);
}

struct span
log_check_put_cert(const struct cert *c, uint8_t buf[LOG_EPOCH_EXTRA_MAX])
{
	struct wire_out o = wire_out(buf, LOG_EPOCH_EXTRA_MAX);

	wire_put_u8(&o, CERTIFIES);
	cert_put(&o, c);
	return wire_written(&o);
}

struct span
log_check_put_rotation(const struct log_rotation *rotation, uint8_t buf[LOG_EPOCH_EXTRA_MAX])
{
	struct wire_out o = wire_out(buf, LOG_EPOCH_EXTRA_MAX);

	wire_put_u8(&o, ROTATES);
	wire_put_id(&o, rotation->next);
	wire_put_bytes(&o, rotation->next_public, SIGN_PUBLIC_LEN);
	wire_put_bytes(&o, rotation->seal_hash, SHA256_LEN);
	if (rotation->certificate != NULL)
		cert_put(&o, rotation->certificate);
	return wire_written(&o);
}

bool
log_check_take_rotation(const struct log_record *r, struct log_rotation *out, struct cert *certificate)
{
	struct wire_in extra = wire_in(r->extra.p, r->extra.len);

	memset(out, 0, sizeof *out);
	if (r->type != LOG_EPOCH || wire_take_u8(&extra) != ROTATES)
		return false;
	out->next = wire_take_id(&extra);
	wire_take_bytes(&extra, out->next_public, SIGN_PUBLIC_LEN);
	wire_take_bytes(&extra, out->seal_hash, SHA256_LEN);
	if (extra.failed || wire_done(&extra))
		return !extra.failed;
	cert_take(&extra, certificate);
	out->certificate = certificate;
	return wire_done(&extra);
}

bool
log_check_cert(const struct cert *c, const struct log_epoch *epoch,
    const uint8_t log_public[SIGN_PUBLIC_LEN])
{
	return c->purpose == CERT_EPOCH && uuid_equal(c->context, epoch->id) &&
	    memcmp(c->subject, epoch->public_key, SIGN_PUBLIC_LEN) == 0 && cert_valid(c, log_public);
}

static const char *
begin(const struct log_record *r, struct wire_in *extra, struct log_chain *chain)
{
	struct log_epoch begun = { .begun = true, .id = r->epoch };

	wire_take_bytes(extra, begun.public_key, sizeof begun.public_key);
	if (!wire_done(extra))
		return "an epoch record does not have its form";
	if (chain->epoch.begun && uuid_equal(chain->epoch.id, begun.id))
		return "an epoch begins twice";
	chain->epoch = begun;
	chain->has_found = true;
	chain->found = (struct log_head){ .size = r->index };
	merkle_root(&chain->tree, chain->found.root);
	return NULL;
}

static const char *
certify(const uint8_t *log_public, struct wire_in *extra, struct log_epoch *epoch)
{
	struct cert c;

	cert_take(extra, &c);
	if (!wire_done(extra))
		return "an epoch record does not have its form";
	if (!log_check_cert(&c, epoch, log_public))
		return "the certificate of an epoch does not hold";
	epoch->certified = true;
	return NULL;
}

static const char *
rotate(const uint8_t *log_public, const struct log_record *r, struct log_chain *chain)
{
	struct log_epoch next = { .begun = true };
	struct log_rotation rotation;
	struct cert c;

	if (!log_check_take_rotation(r, &rotation, &c))
		return "an epoch record does not have its form";
	next.id = rotation.next;
	memcpy(next.public_key, rotation.next_public, sizeof next.public_key);
	if (uuid_equal(next.id, chain->epoch.id))
		return "an epoch begins twice";
	next.certified = rotation.certificate != NULL;
	if (next.certified && !log_check_cert(&c, &next, log_public))
		return "the certificate of an epoch does not hold";
	chain->next_epoch = next;
	return NULL;
}

static const char *
epoch_record(const uint8_t *log_public, const struct log_record *r, uint8_t what, struct wire_in *extra,
    struct log_chain *chain)
{
	if (what == CERTIFIES)
		return certify(log_public, extra, &chain->epoch);
	if (what == ROTATES)
		return rotate(log_public, r, chain);
	return "an epoch record does not have its form";
}

const char *
log_check_epoch_rule(const uint8_t *log_public, const struct log_record *r, struct log_chain *chain)
{
	struct wire_in extra = wire_in(r->extra.p, r->extra.len);
	uint8_t what = r->type == LOG_EPOCH ? wire_take_u8(&extra) : CERTIFIES;

	if (chain->next_epoch.begun)
		return "a record stands behind the one that ends its epoch";
	if (r->type == LOG_EPOCH && what == BEGINS && !extra.failed)
		return begin(r, &extra, chain);
	if (!chain->epoch.begun || !uuid_equal(r->epoch, chain->epoch.id))
		return "a record is of an epoch that did not begin";
	if (r->type == LOG_EPOCH)
		return epoch_record(log_public, r, what, &extra, chain);
	if (!chain->epoch.certified && !log_check_pending_allows(r))
		return "a record stands in an epoch that was not certified";
	return NULL;
}

void
log_check_settle(struct log_chain *chain, const struct log_epoch *before)
{
	bool began = chain->epoch.begun && !(before->begun && uuid_equal(chain->epoch.id, before->id));

	chain->n_epochs += began;
	chain->n_pending_epochs += began;
	if (chain->epoch.certified && (began || !before->certified))
		chain->n_pending_epochs--;
	if (!chain->next_epoch.begun)
		return;
	chain->n_epochs++;
	chain->n_pending_epochs += !chain->next_epoch.certified;
	chain->epoch = chain->next_epoch;
	chain->next_epoch = (struct log_epoch){ .begun = false };
	chain->has_found = false;
}
