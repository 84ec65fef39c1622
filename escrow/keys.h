/*
 * keys: the key hierarchy, each step a function of its own.
 *
 *   password --Argon2id--> KEK --seals--> root key --seals--> class keys, log key
 *   custody material + binding --seals--> unattended key --seals--> delegate
 *   unattended key + half of a token + grant --seals--> class keys of an unattended grant
 *   root key --seals--> profile key; and so does the key that a custody of its own gives
 *   root key --> ordinary base; that + half of a token + grant --seals--> class keys of an ordinary grant
 *   class key --> revision key --> chunk keys
 *
 * Source: docs/store-format.md, "Keys".
 */
#ifndef ESCROW_KEYS_H
#define ESCROW_KEYS_H

#include "escrow/seal.h"
#include "mailbox/words.h"

/* What a sealed key is bound to, as associated data; at most KEY_BINDING_MAX bytes. */
#define KEY_BINDING_MAX 64
struct key_binding {
	uint8_t b[KEY_BINDING_MAX];
	size_t  len;
};

struct span key_binding_span(const struct key_binding *b);

struct key_binding bind_root(struct uuid library, uint32_t passes, uint32_t memory_kib, const uint8_t salt[16]);
struct key_binding bind_log_key(struct uuid library);
struct key_binding bind_class(struct uuid vault, enum key_class c);
struct key_binding bind_delegate(struct uuid enrolment);
struct key_binding bind_profile(struct uuid library);
struct key_binding bind_profile_way(uint64_t ask_id); /* from the keyring to the profile */
struct key_binding bind_grant_class(struct uuid grant, struct uuid vault, enum key_class c);

/* The key over the unattended key's envelope; context is custody_context's bytes. */
void custody_envelope_key(const struct key *material, struct span context, struct key *out);

/* What ordinary grants' keys come from: there is one only while the root key is loaded. */
void ordinary_base_key(const struct key *root, struct key *out);

/*
 * Needs both the base (the unattended key, or an ordinary one) and the token's
 * half: either alone opens nothing.
 */
void grant_key(const struct key *base, const struct key *half, struct uuid grant, struct key *out);

/* The names of all vaults are sealed under one key of the library. */
void names_key(const struct key *root, struct key *out);

/* All keys of one revision come from this one, which its writer gets. */
void revision_key(const struct key *class_key, struct uuid asset, struct uuid revision, struct key *out);
void chunk_key(const struct key *revision_key, enum part part, uint32_t index, struct key *out);

/* A client file's token, 32 random bytes, never leaves the client: these do. */
void token_id(const struct key *token, uint8_t out[32]);
void token_half(const struct key *token, struct key *out);

#endif
