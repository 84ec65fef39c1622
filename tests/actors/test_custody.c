/* The custody actor: material comes boxed and goes boxed, and nothing falls back to anything else. */
#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actors/custody.h"
#include "actors/settings.h"
#include "escrow/custody.h"
#include "escrow/hash.h"
#include "escrow/seal.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"
#include "tests/support/rig.h"

static struct settings settings;
static struct rig *r;
static struct key *box;

static int
setup(void **state)
{
	struct key *pair = NULL;

	(void)state;
	rig_dir_make();
	settings = (struct settings){ .home = rig_dir_path(), .weakened = "" };
	if (rig_open(&custody_actor, &settings, &r) != OK || key_of(rig_pair_key(ACTOR_KEYRING, ACTOR_CUSTODY), &pair) != OK ||
	    key_new(&box) != OK)
		return -1;
	derive(pair, "memories/custody-box/v1", (struct span){ NULL, 0 }, box);
	key_free(&pair);
	rig_edge(r, ACTOR_KEYRING, true);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_close(&r);
	key_free(&box);
	rig_dir_remove();
	return 0;
}

static struct custody_ref_body
ref_of(const char *backend)
{
	static const uint8_t delegation[128] = { 7 };
	struct custody_ref_body ref = { .backend = { (const uint8_t *)backend, strlen(backend) },
		.delegation = { delegation, sizeof delegation } };

	memset(ref.enrolment.b, 0x61, UUID_LEN);
	memset(ref.library.b, 0x51, UUID_LEN);
	memset(ref.sealed_unattended, 0x44, sizeof ref.sealed_unattended);
	return ref;
}

static enum err
store(const char *backend, const struct key *material)
{
	struct material_body m = { .ref = ref_of(backend) };
	const union any_body *b;

	key_seal(box, (struct span){ m.ref.enrolment.b, UUID_LEN }, material, m.boxed);
	assert_int_equal(rig_deliver(r, MSG_MATERIAL_STORE, ACTOR_KEYRING, 3, &m), OK);
	assert_non_null(b = rig_expect(r, MSG_MATERIAL_STORED));
	assert_int_equal(rig_ask_id(r), 3);
	assert_true(uuid_equal(b->material_stored.ref.enrolment, m.ref.enrolment));
	assert_int_equal(b->material_stored.ref.sealed_unattended[5], 0x44);
	assert_int_equal(b->material_stored.ref.delegation.len, 128);
	return (enum err)b->material_stored.error;
}

static void
material_comes_back_boxed_with_the_context_that_binds_it(void **state)
{
	struct key *material = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"), *again = NULL;
	struct custody_ref_body ref = ref_of("owner-file");
	uint8_t context[CUSTODY_CONTEXT_MAX];
	struct wire_out o = wire_out(context, sizeof context);
	const union any_body *b;
	size_t left = keys_left();

	(void)state;
	assert_int_equal(store("owner-file", material), OK);
	assert_int_equal(rig_deliver(r, MSG_MATERIAL_WANTED, ACTOR_GRANTS, 4, &ref), OK);
	assert_non_null(b = rig_expect(r, MSG_MATERIAL));
	assert_int_equal(rig_ask_id(r), 4);
	assert_int_equal(keys_left(), left);
	assert_int_equal(key_new(&again), OK);
	assert_int_equal(key_open(box, (struct span){ ref.enrolment.b, UUID_LEN }, b->material.boxed, again), OK);
	assert_memory_equal(again->b, material->b, KEY_LEN);
	assert_null(memmem(b->material.boxed, sizeof b->material.boxed, material->b, 8));
	custody_context(&(struct custody_binding){ CUSTODY_UNATTENDED, ref.library, ref.enrolment, rig_dir_path(), "owner-file" }, &o);
	assert_int_equal(b->material.context.len, o.len);
	assert_memory_equal(b->material.context.p, context, o.len);
	assert_int_equal(b->material.ref.sealed_unattended[5], 0x44);
	key_free(&again);
	key_free(&material);
}

static enum err
wanted(const char *backend, void (*change)(struct custody_ref_body *ref))
{
	struct custody_ref_body ref = ref_of(backend);
	const union any_body *b;

	if (change != NULL)
		change(&ref);
	assert_int_equal(rig_deliver(r, MSG_MATERIAL_WANTED, ACTOR_GRANTS, 4, &ref), OK);
	assert_non_null(b = rig_expect(r, MSG_MATERIAL_REFUSED));
	assert_int_equal(rig_ask_id(r), 4);
	assert_true(rig_silent(r));
	return (enum err)b->custody_result.error;
}

static void
another_library(struct custody_ref_body *ref)
{
	ref->library.b[0] ^= 1;
}

static void
another_enrolment(struct custody_ref_body *ref)
{
	ref->enrolment.b[0] ^= 1;
}

static void
each_reason_not_to_load_is_said(void **state)
{
	struct key *material = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");

	(void)state;
	assert_int_equal(wanted("owner-file", NULL), ERR_CUSTODY_MISSING);
	assert_int_equal(store("owner-file", material), OK);
	assert_int_equal(wanted("owner-file", another_library), ERR_CUSTODY_BINDING);
	assert_int_equal(wanted("owner-file", another_enrolment), ERR_CUSTODY_BINDING);
	assert_int_equal(wanted("windows-dpapi", NULL), ERR_CUSTODY_UNSUPPORTED);
	assert_int_equal(wanted("", NULL), ERR_INVALID_ARGUMENT);
	assert_int_equal(wanted("a-name-of-exactly-31-characters", NULL), ERR_INVALID_ARGUMENT);
	assert_int_equal(chmod("custody/owner-file", 0644), 0);
	assert_int_equal(wanted("owner-file", NULL), ERR_CUSTODY_UNSAFE);
	key_free(&material);
}

static void
a_backend_that_cannot_keep_it_says_so_and_no_other_is_tried(void **state)
{
	struct key *material = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");

	(void)state;
	assert_int_equal(store("windows-dpapi", material), ERR_CUSTODY_UNSUPPORTED);
	assert_int_equal(access("custody", F_OK), -1);
	key_free(&material);
}

static void
a_box_that_is_not_the_keyrings_is_stored_nowhere(void **state)
{
	struct material_body m = { .ref = ref_of("owner-file") };
	const union any_body *b;

	(void)state;
	memset(m.boxed, 5, sizeof m.boxed);
	assert_int_equal(rig_deliver(r, MSG_MATERIAL_STORE, ACTOR_KEYRING, 3, &m), OK);
	assert_non_null(b = rig_expect(r, MSG_MATERIAL_STORED));
	assert_int_equal(b->material_stored.error, ERR_INTERNAL);
	assert_int_equal(access("custody/owner-file", F_OK), -1);
}

static void
without_a_keyring_the_material_stays_where_it_is(void **state)
{
	struct key *material = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");

	(void)state;
	assert_int_equal(store("owner-file", material), OK);
	rig_edge(r, ACTOR_KEYRING, false);
	assert_int_equal(wanted("owner-file", NULL), ERR_INTERRUPTED);
	key_free(&material);
}

static void
removing_is_done_and_may_be_repeated(void **state)
{
	struct key *material = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
	struct custody_ref_body ref = ref_of("owner-file");
	const union any_body *b;

	(void)state;
	assert_int_equal(store("owner-file", material), OK);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(rig_deliver(r, MSG_MATERIAL_REMOVE, ACTOR_GRANTS, 5, &ref), OK);
		assert_non_null(b = rig_expect(r, MSG_MATERIAL_REMOVED));
		assert_int_equal(b->custody_result.error, OK);
		assert_int_equal(access("custody/owner-file", F_OK), -1);
	}
	assert_int_equal(wanted("owner-file", NULL), ERR_CUSTODY_MISSING);
	key_free(&material);
}

#define CUSTODY_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

static enum err
keep_for(enum custody_purpose purpose, const struct key *material)
{
	struct material_body m = { .ref = ref_of("owner-file") };
	const union any_body *b;

	m.ref.purpose = (uint8_t)purpose;
	key_seal(box, (struct span){ m.ref.enrolment.b, UUID_LEN }, material, m.boxed);
	assert_int_equal(rig_deliver(r, MSG_MATERIAL_STORE, ACTOR_KEYRING, 3, &m), OK);
	assert_non_null(b = rig_expect(r, MSG_MATERIAL_STORED));
	assert_int_equal(b->material_stored.ref.purpose, purpose);
	return (enum err)b->material_stored.error;
}

/* The first byte of what there is for that purpose; 0: nothing. */
static unsigned
kept_for(enum custody_purpose purpose)
{
	struct custody_ref_body ref = ref_of("owner-file");
	const union any_body *b;
	struct key *k = NULL;
	unsigned first;

	ref.purpose = (uint8_t)purpose;
	assert_int_equal(rig_deliver(r, MSG_MATERIAL_WANTED, ACTOR_GRANTS, 4, &ref), OK);
	if (rig_next(r) == MSG_MATERIAL_REFUSED) {
		assert_non_null(b = rig_expect(r, MSG_MATERIAL_REFUSED));
		assert_int_equal(b->custody_result.purpose, purpose);
		assert_int_equal(b->custody_result.error, ERR_CUSTODY_MISSING);
		return 0;
	}
	assert_non_null(b = rig_expect(r, MSG_MATERIAL));
	assert_int_equal(key_new(&k), OK);
	assert_int_equal(key_open(box, (struct span){ ref.enrolment.b, UUID_LEN }, b->material.boxed, k), OK);
	first = k->b[0];
	key_free(&k);
	return first;
}

static void
each_purpose_has_a_place_and_a_binding_of_its_own(void **state)
{
	struct key *a = hex_key("010102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
	struct key *b = hex_key("020102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
	struct custody_ref_body ref = ref_of("owner-file");
	const union any_body *said;

	(void)state;
	assert_int_equal(keep_for(CUSTODY_UNATTENDED, a), OK);
	assert_int_equal(kept_for(CUSTODY_PROFILE), 0);
	assert_int_equal(keep_for(CUSTODY_PROFILE, b), OK);
	assert_int_equal(kept_for(CUSTODY_UNATTENDED), 1);
	assert_int_equal(kept_for(CUSTODY_PROFILE), 2);
	/* The file of the one in the place of the other is of another binding. */
	assert_int_equal(rename("custody/profile-owner-file", "custody/owner-file"), 0);
	assert_int_equal(rig_deliver(r, MSG_MATERIAL_WANTED, ACTOR_GRANTS, 4, &ref), OK);
	assert_non_null(said = rig_expect(r, MSG_MATERIAL_REFUSED));
	assert_int_equal(said->custody_result.error, ERR_CUSTODY_BINDING);
	/* What is removed for the one stays for the other. */
	assert_int_equal(keep_for(CUSTODY_UNATTENDED, a), OK);
	assert_int_equal(keep_for(CUSTODY_PROFILE, b), OK);
	ref.purpose = CUSTODY_PROFILE;
	assert_int_equal(rig_deliver(r, MSG_MATERIAL_REMOVE, ACTOR_GRANTS, 5, &ref), OK);
	assert_non_null(said = rig_expect(r, MSG_MATERIAL_REMOVED));
	assert_int_equal(said->custody_result.purpose, CUSTODY_PROFILE);
	assert_int_equal(kept_for(CUSTODY_PROFILE), 0);
	assert_int_equal(kept_for(CUSTODY_UNATTENDED), 1);
	key_free(&a);
	key_free(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CUSTODY_TEST(each_purpose_has_a_place_and_a_binding_of_its_own),
		CUSTODY_TEST(material_comes_back_boxed_with_the_context_that_binds_it),
		CUSTODY_TEST(each_reason_not_to_load_is_said),
		CUSTODY_TEST(a_backend_that_cannot_keep_it_says_so_and_no_other_is_tried),
		CUSTODY_TEST(a_box_that_is_not_the_keyrings_is_stored_nowhere),
		CUSTODY_TEST(without_a_keyring_the_material_stays_where_it_is),
		CUSTODY_TEST(removing_is_done_and_may_be_repeated),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
