#include <string.h>

#include "escrow/hash.h"
#include "escrow/keys.h"

struct span
key_binding_span(const struct key_binding *b)
{
	return (struct span){ b->b, b->len };
}

/* A word for what is sealed, then the ids that it belongs to. */
static struct wire_out
begin(struct key_binding *b, const char *word)
{
	struct wire_out o = wire_out(b->b, sizeof b->b);

	wire_put_bytes(&o, word, strlen(word) + 1);
	return o;
}

struct key_binding
bind_root(struct uuid library, uint32_t passes, uint32_t memory_kib, const uint8_t salt[16])
{
	struct key_binding b;
	struct wire_out o = begin(&b, "root/v1");

	wire_put_id(&o, library);
	wire_put_u32(&o, passes);
	wire_put_u32(&o, memory_kib);
	wire_put_bytes(&o, salt, 16);
	b.len = o.len;
	return b;
}

struct key_binding
bind_log_key(struct uuid library)
{
	struct key_binding b;
	struct wire_out o = begin(&b, "log/v1");

	wire_put_id(&o, library);
	b.len = o.len;
	return b;
}

struct key_binding
bind_class(struct uuid vault, enum key_class c)
{
	struct key_binding b;
	struct wire_out o = begin(&b, "class/v1");

	wire_put_id(&o, vault);
	wire_put_u8(&o, (uint8_t)c);
	b.len = o.len;
	return b;
}

struct key_binding
bind_delegate(struct uuid enrolment)
{
	struct key_binding b;
	struct wire_out o = begin(&b, "delegate/v1");

	wire_put_id(&o, enrolment);
	b.len = o.len;
	return b;
}

struct key_binding
bind_profile(struct uuid library)
{
	struct key_binding b;
	struct wire_out o = begin(&b, "profile/v1");

	wire_put_id(&o, library);
	b.len = o.len;
	return b;
}

struct key_binding
bind_profile_way(uint64_t ask_id)
{
	struct key_binding b;
	struct wire_out o = begin(&b, "profile-way/v1");

	wire_put_u64(&o, ask_id);
	b.len = o.len;
	return b;
}

struct key_binding
bind_grant_class(struct uuid grant, struct uuid vault, enum key_class c)
{
	struct key_binding b;
	struct wire_out o = begin(&b, "grant/v1");

	wire_put_id(&o, grant);
	wire_put_id(&o, vault);
	wire_put_u8(&o, (uint8_t)c);
	b.len = o.len;
	return b;
}

void
custody_envelope_key(const struct key *material, struct span context, struct key *out)
{
	derive(material, "memories/custody/v1", context, out);
}

void
ordinary_base_key(const struct key *root, struct key *out)
{
	derive(root, "memories/ordinary-grants/v1", (struct span){ NULL, 0 }, out);
}

void
grant_key(const struct key *base, const struct key *half, struct uuid grant, struct key *out)
{
	uint8_t context[KEY_LEN + UUID_LEN];

	memcpy(context, half->b, KEY_LEN);
	memcpy(context + KEY_LEN, grant.b, UUID_LEN);
	derive(base, "memories/grant/v1", (struct span){ context, sizeof context }, out);
	wipe(context, sizeof context);
}

void
names_key(const struct key *root, struct key *out)
{
	derive(root, "memories/names/v1", (struct span){ NULL, 0 }, out);
}

void
revision_key(const struct key *class_key, struct uuid asset, struct uuid revision, struct key *out)
{
	uint8_t context[2 * UUID_LEN];

	memcpy(context, asset.b, UUID_LEN);
	memcpy(context + UUID_LEN, revision.b, UUID_LEN);
	derive(class_key, "memories/revision/v1", (struct span){ context, sizeof context }, out);
}

void
chunk_key(const struct key *from, enum part part, uint32_t index, struct key *out)
{
	uint8_t context[5];
	struct wire_out o = wire_out(context, sizeof context);

	wire_put_u8(&o, (uint8_t)part);
	wire_put_u32(&o, index);
	derive(from, "memories/chunk/v1", wire_written(&o), out);
}

void
token_id(const struct key *token, uint8_t out[32])
{
	keyed_tag(token, "memories/token-id/v1", (struct span){ NULL, 0 }, out);
}

void
token_half(const struct key *token, struct key *out)
{
	derive(token, "memories/token-half/v1", (struct span){ NULL, 0 }, out);
}
