#include "tests/store/log_rig.h"

static uint8_t many_refs[LOG_REFS_MAX * 32];
static uint8_t many_bytes[LOG_SEALED_MAX];

static struct log_record
full_record(void)
{
	struct log_record r = log_rig_record(LOG_INTENT);

	memset(many_refs, 6, sizeof many_refs);
	memset(many_bytes, 7, sizeof many_bytes);
	r.index = 9;
	memset(r.epoch.b, 8, UUID_LEN);
	r.wall.ms = 1767225600000;
	r.boot.ms = 123456;
	strcpy(r.reason, "vault_not_granted_0123456789abcd");
	r.n_refs = LOG_REFS_MAX;
	r.refs = (struct span){ many_refs, sizeof many_refs };
	r.extra = (struct span){ many_bytes, LOG_EXTRA_MAX };
	r.sealed = (struct span){ many_bytes, LOG_SEALED_MAX };
	return r;
}

static size_t
encode(const struct log_record *r, uint8_t buf[LOG_LEAF_MAX])
{
	struct wire_out o = wire_out(buf, LOG_LEAF_MAX);

	log_record_put(&o, r);
	return o.failed ? 0 : o.len;
}

static bool
decodes(const uint8_t *bytes, size_t len, struct log_record *out)
{
	struct wire_in in = wire_in(bytes, len);

	log_record_take(&in, out);
	return wire_done(&in);
}

static void
every_type_round_trips(void **state)
{
	uint8_t leaf[LOG_LEAF_MAX], again[LOG_LEAF_MAX];
	struct log_record r = full_record(), found;
	size_t len;

	(void)state;
	for (enum log_type t = LOG_INTENT; t < LOG__COUNT; t++) {
		r.type = t;
		r.outcome = t % 2 == 0 ? LOG_DONE : LOG_REFUSED;
		r.subject_kind = (enum log_subject)(t % 5);
		r.surface = (enum surface)(t % SURFACE__COUNT);
		r.op = (enum op)(t % OP__COUNT);
		len = encode(&r, leaf);
		assert_true(len > 0);
		assert_true(decodes(leaf, len, &found));
		assert_int_equal(found.type, t);
		assert_int_equal(found.outcome, r.outcome);
		assert_int_equal(found.op, r.op);
		assert_int_equal(found.index, 9);
		assert_int_equal(found.wall.ms, r.wall.ms);
		assert_string_equal(found.reason, r.reason);
		assert_int_equal(found.sealed.len, LOG_SEALED_MAX);
		assert_int_equal(encode(&found, again), len);
		assert_memory_equal(again, leaf, len);
	}
}

static void
the_largest_record_fits_a_leaf(void **state)
{
	struct log_record r = full_record();
	uint8_t leaf[LOG_LEAF_MAX];

	(void)state;
	assert_int_equal(encode(&r, leaf), 181 + LOG_REASON_MAX + sizeof many_refs + LOG_EXTRA_MAX + LOG_SEALED_MAX);
}

static void
a_leaf_cut_or_longer_is_refused(void **state)
{
	struct log_record r = full_record(), found;
	uint8_t leaf[LOG_LEAF_MAX];
	size_t len = encode(&r, leaf);

	(void)state;
	leaf[len] = 0;
	assert_false(decodes(leaf, len + 1, &found));
	for (size_t cut = 0; cut < len; cut++)
		assert_false(decodes(leaf, cut, &found));
}

/* Offsets in a leaf of what is not free to have any value. */
enum { VERSION_AT, TYPE_AT, OUTCOME_AT, SURFACE_AT, SUBJECT_AT, OP_AT, REASON_LEN_AT = 174 };

static void
values_that_the_encoder_never_writes_are_refused(void **state)
{
	static const struct { size_t at; uint8_t value; } bad[] = {
		{ VERSION_AT, 0 }, { VERSION_AT, 2 }, { TYPE_AT, 0 }, { TYPE_AT, LOG__COUNT }, { TYPE_AT, 255 },
		{ OUTCOME_AT, 2 }, { SURFACE_AT, SURFACE__COUNT }, { SUBJECT_AT, LOG_DAEMON + 1 },
		{ OP_AT, OP__COUNT }, { REASON_LEN_AT, 33 }, { REASON_LEN_AT, 3 }, { REASON_LEN_AT + 1, 'A' },
		{ REASON_LEN_AT + 1, 0 }, { REASON_LEN_AT + 1, ' ' }, { REASON_LEN_AT + 1, 0xe4 },
	};
	struct log_record r = log_rig_record(LOG_REFUSAL), found;
	uint8_t leaf[LOG_LEAF_MAX];
	size_t len;

	(void)state;
	strcpy(r.reason, "busy");
	len = encode(&r, leaf);
	assert_int_equal(len, 181 + 4);
	assert_true(decodes(leaf, len, &found));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint8_t was = leaf[bad[i].at];

		leaf[bad[i].at] = bad[i].value;
		assert_false(decodes(leaf, len, &found));
		leaf[bad[i].at] = was;
	}
}

static void
records_outside_their_limits_are_not_encoded(void **state)
{
	uint8_t leaf[LOG_LEAF_MAX];
	struct log_record r;

	(void)state;
	r = full_record(), r.type = LOG__COUNT;
	assert_int_equal(encode(&r, leaf), 0);
	r = full_record(), r.type = 0;
	assert_int_equal(encode(&r, leaf), 0);
	r = full_record(), r.op = OP__COUNT;
	assert_int_equal(encode(&r, leaf), 0);
	r = full_record(), r.refs.len -= 32;
	assert_int_equal(encode(&r, leaf), 0);
	r = full_record(), r.n_refs++, r.refs.len += 32;
	assert_int_equal(encode(&r, leaf), 0);
	r = full_record(), r.extra.len++;
	assert_int_equal(encode(&r, leaf), 0);
	r = full_record(), r.sealed.len++;
	assert_int_equal(encode(&r, leaf), 0);
	r = full_record(), r.reason[LOG_REASON_MAX] = 'x';
	assert_int_equal(encode(&r, leaf), 0);
	r = full_record(), r.reason[3] = '-';
	assert_int_equal(encode(&r, leaf), 0);
}

static void
rows_of_a_page_are_found_again(void **state)
{
	struct log_record r = full_record(), found;
	uint8_t leaf[LOG_LEAF_MAX];
	struct log_ref ref;

	(void)state;
	many_refs[32 * 41] = 0xaa;
	many_refs[32 * 41 + 16] = 0xbb;
	assert_true(decodes(leaf, encode(&r, leaf), &found));
	assert_int_equal(found.n_refs, LOG_REFS_MAX);
	ref = log_record_ref(&found, 41);
	assert_int_equal(ref.asset.b[0], 0xaa);
	assert_int_equal(ref.revision.b[0], 0xbb);
	assert_int_equal(log_record_ref(&found, 40).asset.b[0], 6);
}

static void
every_type_has_a_name(void **state)
{
	(void)state;
	for (enum log_type t = LOG_INTENT; t < LOG__COUNT; t++)
		assert_string_not_equal(log_type_name(t), "?");
	assert_string_equal(log_type_name(LOG_INTENT), "intent");
	assert_string_equal(log_type_name(LOG_CONFIG), "config");
	assert_string_equal(log_type_name(0), "?");
	assert_string_equal(log_type_name(LOG__COUNT), "?");
}

static void
what_a_config_record_says_is_taken_as_it_was_put(void **state)
{
	struct uuid id = { { 1, 2, 3 } }, about;
	uint8_t b[LOG_CONFIG_LEN + 1];
	enum log_config what;

	(void)state;
	for (enum log_config c = CONFIG_PASSWORD; c < CONFIG__COUNT; c++) {
		log_config_put(c, id, b);
		assert_true(log_config_take((struct span){ b, LOG_CONFIG_LEN }, &what, &about));
		assert_int_equal(what, c);
		assert_true(uuid_equal(about, id));
		assert_string_not_equal(log_config_name(c), "?");
	}
	assert_false(log_config_take((struct span){ b, LOG_CONFIG_LEN + 1 }, &what, &about));
	assert_false(log_config_take((struct span){ b, LOG_CONFIG_LEN - 1 }, &what, &about));
	b[0] = CONFIG__COUNT;
	assert_false(log_config_take((struct span){ b, LOG_CONFIG_LEN }, &what, &about));
	b[0] = CONFIG_NONE;
	assert_false(log_config_take((struct span){ b, LOG_CONFIG_LEN }, &what, &about));
	assert_string_equal(log_config_name(CONFIG__COUNT), "?");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_round_trips),
		cmocka_unit_test(what_a_config_record_says_is_taken_as_it_was_put),
		cmocka_unit_test(the_largest_record_fits_a_leaf),
		cmocka_unit_test(a_leaf_cut_or_longer_is_refused),
		cmocka_unit_test(values_that_the_encoder_never_writes_are_refused),
		cmocka_unit_test(records_outside_their_limits_are_not_encoded),
		cmocka_unit_test(rows_of_a_page_are_found_again),
		cmocka_unit_test(every_type_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
