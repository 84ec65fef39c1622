#include <string.h>

#include "escrow/deposit.h"
#include "escrow/query.h"
#include "escrow/hash.h"

#define BINDING_LEN 48

static struct span
binding(uint64_t ask_id, const uint8_t mac[32], uint8_t buf[BINDING_LEN])
{
	static const char word[8] = "query/1";
	struct wire_out o = wire_out(buf, BINDING_LEN);

	wire_put_bytes(&o, word, sizeof word);
	wire_put_u64(&o, ask_id);
	wire_put_bytes(&o, mac, 32);
	return wire_written(&o);
}

enum err
query_result_key(const struct key_pair *boot, const uint8_t ruling_mac[32], uint64_t ask_id, struct key **out)
{
	uint8_t buf[BINDING_LEN];
	enum err e = key_new(out);

	if (e == OK)
		derive(boot->secret, "memories/result-key/v1", binding(ask_id, ruling_mac, buf), *out);
	return e;
}

enum err
query_seal(const struct key *shared, uint64_t ask_id, const uint8_t ruling_mac[32], const struct key *result,
    struct span text, uint8_t *out, size_t *len)
{
	uint8_t buf[BINDING_LEN];
	struct secret *plain = NULL;
	enum err e;

	if (text.len > PROFILE_TEXT_MAX)
		return ERR_INTERNAL;
	if ((e = secret_new(KEY_LEN + text.len, &plain)) != OK)
		return e;
	memcpy(secret_bytes(plain), result->b, KEY_LEN);
	if (text.len > 0)
		memcpy(secret_bytes(plain) + KEY_LEN, text.p, text.len);
	seal(shared->b, binding(ask_id, ruling_mac, buf), secret_span(plain), out);
	*len = KEY_LEN + text.len + SEAL_OVERHEAD;
	secret_free(&plain);
	return OK;
}

enum err
query_open(const struct key *shared, uint64_t ask_id, const uint8_t ruling_mac[32], struct span sealed,
    struct key **result, struct secret **text)
{
	uint8_t buf[BINDING_LEN];
	struct secret *plain = NULL;
	struct key *k = NULL;
	size_t len;
	enum err e;

	if (sealed.len < KEY_LEN + SEAL_OVERHEAD)
		return ERR_STORAGE_CORRUPT;
	if ((e = secret_new(sealed.len - SEAL_OVERHEAD, &plain)) != OK)
		return e;
	len = secret_len(plain) - KEY_LEN;
	if ((e = seal_open(shared->b, binding(ask_id, ruling_mac, buf), sealed, secret_bytes(plain))) == OK &&
	    (e = key_of(secret_view(plain), &k)) == OK && (e = secret_new(len, text)) == OK) {
		if (len > 0)
			memcpy(secret_bytes(*text), secret_view(plain) + KEY_LEN, len);
		*result = k;
		k = NULL;
	}
	key_free(&k);
	secret_free(&plain);
	return e;
}

void
query_found_seal(const struct key *result, struct span plain, uint8_t *out)
{
	static const struct uuid none;
	uint8_t buf[PIECE_BINDING_MAX];

	seal(result->b, piece_binding(PART_FOUND, none, none, 0, false, (struct span){ NULL, 0 }, buf), plain, out);
}
