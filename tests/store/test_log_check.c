/* Logs made by somebody who has an epoch key and does not keep the rules. */
#include "store/log_check.h"
#include "tests/store/log_rig.h"

#define GROUPS_MAX 8

struct forge {
	struct signer    *log_key, *epoch_key, *other_key;
	struct uuid       epoch, other_epoch;
	struct log_chain  made;     /* what the groups so far make */
	uint8_t           bytes[64 << 10];
	struct wire_out   out;
	size_t            group_from;
	uint64_t          group_first;
	uint32_t          n;        /* records of the open group */
	struct log_commit twist;    /* flipped into the next commit before it is signed */
	struct signer    *signs;    /* the key of the next commits */
	struct log_check  check;
	size_t            at;       /* how far the check came */
};

static int
start(void **state)
{
	struct forge *f = calloc(1, sizeof *f);

	assert_int_equal(secret_init(true), OK);
	assert_int_equal(signer_new(&f->log_key), OK);
	assert_int_equal(signer_new(&f->epoch_key), OK);
	assert_int_equal(signer_new(&f->other_key), OK);
	f->epoch = uuid_make(clock_wall());
	f->other_epoch = uuid_make(clock_wall());
	f->out = wire_out(f->bytes, sizeof f->bytes);
	f->signs = f->epoch_key;
	f->check = (struct log_check){ .depth = LOG_CHECK_FAST, .log_public = signer_public(f->log_key) };
	*state = f;
	return 0;
}

static int
end(void **state)
{
	struct forge *f = *state;

	signer_free(&f->log_key);
	signer_free(&f->epoch_key);
	signer_free(&f->other_key);
	free(f);
	return 0;
}

static void
put_placed(struct forge *f, const struct log_record *r)
{
	uint8_t hash[SHA256_LEN];
	size_t from = f->out.len;
	struct wire_in in;

	if (f->n == 0) {
		f->group_from = from;
		f->group_first = f->made.size;
	}
	log_frame_put_record(&f->out, r);
	assert_false(f->out.failed);
	in = wire_in(f->bytes + from, f->out.len - from);
	merkle_leaf(log_frame_take_record(&in), hash);
	merkle_add(&f->made.tree, hash);
	f->made.size++;
	f->made.manual_lock = log_check_manual_lock(r, f->made.manual_lock);
	f->n++;
}

static void
put(struct forge *f, enum log_type type, struct span extra)
{
	struct log_record r = log_rig_record(type);

	r.index = f->made.size;
	r.epoch = f->epoch;
	r.extra = extra;
	put_placed(f, &r);
}

static void
put_begin(struct forge *f)
{
	uint8_t extra[LOG_EPOCH_EXTRA_MAX];

	put(f, LOG_EPOCH, log_check_put_begin(signer_public(f->epoch_key), extra));
}

static void
put_cert(struct forge *f, const struct signer *by)
{
	uint8_t extra[LOG_EPOCH_EXTRA_MAX];
	struct cert c;

	cert_make(by, NULL, CERT_EPOCH, f->epoch, signer_public(f->epoch_key), &c);
	put(f, LOG_EPOCH, log_check_put_cert(&c, extra));
}

/* Ends the running epoch for other_epoch, under the key other_key. */
static void
put_rotation(struct forge *f, const struct signer *by)
{
	struct log_rotation rotation = { .next = f->other_epoch };
	uint8_t extra[LOG_EPOCH_EXTRA_MAX];
	struct cert c;

	memcpy(rotation.next_public, signer_public(f->other_key), SIGN_PUBLIC_LEN);
	if (by != NULL) {
		cert_make(by, NULL, CERT_EPOCH, rotation.next, rotation.next_public, &c);
		rotation.certificate = &c;
	}
	put(f, LOG_EPOCH, log_check_put_rotation(&rotation, extra));
}

static void
commit(struct forge *f)
{
	const struct log_commit *t = &f->twist;
	struct log_commit c = { .first = f->group_first ^ t->first, .count = f->n ^ t->count,
	    .size = f->made.size ^ t->size, .epoch = f->epoch };

	c.flags = f->made.manual_lock ^ t->flags;
	merkle_root(&f->made.tree, c.root);
	c.root[0] ^= t->root[0];
	memcpy(c.previous, f->made.previous, sizeof c.previous);
	c.previous[0] ^= t->previous[0];
	sha256(f->bytes + f->group_from, f->out.len - f->group_from, c.bytes_hash);
	c.bytes_hash[0] ^= t->bytes_hash[0];
	log_commit_sign(&c, f->signs);
	log_frame_put_commit(&f->out, &c);
	sha256(f->bytes + f->out.len - LOG_COMMIT_LEN, LOG_COMMIT_LEN, f->made.previous);
	f->n = 0;
	memset(&f->twist, 0, sizeof f->twist);
}

static enum log_held
check(struct forge *f)
{
	struct log_frame_group g;
	enum log_held held = LOG_HOLDS;

	while (held == LOG_HOLDS &&
	    log_frame_find_group((struct span){ f->bytes + f->at, f->out.len - f->at }, &g))
		if ((held = log_check_group(&f->check, &g)) == LOG_HOLDS)
			f->at += g.len;
	return held == LOG_HOLDS ? log_check_end(&f->check) : held;
}

static void
certified_start(struct forge *f)
{
	put_begin(f);
	commit(f);
	put_cert(f, f->log_key);
	commit(f);
}

static void
assert_refused(struct forge *f, const char *reason, uint64_t size)
{
	assert_int_equal(check(f), LOG_LOOSE);
	assert_string_equal(f->check.reason, reason);
	assert_int_equal(f->check.chain.size, size);
}

static void
a_log_that_keeps_the_rules_holds(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	put(f, LOG_LOCK, (struct span){ NULL, 0 });
	commit(f);
	assert_int_equal(check(f), LOG_HOLDS);
	assert_int_equal(f->check.chain.size, 4);
	assert_true(f->check.chain.manual_lock);
	assert_int_equal(f->check.chain.n_epochs, 1);
	assert_int_equal(f->check.chain.n_pending_epochs, 0);
}

static void
a_log_begins_with_an_epoch(void **state)
{
	struct forge *f = *state;

	put(f, LOG_REFUSAL, (struct span){ NULL, 0 });
	commit(f);
	assert_refused(f, "a record is of an epoch that did not begin", 0);
}

static void
a_pending_epoch_holds_no_intent(void **state)
{
	struct forge *f = *state;

	put_begin(f);
	put(f, LOG_REFUSAL, (struct span){ NULL, 0 });
	put(f, LOG_LOCK, (struct span){ NULL, 0 });
	commit(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	commit(f);
	assert_refused(f, "a record stands in an epoch that was not certified", 3);
}

static void
a_successful_unlock_needs_a_certificate(void **state)
{
	struct forge *f = *state;

	put_begin(f);
	put(f, LOG_UNLOCK, (struct span){ NULL, 0 });
	commit(f);
	assert_refused(f, "a record stands in an epoch that was not certified", 0);
}

static void
a_certificate_by_another_key_does_not_hold(void **state)
{
	struct forge *f = *state;

	put_begin(f);
	put_cert(f, f->other_key);
	commit(f);
	assert_refused(f, "the certificate of an epoch does not hold", 0);
}

static void
an_epoch_begins_at_the_start_of_a_group(void **state)
{
	struct forge *f = *state;
	struct uuid first = f->epoch;

	certified_start(f);
	f->epoch = f->other_epoch;
	put(f, LOG_REFUSAL, (struct span){ NULL, 0 });
	put_begin(f);
	commit(f);
	assert_refused(f, "a record is of an epoch that did not begin", 2);
	assert_true(uuid_equal(f->check.chain.epoch.id, first));
}

static void
an_epoch_begins_once(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put_begin(f);
	commit(f);
	assert_refused(f, "an epoch begins twice", 2);
}

static void
a_new_epoch_is_pending_again(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	f->epoch = f->other_epoch;
	put_begin(f);
	commit(f);
	assert_int_equal(check(f), LOG_HOLDS);
	assert_int_equal(f->check.chain.n_epochs, 2);
	assert_int_equal(f->check.chain.n_pending_epochs, 1);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	commit(f);
	assert_refused(f, "a record stands in an epoch that was not certified", 3);
}

static void
a_record_of_another_epoch_than_its_commit_is_refused(void **state)
{
	struct forge *f = *state;
	struct log_record r = log_rig_record(LOG_INTENT);

	certified_start(f);
	r.index = 2;
	r.epoch = f->other_epoch;
	put_placed(f, &r);
	commit(f);
	assert_refused(f, "a record names another epoch than its commit", 2);
}

static void
indices_have_no_gaps(void **state)
{
	struct forge *f = *state;
	struct log_record r = log_rig_record(LOG_INTENT);

	certified_start(f);
	r.index = 3;
	r.epoch = f->epoch;
	put_placed(f, &r);
	commit(f);
	assert_refused(f, "a record's index is not the next one", 2);
}

static void
an_epoch_record_of_another_form_is_refused(void **state)
{
	static const uint8_t bad[4][34] = { { 2 }, { 0 }, { 1 }, { 3 } };
	struct forge *f = *state;

	certified_start(f);
	for (size_t i = 0; i < 4; i++) {
		size_t len = f->out.len;
		struct log_chain made = f->made;

		put(f, LOG_EPOCH, (struct span){ bad[i], sizeof bad[i] });
		commit(f);
		assert_refused(f, "an epoch record does not have its form", 2);
		f->out.len = len;
		f->made = made;
	}
	put(f, LOG_EPOCH, (struct span){ NULL, 0 });
	commit(f);
	assert_refused(f, "an epoch record does not have its form", 2);
}

static void
refused_twist(struct forge *f, struct log_commit twist, const char *reason)
{
	certified_start(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	f->twist = twist;
	commit(f);
	assert_refused(f, reason, 2);
}

static void
a_commit_with_another_root_is_refused(void **state)
{
	refused_twist(*state, (struct log_commit){ .root = { 1 } }, "a commit's root is not that of the records");
}

static void
a_commit_after_another_is_refused(void **state)
{
	refused_twist(*state, (struct log_commit){ .previous = { 1 } }, "a commit does not follow the one before it");
}

static void
a_commit_over_other_bytes_is_refused(void **state)
{
	refused_twist(*state, (struct log_commit){ .bytes_hash = { 1 } },
	    "the bytes of a group are not those that its commit names");
}

static void
a_commit_with_another_first_index_is_refused(void **state)
{
	refused_twist(*state, (struct log_commit){ .first = 1, .size = 4 ^ 5 },
	    "a commit's first index is not the next one");
}

static void
a_commit_that_counts_wrong_is_refused(void **state)
{
	refused_twist(*state, (struct log_commit){ .count = 1, .size = 4 ^ 5 },
	    "a commit counts other records than stand before it");
}

static void
a_commit_with_another_manual_lock_is_refused(void **state)
{
	refused_twist(*state, (struct log_commit){ .flags = 1 },
	    "a commit's flags do not follow from the records");
}

static void
a_commit_by_another_key_is_refused(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	f->signs = f->other_key;
	commit(f);
	assert_refused(f, "the signature of a commit does not hold", 2);
}

static void
commits_before_the_last_are_vouched_for_by_it(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	for (int i = 0; i < 3; i++) {
		put(f, LOG_INTENT, (struct span){ NULL, 0 });
		f->signs = i == 1 ? f->other_key : f->epoch_key;
		commit(f);
	}
	assert_int_equal(check(f), LOG_HOLDS);
	f->check = (struct log_check){ .depth = LOG_CHECK_FULL, .log_public = signer_public(f->log_key) };
	f->at = 0;
	assert_refused(f, "the signature of a commit does not hold", 3);
}

static void
the_last_commit_of_an_epoch_is_checked_when_another_begins(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	f->signs = f->other_key;
	commit(f);
	f->epoch = f->other_epoch;
	f->signs = f->epoch_key;
	put_begin(f);
	commit(f);
	assert_int_equal(check(f), LOG_BROKEN);
	assert_true(f->check.broken);
	assert_int_equal(f->check.bad_index, 2);
}

static void
a_signature_that_was_put_off_is_checked_at_the_end(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	f->signs = f->other_key;
	commit(f);
	/* A torn frame behind it looks like the start of another group. */
	wire_put_bytes(&f->out, "ARC1", 4);
	assert_int_equal(check(f), LOG_BROKEN);
	assert_int_equal(f->check.bad_index, 2);
}

static void
run_next_epoch(struct forge *f)
{
	f->epoch = f->other_epoch;
	f->signs = f->other_key;
}

static void
an_epoch_that_rotates_is_followed_by_the_one_it_names(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	put_rotation(f, f->log_key);
	commit(f);
	assert_int_equal(check(f), LOG_HOLDS);
	assert_true(uuid_equal(f->check.chain.epoch.id, f->other_epoch));
	assert_true(f->check.chain.epoch.certified);
	assert_int_equal(f->check.chain.n_epochs, 2);
	assert_int_equal(f->check.chain.n_pending_epochs, 0);
	run_next_epoch(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	commit(f);
	assert_int_equal(check(f), LOG_HOLDS);
	assert_int_equal(f->check.chain.size, 5);
	assert_int_equal(f->check.chain.n_epochs, 2);
}

static void
an_epoch_without_a_certificate_is_pending_after_a_rotation_too(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put_rotation(f, NULL);
	commit(f);
	assert_int_equal(check(f), LOG_HOLDS);
	assert_int_equal(f->check.chain.n_pending_epochs, 1);
	run_next_epoch(f);
	put(f, LOG_REFUSAL, (struct span){ NULL, 0 });
	commit(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	commit(f);
	assert_refused(f, "a record stands in an epoch that was not certified", 4);
}

static void
nothing_stands_behind_a_rotation_in_its_group(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put_rotation(f, f->log_key);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	commit(f);
	assert_refused(f, "a record stands behind the one that ends its epoch", 2);
}

static void
a_rotation_to_a_key_that_the_log_key_does_not_know_is_refused(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put_rotation(f, f->other_key);
	commit(f);
	assert_refused(f, "the certificate of an epoch does not hold", 2);
}

static void
a_rotation_to_the_same_epoch_is_refused(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	f->other_epoch = f->epoch;
	put_rotation(f, NULL);
	commit(f);
	assert_refused(f, "an epoch begins twice", 2);
}

static void
a_rotation_that_the_new_key_signed_is_refused(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put_rotation(f, f->log_key);
	f->signs = f->other_key;
	commit(f);
	assert_refused(f, "the signature of a commit does not hold", 2);
}

static void
the_old_key_signs_nothing_after_a_rotation(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put_rotation(f, f->log_key);
	commit(f);
	f->epoch = f->other_epoch;
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	commit(f);
	assert_refused(f, "the signature of a commit does not hold", 3);
}

static void
the_old_epoch_does_not_go_on_after_a_rotation(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put_rotation(f, f->log_key);
	commit(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	commit(f);
	assert_refused(f, "a record is of an epoch that did not begin", 3);
}

/* The next epoch's groups do not vouch for it: their key is another one. */
static void
the_signature_of_a_rotation_is_always_checked(void **state)
{
	struct forge *f = *state;

	certified_start(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	commit(f);
	put_rotation(f, f->log_key);
	f->signs = f->log_key;
	commit(f);
	run_next_epoch(f);
	put(f, LOG_INTENT, (struct span){ NULL, 0 });
	commit(f);
	assert_refused(f, "the signature of a commit does not hold", 3);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, start, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(a_log_that_keeps_the_rules_holds),
		RUN(a_log_begins_with_an_epoch),
		RUN(a_pending_epoch_holds_no_intent),
		RUN(a_successful_unlock_needs_a_certificate),
		RUN(a_certificate_by_another_key_does_not_hold),
		RUN(an_epoch_begins_at_the_start_of_a_group),
		RUN(an_epoch_begins_once),
		RUN(a_new_epoch_is_pending_again),
		RUN(a_record_of_another_epoch_than_its_commit_is_refused),
		RUN(indices_have_no_gaps),
		RUN(an_epoch_record_of_another_form_is_refused),
		RUN(a_commit_with_another_root_is_refused),
		RUN(a_commit_after_another_is_refused),
		RUN(a_commit_over_other_bytes_is_refused),
		RUN(a_commit_with_another_first_index_is_refused),
		RUN(a_commit_that_counts_wrong_is_refused),
		RUN(a_commit_with_another_manual_lock_is_refused),
		RUN(a_commit_by_another_key_is_refused),
		RUN(commits_before_the_last_are_vouched_for_by_it),
		RUN(the_last_commit_of_an_epoch_is_checked_when_another_begins),
		RUN(a_signature_that_was_put_off_is_checked_at_the_end),
		RUN(an_epoch_that_rotates_is_followed_by_the_one_it_names),
		RUN(an_epoch_without_a_certificate_is_pending_after_a_rotation_too),
		RUN(nothing_stands_behind_a_rotation_in_its_group),
		RUN(a_rotation_to_a_key_that_the_log_key_does_not_know_is_refused),
		RUN(a_rotation_to_the_same_epoch_is_refused),
		RUN(a_rotation_that_the_new_key_signed_is_refused),
		RUN(the_old_key_signs_nothing_after_a_rotation),
		RUN(the_old_epoch_does_not_go_on_after_a_rotation),
		RUN(the_signature_of_a_rotation_is_always_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
