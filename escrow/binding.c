#include <stdlib.h>
#include <string.h>

#include "escrow/binding.h"
#include "escrow/hash.h"

/* An encoded ruling, with what is boxed in its ask. */
#define RULING_MAX (3 * BINDING_MAX)

/* What is bound must be bound whole: every body fits, or the table has outgrown BINDING_MAX. */
static struct span
whole(const struct wire_out *o)
{
	if (o->failed)
		abort();
	return wire_written(o);
}

static struct wire_out
begin(uint8_t buf[BINDING_MAX], const char *word)
{
	struct wire_out o = wire_out(buf, BINDING_MAX);

	wire_put_bytes(&o, word, strlen(word) + 1);
	return o;
}

struct span
ask_binding(const struct ask_body *ask, uint8_t buf[BINDING_MAX])
{
	struct ask_body a = *ask;
	struct wire_out o = begin(buf, "ask/v1");

	memset(&a.peer, 0, sizeof a.peer);
	a.boxed_half = a.boxed_query = (struct span){ NULL, 0 };
	ask_body_put(&o, &a);
	return whole(&o);
}

struct span
mint_binding(const struct mint_ask_body *ask, uint8_t buf[BINDING_MAX])
{
	struct mint_ask_body a = *ask;
	struct wire_out o = begin(buf, "mint/v1");

	memset(&a.peer, 0, sizeof a.peer);
	a.boxed_half = (struct span){ NULL, 0 };
	mint_ask_body_put(&o, &a);
	return whole(&o);
}

struct span
kek_binding(uint64_t client_ask, bool load, uint8_t buf[BINDING_MAX])
{
	struct wire_out o = begin(buf, "kek/v1");

	wire_put_u64(&o, client_ask);
	wire_put_u8(&o, load);
	return whole(&o);
}

struct span
passwd_binding(const struct passwd_offer_body *offer, uint8_t buf[BINDING_MAX])
{
	struct wire_out o = begin(buf, "passwd/v1");

	wire_put_u64(&o, offer->client_ask);
	kdf_body_put(&o, &offer->kdf);
	return whole(&o);
}

void
ruling_mac(const struct key *k, const struct ruling_body *r, uint8_t out[32])
{
	struct ruling_body bare = *r;
	uint8_t buf[RULING_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);

	memset(bare.mac, 0, sizeof bare.mac);
	ruling_body_put(&o, &bare);
	keyed_tag(k, "memories/ruling/v1", whole(&o), out);
}
