#include <sodium.h>
#include <string.h>

#include "escrow/channel.h"
#include "escrow/hash.h"

enum err
key_pair_new(struct key_pair *out)
{
	enum err e = key_new(&out->secret);

	if (e == OK)
		crypto_box_keypair(out->public_key, out->secret->b);
	return e;
}

void
key_pair_free(struct key_pair *p)
{
	key_free(&p->secret);
}

/* Both directions' keys, bound to both public keys in a fixed order. */
static enum err
channel_make(const struct key_pair *own, const uint8_t other[32],
    const uint8_t boot_public[32], const uint8_t opener_public[32], struct channel *out)
{
	struct key *shared = NULL;
	uint8_t context[2 * CHANNEL_PUBLIC_LEN];
	enum err e;

	*out = (struct channel){ NULL, NULL };
	if ((e = key_new(&shared)) != OK)
		return e;
	if (crypto_scalarmult(shared->b, own->secret->b, other) != 0) {
		key_free(&shared);
		return ERR_INVALID_ARGUMENT;
	}
	if ((e = key_new(&out->up)) == OK && (e = key_new(&out->down)) == OK) {
		memcpy(context, boot_public, CHANNEL_PUBLIC_LEN);
		memcpy(context + CHANNEL_PUBLIC_LEN, opener_public, CHANNEL_PUBLIC_LEN);
		derive(shared, "memories/channel-up/v1", (struct span){ context, sizeof context }, out->up);
		derive(shared, "memories/channel-down/v1", (struct span){ context, sizeof context }, out->down);
	} else {
		channel_free(out);
	}
	key_free(&shared);
	return e;
}

enum err
channel_of_opener(const struct key_pair *opener, const uint8_t boot_public[32], struct channel *out)
{
	return channel_make(opener, boot_public, boot_public, opener->public_key, out);
}

enum err
channel_of_boot(const struct key_pair *boot, const uint8_t opener_public[32], struct channel *out)
{
	return channel_make(boot, opener_public, boot->public_key, opener_public, out);
}

enum err
channel_of_pair(const uint8_t pair_key[KEY_LEN], struct channel *out)
{
	struct key *pair = NULL;
	enum err e;

	*out = (struct channel){ NULL, NULL };
	if ((e = key_of(pair_key, &pair)) != OK)
		return e;
	if ((e = key_new(&out->up)) == OK && (e = key_new(&out->down)) == OK) {
		derive(pair, "memories/search-up/v1", (struct span){ NULL, 0 }, out->up);
		derive(pair, "memories/search-down/v1", (struct span){ NULL, 0 }, out->down);
	} else {
		channel_free(out);
	}
	key_free(&pair);
	return e;
}

void
channel_free(struct channel *c)
{
	key_free(&c->up);
	key_free(&c->down);
}
