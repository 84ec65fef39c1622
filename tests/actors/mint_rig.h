/* mint_rig: a grant minted by the keyring of a keyring_rig, and asks that its client makes. */
#ifndef TESTS_ACTORS_MINT_RIG_H
#define TESTS_ACTORS_MINT_RIG_H

#include "tests/actors/keyring_rig.h"

/* A client file's token, minted for one vault. */
struct minted {
	enum grant_type type;
	uint8_t         classes;
	struct key          *token;
	struct uuid          grant;
	struct vault_keys_made_body wraps;
};

static inline enum err
mint_rig_mint(struct keyring_rig *k, struct minted *m, bool other_ask)
{
	uint8_t rows[sizeof m->wraps + 8], boxed[SEALED_KEY_LEN], buf[BINDING_MAX];
	struct wire_out o = wire_out(rows, sizeof rows);
	struct grant_keys_wanted_body w = { .grant = m->grant };
	struct vault_keys_made_body v = { .vault = k->vault };
	struct key *half = NULL;
	const union any_body *b;
	struct wire_in in;

	for (unsigned c = 0; c < CLASS__COUNT; c++) {
		struct key_binding binding = bind_class(k->vault, (enum key_class)c);

		key_seal(k->root, key_binding_span(&binding), k->classes[c], v.sealed + c * SEALED_KEY_LEN);
	}
	vault_keys_made_body_put(&o, &v);
	w.wraps = wire_written(&o);
	w.mint = (struct mint_ask_body){ .client_ask = ++k->n_asks, .vaults = { k->vault.b, UUID_LEN },
		.grant_type = (uint8_t)m->type, .classes = m->classes };
	memcpy(w.mint.opener, k->opener.public_key, 32);
	token_id(m->token, w.mint.token_id);
	assert_int_equal(key_new(&half), OK);
	token_half(m->token, half);
	key_seal(k->channel.up, mint_binding(&w.mint, buf), half, boxed);
	key_free(&half);
	w.mint.boxed_half = (struct span){ boxed, sizeof boxed };
	w.mint.client_ask += other_ask;
	assert_int_equal(rig_deliver(k->r, MSG_GRANT_KEYS_WANTED, ACTOR_GRANTS, 14, &w), OK);
	if ((b = rig_expect(k->r, MSG_KEYS_NOT_MADE)) != NULL)
		return (enum err)b->result.error;
	assert_non_null(b = rig_expect(k->r, MSG_GRANT_KEYS));
	assert_true(uuid_equal(b->grant_keys_made.grant, m->grant));
	in = wire_in(b->grant_keys_made.wraps.p, b->grant_keys_made.wraps.len);
	vault_keys_made_body_take(&in, &m->wraps);
	assert_true(wire_done(&in));
	return OK;
}

static inline struct minted
mint_rig_of(enum grant_type type)
{
	struct minted m = { .grant = keyring_rig_id(0x41), .type = type,
	    .classes = type == GRANT_ORDINARY ? 1u << CLASS_ORDINARY : KEYRING_CLASSES };

	assert_int_equal(key_random(&m.token), OK);
	return m;
}

/* A grant's read of a title, with the half of this token boxed into it. */
static inline void
mint_rig_ask(struct keyring_rig *k, const struct minted *m, const struct key *token, unsigned classes, enum key_class c)
{
	struct keys_wanted_body w = keyring_rig_wanted(k, OP_LIST);
	struct key_ref_body ref = keyring_rig_ref(k, c, PART_TITLE, 0);
	struct wire_out o = wire_out(k->wraps, sizeof k->wraps);
	uint8_t boxed[SEALED_KEY_LEN], buf[BINDING_MAX];
	struct key *half = NULL;

	for (unsigned i = 0; i < CLASS__COUNT; i++) {
		struct wrap_body wrap = { .key_class = (uint8_t)i };

		memcpy(wrap.sealed, m->wraps.sealed + i * SEALED_KEY_LEN, SEALED_KEY_LEN);
		if (classes & 1u << i)
			wrap_body_put(&o, &wrap);
	}
	w.ruling.wraps = wire_written(&o);
	w.ruling.classes = (uint8_t)classes;
	w.ruling.grant = m->grant;
	w.ruling.grant_type = (uint8_t)m->type;
	w.ruling.subject_kind = LOG_GRANT_ID;
	w.ruling.subject = m->grant;
	token_id(token, w.ruling.ask.token_id);
	assert_int_equal(key_new(&half), OK);
	token_half(token, half);
	key_seal(k->channel.up, ask_binding(&w.ruling.ask, buf), half, boxed);
	key_free(&half);
	w.ruling.ask.boxed_half = (struct span){ boxed, sizeof boxed };
	keyring_rig_refs(k, &w, &ref, 1);
	keyring_rig_ask(k, &w);
}

#endif
