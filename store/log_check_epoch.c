#include <string.h>

#include "store/log_check.h"

/* The first byte of an epoch record's extra. */
enum { BEGINS, CERTIFIES };

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

bool
log_check_cert(const struct cert *c, const struct log_epoch *epoch,
    const uint8_t log_public[SIGN_PUBLIC_LEN])
{
	return c->purpose == CERT_EPOCH && uuid_equal(c->context, epoch->id) &&
	    memcmp(c->subject, epoch->public_key, SIGN_PUBLIC_LEN) == 0 && cert_valid(c, log_public);
}

static const char *
begin(const struct log_record *r, struct wire_in *extra, struct log_epoch *epoch)
{
	struct log_epoch begun = { .begun = true, .id = r->epoch };

	wire_take_bytes(extra, begun.public_key, sizeof begun.public_key);
	if (!wire_done(extra))
		return "an epoch record does not have its form";
	if (epoch->begun && uuid_equal(epoch->id, begun.id))
		return "an epoch begins twice";
	*epoch = begun;
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

const char *
log_check_epoch_rule(const uint8_t *log_public, const struct log_record *r, struct log_epoch *epoch)
{
	struct wire_in extra = wire_in(r->extra.p, r->extra.len);
	uint8_t what = r->type == LOG_EPOCH ? wire_take_u8(&extra) : CERTIFIES;

	if (r->type == LOG_EPOCH && what == BEGINS && !extra.failed)
		return begin(r, &extra, epoch);
	if (!epoch->begun || !uuid_equal(r->epoch, epoch->id))
		return "a record is of an epoch that did not begin";
	if (r->type == LOG_EPOCH)
		return what == CERTIFIES ? certify(log_public, &extra, epoch)
		                         : "an epoch record does not have its form";
	if (!epoch->certified && !log_check_pending_allows(r))
		return "a record stands in an epoch that was not certified";
	return NULL;
}
