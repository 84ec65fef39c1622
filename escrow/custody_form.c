#include <string.h>

#include "escrow/custody_form.h"
#include "escrow/hash.h"
#include "mailbox/base64.h"

#define VERSION      1
#define MAGIC_LEN    16
#define CHECKSUM_AT  (CUSTODY_FORM_LEN - SHA256_LEN)

static const uint8_t magic[MAGIC_LEN] = "memories custody";

_Static_assert(MAGIC_LEN + 2 + 2 * UUID_LEN + SHA256_LEN + KEY_LEN == CHECKSUM_AT,
    "the fields fill the form");
_Static_assert((CUSTODY_FORM_LEN * 4 + 2) / 3 == CUSTODY_TEXT_LEN, "the text holds the form");

static enum err
binding_digest(const struct custody_binding *b, uint8_t out[SHA256_LEN])
{
	uint8_t context[CUSTODY_CONTEXT_MAX];
	struct wire_out o = wire_out(context, sizeof context);

	custody_context(b, &o);
	if (o.failed)
		return ERR_INVALID_ARGUMENT;
	sha256(context, o.len, out);
	return OK;
}

enum err
custody_form_put(const struct custody_binding *b, const struct key *material,
    uint8_t out[CUSTODY_FORM_LEN])
{
	struct wire_out o = wire_out(out, CUSTODY_FORM_LEN);
	uint8_t digest[SHA256_LEN];
	enum err e;

	if ((e = binding_digest(b, digest)) != OK)
		return e;
	wire_put_bytes(&o, magic, sizeof magic);
	wire_put_u16(&o, VERSION);
	wire_put_id(&o, b->library);
	wire_put_id(&o, b->enrolment);
	wire_put_bytes(&o, digest, sizeof digest);
	wire_put_bytes(&o, material->b, KEY_LEN);
	sha256(out, CHECKSUM_AT, digest);
	wire_put_bytes(&o, digest, sizeof digest);
	return OK;
}

static bool
is_of_the_form(struct span bytes)
{
	uint8_t checksum[SHA256_LEN];

	if (bytes.len != CUSTODY_FORM_LEN || memcmp(bytes.p, magic, sizeof magic) != 0)
		return false;
	sha256(bytes.p, CHECKSUM_AT, checksum);
	return same_bytes(bytes.p + CHECKSUM_AT, checksum, sizeof checksum);
}

enum err
custody_form_take(struct span bytes, const struct custody_binding *b, struct key *material)
{
	struct wire_in in = wire_in(bytes.p, bytes.len);
	uint8_t found[SHA256_LEN], digest[SHA256_LEN];
	struct uuid library, enrolment;
	enum err e;

	if (!is_of_the_form(bytes))
		return ERR_CUSTODY_INVALID;
	wire_take_raw(&in, MAGIC_LEN);
	if (wire_take_u16(&in) != VERSION)
		return ERR_CUSTODY_INVALID;
	library = wire_take_id(&in);
	enrolment = wire_take_id(&in);
	wire_take_bytes(&in, found, sizeof found);
	if ((e = binding_digest(b, digest)) != OK)
		return e;
	if (!uuid_equal(library, b->library) || !uuid_equal(enrolment, b->enrolment) ||
	    memcmp(found, digest, sizeof digest) != 0)
		return ERR_CUSTODY_BINDING;
	wire_take_bytes(&in, material->b, KEY_LEN);
	return OK;
}

enum err
custody_text_put(const struct custody_binding *b, const struct key *material, uint8_t out[CUSTODY_TEXT_LEN])
{
	uint8_t bytes[CUSTODY_FORM_LEN];
	enum err e = custody_form_put(b, material, bytes);

	if (e == OK)
		base64_encode((struct span){ bytes, sizeof bytes }, (char *)out);
	wipe(bytes, sizeof bytes);
	return e;
}

enum err
custody_text_take(struct span text, const struct custody_binding *b, struct key *material)
{
	uint8_t bytes[CUSTODY_FORM_LEN + 2];
	size_t len = 0;
	enum err e = ERR_CUSTODY_INVALID;

	if (text.len == CUSTODY_TEXT_LEN && base64_decode(text, bytes, &len) == OK)
		e = custody_form_take((struct span){ bytes, len }, b, material);
	wipe(bytes, sizeof bytes);
	return e;
}
