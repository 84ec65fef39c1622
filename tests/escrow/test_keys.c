#include <string.h>

#include "escrow/keys.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

/* The vectors of docs/store-format.md, made by another implementation. */
#define KEY_00 "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define KEY_20 "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
#define KEY_40 "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f"

static struct uuid
id_from(uint8_t first)
{
	struct uuid id;

	for (size_t i = 0; i < UUID_LEN; i++)
		id.b[i] = (uint8_t)(first + i);
	return id;
}

static void
expect_binding(struct key_binding b, const char *text)
{
	struct span s = key_binding_span(&b);

	hex_expect(s.p, s.len, text);
}

static void
each_sealed_key_is_bound_to_its_bytes(void **state)
{
	uint8_t salt[16];

	(void)state;
	hex_bytes("a0a1a2a3a4a5a6a7a8a9aaabacadaeaf", salt, sizeof salt);
	expect_binding(bind_root(id_from(0x50), 3, 262144, salt),
	    "726f6f742f763100505152535455565758595a5b5c5d5e5f0000000300040000a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");
	expect_binding(bind_log_key(id_from(0x50)), "6c6f672f763100505152535455565758595a5b5c5d5e5f");
	expect_binding(bind_class(id_from(0x10), CLASS_CREDENTIAL), "636c6173732f763100101112131415161718191a1b1c1d1e1f03");
	expect_binding(bind_delegate(id_from(0x60)), "64656c65676174652f763100606162636465666768696a6b6c6d6e6f");
	expect_binding(bind_grant_class(id_from(0x40), id_from(0x10), CLASS_ORDINARY),
	    "6772616e742f763100404142434445464748494a4b4c4d4e4f101112131415161718191a1b1c1d1e1f00");
	expect_binding(bind_profile(id_from(0x50)), "70726f66696c652f763100505152535455565758595a5b5c5d5e5f");
	/* Not on disk: from the keyring to the profile, for one ask. */
	expect_binding(bind_profile_way(0x0102), "70726f66696c652d7761792f7631000000000000000102");
}

static void
the_custody_envelopes_key_comes_from_material_and_context(void **state)
{
	struct key *material = hex_key(KEY_40), *out = NULL;
	uint8_t context[78];

	(void)state;
	hex_bytes("0000000a6f776e65722d66696c6545a695e54be59f53612d8e50cc563aefbe12ad4e3a742739ab2c59c83ee4d9da"
	    "0198c0de0000700080000000000000010198c0de000070008000000000000002", context, sizeof context);
	assert_int_equal(key_new(&out), OK);
	custody_envelope_key(material, (struct span){ context, sizeof context }, out);
	hex_expect(out->b, KEY_LEN, "dbb66350cbde0eeda57896c18c4b908294d75c0ead6ddaaa50f4162f60e6ed2d");
	key_free(&material);
	key_free(&out);
}

static void
a_grants_key_needs_unattended_key_half_and_grant(void **state)
{
	struct key *unattended = hex_key(KEY_00), *half = hex_key(KEY_20), *out = NULL, *other = NULL;

	(void)state;
	assert_int_equal(key_new(&out), OK);
	assert_int_equal(key_new(&other), OK);
	grant_key(unattended, half, id_from(0x40), out);
	hex_expect(out->b, KEY_LEN, "fbd5d281db82e70ded558d400476d134c4e6bb57092fac6cb2215801a29c9cea");
	grant_key(unattended, half, id_from(0x41), other);
	assert_memory_not_equal(out->b, other->b, KEY_LEN);
	half->b[0] ^= 1;
	grant_key(unattended, half, id_from(0x40), other);
	assert_memory_not_equal(out->b, other->b, KEY_LEN);
	half->b[0] ^= 1;
	unattended->b[31] ^= 1;
	grant_key(unattended, half, id_from(0x40), other);
	assert_memory_not_equal(out->b, other->b, KEY_LEN);
	key_free(&unattended);
	key_free(&half);
	key_free(&out);
	key_free(&other);
}

static void
revision_and_chunk_keys_are_those_of_the_documents(void **state)
{
	struct key *class_key = hex_key(KEY_00), *revision = NULL, *out = NULL;

	(void)state;
	assert_int_equal(key_new(&revision), OK);
	assert_int_equal(key_new(&out), OK);
	revision_key(class_key, id_from(0x20), id_from(0x30), revision);
	hex_expect(revision->b, KEY_LEN, "eea8731cecf20949c950a0e095a273ff827724cfeba6b37adcd29267f30c8f63");
	chunk_key(revision, PART_HEAD, 0, out);
	hex_expect(out->b, KEY_LEN, "10679d11a724f53c6df7c6bf6ca1b501fa858ba6e124368a37da36e069081e15");
	chunk_key(revision, PART_CONTENT, 7, out);
	hex_expect(out->b, KEY_LEN, "7d7f91d07b8989d6c162aa5cf8a74caf82680291103acac0bed244fca51c9def");
	names_key(class_key, out);
	hex_expect(out->b, KEY_LEN, "730fc059ed89d9d41a2e5bbe5250fd0e660c043082f9a1b1c645deac93be28b6");
	key_free(&class_key);
	key_free(&revision);
	key_free(&out);
}

static void
no_two_places_have_one_chunk_key(void **state)
{
	static const uint32_t indexes[] = { 0, 1, 255, 256, 65536, UINT32_MAX };
	struct key *revision = hex_key(KEY_00), *out = NULL;
	uint8_t seen[30][KEY_LEN];
	size_t n = 0;

	(void)state;
	assert_int_equal(key_new(&out), OK);
	for (unsigned part = PART_HEAD; part <= PART_NAME; part++)
		for (size_t i = 0; i < 6; i++) {
			chunk_key(revision, (enum part)part, indexes[i], out);
			memcpy(seen[n++], out->b, KEY_LEN);
		}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(seen[i], seen[j], KEY_LEN);
	key_free(&revision);
	key_free(&out);
}

static void
a_tokens_id_and_half_say_nothing_of_each_other(void **state)
{
	struct key *token = hex_key(KEY_00), *half = NULL;
	uint8_t id[32];

	(void)state;
	assert_int_equal(key_new(&half), OK);
	token_id(token, id);
	token_half(token, half);
	hex_expect(id, sizeof id, "55b44a5de5d97f6096f28a28ad70b7f459641e2393e9b55baf501380aee11028");
	hex_expect(half->b, KEY_LEN, "06eb46b090df762d98ffda82304df4d53bc55aeeaa7386f966480a9cba904c03");
	key_free(&token);
	key_free(&half);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sealed_key_is_bound_to_its_bytes),
		cmocka_unit_test(the_custody_envelopes_key_comes_from_material_and_context),
		cmocka_unit_test(a_grants_key_needs_unattended_key_half_and_grant),
		cmocka_unit_test(revision_and_chunk_keys_are_those_of_the_documents),
		cmocka_unit_test(no_two_places_have_one_chunk_key),
		cmocka_unit_test(a_tokens_id_and_half_say_nothing_of_each_other),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
