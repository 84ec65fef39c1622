#include "tests/store/log_rig.h"

static uint8_t bytes[LOG_FRAME_REACH + LOG_RECORD_FRAME_MAX];
static uint8_t sealed[LOG_SEALED_MAX];

static size_t
put_group_of(size_t n_records, size_t sealed_len, struct log_commit c)
{
	struct wire_out o = wire_out(bytes, sizeof bytes);
	struct log_record r = log_rig_record(LOG_INTENT);

	r.sealed = (struct span){ sealed, sealed_len };
	for (size_t i = 0; i < n_records; i++)
		log_frame_put_record(&o, &r);
	log_frame_put_commit(&o, &c);
	assert_false(o.failed);
	return o.len;
}

static size_t
put_group(size_t n_records, struct log_commit c)
{
	return put_group_of(n_records, 0, c);
}

static struct log_commit
commit_of(uint32_t count)
{
	return (struct log_commit){ .first = 40, .count = count, .size = 40 + count };
}

static void
a_group_is_found_whole_or_not_at_all(void **state)
{
	size_t len = put_group(3, commit_of(3));
	struct log_frame_group g;

	(void)state;
	assert_true(log_frame_find_group((struct span){ bytes, len }, &g));
	assert_int_equal(g.n_records, 3);
	assert_int_equal(g.len, len);
	assert_false(g.followed);
	for (size_t cut = 0; cut < len; cut++)
		assert_false(log_frame_find_group((struct span){ bytes, cut }, &g));
	memcpy(bytes + len, "ARC1", 4);
	assert_true(log_frame_find_group((struct span){ bytes, len + 4 }, &g));
	assert_true(g.followed);
}

static void
a_group_has_1_to_512_records(void **state)
{
	struct log_frame_group g;
	size_t len;

	(void)state;
	len = put_group(0, commit_of(1));
	assert_false(log_frame_find_group((struct span){ bytes, len }, &g));
	len = put_group(512, commit_of(512));
	assert_true(log_frame_find_group((struct span){ bytes, len }, &g));
	len = put_group(513, commit_of(512));
	assert_false(log_frame_find_group((struct span){ bytes, len }, &g));
}

static void
a_group_has_at_most_256_kib(void **state)
{
	const size_t frame = 8 + 181 + LOG_SEALED_MAX;
	uint32_t most = (uint32_t)(LOG_GROUP_BYTES_MAX / frame);
	struct log_frame_group g;
	size_t len;

	(void)state;
	len = put_group_of(most, LOG_SEALED_MAX, commit_of(most));
	assert_true(log_frame_find_group((struct span){ bytes, len }, &g));
	len = put_group_of(most + 1, LOG_SEALED_MAX, commit_of(most + 1));
	assert_false(log_frame_find_group((struct span){ bytes, len }, &g));
}

static void
a_frame_that_lies_about_its_length_is_no_frame(void **state)
{
	static const uint8_t lengths[][4] = { { 0xff, 0xff, 0xff, 0xff }, { 0, 0, 0x20, 1 }, { 0, 0, 1, 0xff } };
	struct log_frame_group g;
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		len = put_group(1, commit_of(1));
		memcpy(bytes + 4, lengths[i], 4);
		assert_false(log_frame_find_group((struct span){ bytes, len }, &g));
	}
}

static void
a_commit_that_does_not_add_up_has_no_form(void **state)
{
	struct log_commit bad[] = { commit_of(1), commit_of(1), commit_of(1), commit_of(513), commit_of(1) };
	struct log_frame_group g;
	size_t len;

	(void)state;
	bad[0].size++;
	bad[1].flags = 2;
	bad[2].count = 0;
	bad[2].size = 0;
	bad[4].first = UINT64_MAX, bad[4].size = 0;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		len = put_group(1, bad[i]);
		assert_false(log_frame_find_group((struct span){ bytes, len }, &g));
	}
	len = put_group(1, commit_of(1));
	bytes[len - LOG_COMMIT_LEN] = 2;
	assert_false(log_frame_find_group((struct span){ bytes, len }, &g));
}

static void
a_later_commit_is_found_wherever_it_lies(void **state)
{
	size_t len = put_group(1, commit_of(1));

	(void)state;
	assert_true(log_frame_later_commit((struct span){ bytes, len }, 39));
	assert_false(log_frame_later_commit((struct span){ bytes, len }, 40));
	assert_true(log_frame_later_commit((struct span){ bytes + 3, len - 3 }, 0));
	assert_false(log_frame_later_commit((struct span){ bytes, len - 1 }, 0));
	assert_false(log_frame_later_commit((struct span){ bytes, 0 }, 0));
}

static void
a_signature_covers_every_field(void **state)
{
	struct log_commit c = commit_of(2);
	uint8_t buf[LOG_COMMIT_LEN];
	struct signer *key;

	(void)state;
	assert_int_equal(secret_init(true), OK);
	assert_int_equal(signer_new(&key), OK);
	log_commit_sign(&c, key);
	assert_true(log_commit_valid(&c, signer_public(key)));
	for (size_t at = 1; at < LOG_COMMIT_LEN; at++) {
		struct wire_out o = wire_out(buf, sizeof buf);
		struct log_commit changed;
		struct wire_in in;

		log_commit_put(&o, &c);
		assert_int_equal(o.len, LOG_COMMIT_LEN);
		buf[at] ^= 1;
		in = wire_in(buf, sizeof buf);
		log_commit_take(&in, &changed);
		assert_false(log_commit_valid(&changed, signer_public(key)));
	}
	signer_free(&key);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_is_found_whole_or_not_at_all),
		cmocka_unit_test(a_group_has_1_to_512_records),
		cmocka_unit_test(a_group_has_at_most_256_kib),
		cmocka_unit_test(a_frame_that_lies_about_its_length_is_no_frame),
		cmocka_unit_test(a_commit_that_does_not_add_up_has_no_form),
		cmocka_unit_test(a_later_commit_is_found_wherever_it_lies),
		cmocka_unit_test(a_signature_covers_every_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
