/* The exit: what an asker believes, and what it opens. */
#include "tests/gateway/gate_rig.h"

#include "escrow/binding.h"

static uint8_t content[2 * 65536 + 10];

static struct client_want
want_read(uint64_t offset, uint32_t limit)
{
	gate.content = content;
	gate.content_len = sizeof content;
	for (size_t i = 0; i < sizeof content; i++)
		content[i] = (uint8_t)(i * 31 >> 3);
	return (struct client_want){ .op = OP_READ, .surface = SURFACE_CLI, .vault = gate.vault, .asset = gate.asset, .offset = offset,
		.limit = limit };
}

static void
nobody_listening_is_no_daemon(void **state)
{
	struct client *c = NULL;

	(void)state;
	assert_int_equal(unlink("service.sock"), 0);
	assert_int_equal(client_open(&c), ERR_DAEMON_NOT_RUNNING);
	assert_null(c);
}

static void
a_boot_key_that_another_log_certified_is_not_trusted(void **state)
{
	struct client *c = NULL;

	(void)state;
	gate.certified_by_other = true;
	assert_int_equal(client_open(&c), OK);
	assert_int_equal(client_trust(c, signer_public(gate.log_key)), ERR_DAEMON_UNTRUSTED);
	/* Nor is the log that the other one says: it is not this gate's. */
	assert_int_equal(client_trust(c, signer_public(gate.other_key)), ERR_DAEMON_UNTRUSTED);
	assert_null(client_channel(c));
	client_close(&c);
}

static void
a_trusting_client_checks_every_hello(void **state)
{
	struct client *c = gate_client();

	(void)state;
	assert_int_equal(client_greet(c), OK);
	pthread_mutex_lock(&gate.lock);
	gate.certified_by_other = true;
	pthread_mutex_unlock(&gate.lock);
	assert_int_equal(client_greet(c), ERR_DAEMON_UNTRUSTED);
	client_close(&c);
}

static void
a_boot_key_of_low_order_is_not_trusted(void **state)
{
	struct client *c = NULL;

	(void)state;
	memset(gate.boot_pair.public_key, 0, 32);
	assert_int_equal(client_open(&c), ERR_DAEMON_UNTRUSTED);
	assert_null(c);
}

static void
ranges_come_out_as_they_went_in(void **state)
{
	static const struct { uint64_t offset; uint32_t limit; size_t length; } ranges[] = {
		{ 0, 1, 1 }, { 0, 65536, 65536 }, { 10, 65536, 65536 }, { 65535, 2, 2 }, { 65536, 65536, 65536 },
		{ 131000, 65536, 82 }, { 131072, 10, 10 }, { 131081, 1, 1 }, { 131082, 65536, 0 },
	};
	struct client *c = gate_client();

	(void)state;
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		struct client_want want = want_read(ranges[i].offset, ranges[i].limit);
		struct client_bytes b = { .data = NULL };

		assert_int_equal(client_read(c, &want, &b), OK);
		assert_int_equal(b.total, sizeof content);
		assert_int_equal(b.offset, ranges[i].offset);
		assert_int_equal(b.at_end, ranges[i].offset + ranges[i].length == sizeof content);
		assert_int_equal(b.index, 41);
		assert_int_equal(b.kind, KIND_MEMORY);
		assert_true(uuid_equal(b.revision, gate.revision));
		if (ranges[i].length == 0) {
			assert_null(b.data);
			continue;
		}
		assert_int_equal(secret_len(b.data), ranges[i].length);
		assert_memory_equal(secret_view(b.data), content + ranges[i].offset, ranges[i].length);
		client_bytes_free(&b);
	}
	client_close(&c);
}

static void
a_lie_of_the_daemon_brings_no_bytes(void **state)
{
	static const enum err codes[LIES__COUNT] = {
		[LIES_TICKET_OF_ANOTHER_ASK] = ERR_AUDIT_UNAVAILABLE, [LIES_TICKET_OF_ANOTHER_OPERATION] = ERR_AUDIT_UNAVAILABLE,
		[LIES_TICKET_CHANGED] = ERR_AUDIT_UNAVAILABLE, [LIES_TICKET_WITHOUT_A_KEY] = ERR_STORAGE_CORRUPT,
		[LIES_COMMIT_UNSIGNED] = ERR_AUDIT_UNAVAILABLE, [LIES_COMMIT_OF_ANOTHER_EPOCH] = ERR_AUDIT_UNAVAILABLE,
		[LIES_RECORD_OUTSIDE_ITS_GROUP] = ERR_AUDIT_UNAVAILABLE, [LIES_PIECE_CHANGED] = ERR_STORAGE_CORRUPT,
		[LIES_PIECES_SWAPPED] = ERR_STORAGE_CORRUPT, [LIES_ROW_CHANGED] = ERR_STORAGE_CORRUPT,
		[LIES_TOTAL_CHANGED] = ERR_STORAGE_CORRUPT, [LIES_REVISION_OF_ANOTHER_NAME] = ERR_STORAGE_CORRUPT,
		[LIES_LAST_CHUNK_MISSING] = ERR_STORAGE_CORRUPT, [LIES_CHUNK_SAYS_LAST] = ERR_STORAGE_CORRUPT,
		[LIES_TRAILING_BYTES] = ERR_PROTOCOL, [LIES_OTHER_MESSAGE] = ERR_PROTOCOL,
	};
	struct client *c = gate_client();
	size_t left = keys_left();

	(void)state;
	for (unsigned lie = TELLS_TRUE; lie < LIES__COUNT; lie++) {
		struct client_want want = want_read(65000, 2000);
		struct client_bytes b = { .data = NULL };
		enum err e;

		pthread_mutex_lock(&gate.lock);
		gate.lie = (enum lie)lie;
		pthread_mutex_unlock(&gate.lock);
		want.revision = gate.revision;
		if ((e = client_read(c, &want, &b)) != codes[lie])
			fail_msg("lie %u: %s instead of %s", lie, err_code(e), err_code(codes[lie]));
		if (lie != TELLS_TRUE)
			assert_null(b.data);
		client_bytes_free(&b);
	}
	assert_int_equal(keys_left(), left);
	client_close(&c);
}

static void
an_epoch_that_changed_is_met_anew_before_it_is_believed(void **state)
{
	struct client *c = gate_client();
	struct client_want want = want_read(0, 10);
	struct client_bytes b = { .data = NULL };
	unsigned hellos = gate.n_hellos;

	(void)state;
	assert_int_equal(client_read(c, &want, &b), OK);
	client_bytes_free(&b);
	assert_int_equal(gate.n_hellos, hellos);
	pthread_mutex_lock(&gate.lock);
	gate.epoch = gate_id(0x82);
	pthread_mutex_unlock(&gate.lock);
	assert_int_equal(client_read(c, &want, &b), OK);
	client_bytes_free(&b);
	assert_int_equal(gate.n_hellos, hellos + 1);
	client_close(&c);
}

/* A read whose receipt is in the epoch before the one of the welcome. */
static enum err
read_in_earlier(bool by_other)
{
	struct client_want want = want_read(0, 10);
	struct client_bytes b = { .data = NULL };
	struct client *c;
	enum err e;

	pthread_mutex_lock(&gate.lock);
	gate.earlier = gate_id(0x83);
	assert_int_equal(signer_new(&gate.earlier_key), OK);
	gate.answers_in_earlier = true;
	gate.earlier_by_other = by_other;
	pthread_mutex_unlock(&gate.lock);
	c = gate_client();
	e = client_read(c, &want, &b);
	client_bytes_free(&b);
	client_close(&c);
	return e;
}

/* It rotated between the hello and the ask, or the other way round. */
static void
a_receipt_of_the_epoch_before_is_believed(void **state)
{
	(void)state;
	assert_int_equal(read_in_earlier(false), OK);
}

static void
an_earlier_epoch_that_another_certified_is_not_believed(void **state)
{
	(void)state;
	assert_int_equal(read_in_earlier(true), ERR_AUDIT_UNAVAILABLE);
}

static void
a_receipt_waits_for_the_gate_to_hear_of_its_epoch(void **state)
{
	struct client *c = gate_client();
	struct client_want want = want_read(0, 10);
	struct client_bytes b = { .data = NULL };

	(void)state;
	pthread_mutex_lock(&gate.lock);
	gate.epoch = gate_id(0x82);
	gate.knows_epoch_after = gate.n_hellos + 3;
	pthread_mutex_unlock(&gate.lock);
	assert_int_equal(client_read(c, &want, &b), OK);
	assert_true(gate.n_hellos > gate.knows_epoch_after);
	client_bytes_free(&b);
	client_close(&c);
}

static void
a_refusal_is_its_code_and_keeps_its_detail(void **state)
{
	struct client *c = gate_client();
	struct client_want want = want_read(0, 10);
	struct client_answer *a = NULL;

	(void)state;
	gate.refuse_with = ERR_REVISION_REQUIRED;
	assert_int_equal(client_ask(c, &want, &a), ERR_REVISION_REQUIRED);
	assert_null(a);
	assert_string_equal(client_detail(c), "why");
	pthread_mutex_lock(&gate.lock);
	gate.refuse_with = (enum err)9999;
	pthread_mutex_unlock(&gate.lock);
	assert_int_equal(client_ask(c, &want, &a), ERR_PROTOCOL);
	client_close(&c);
}

static void
an_interrupted_ask_is_asked_anew_with_a_count_of_its_own(void **state)
{
	struct client *c = gate_client();
	struct client_want want = want_read(0, 10);
	struct client_bytes b = { .data = NULL };
	uint64_t first;

	(void)state;
	assert_int_equal(client_read(c, &want, &b), OK);
	client_bytes_free(&b);
	first = gate.ask.client_ask;
	pthread_mutex_lock(&gate.lock);
	gate.n_interrupts = 1;
	gate.boot = gate_id(0x72);
	pthread_mutex_unlock(&gate.lock);
	assert_int_equal(client_read(c, &want, &b), OK);
	client_bytes_free(&b);
	assert_int_equal(gate.n_asks, 3);
	assert_int_equal(gate.ask.client_ask, first + 2);
	assert_true(uuid_equal(gate.ask.boot, gate_id(0x72)));
	client_close(&c);
}

static unsigned
asks_of(enum op op, unsigned n_cuts, unsigned n_interrupts, enum err *e)
{
	struct client *c = gate_client();
	struct client_want want = { .op = op, .surface = SURFACE_OWNER, .query = { (const uint8_t *)"{}", 2 } };
	struct client_answer *answer = NULL;
	unsigned before;

	pthread_mutex_lock(&gate.lock);
	before = gate.n_asks;
	gate.n_cuts = n_cuts;
	gate.n_interrupts = n_interrupts;
	gate.refuse_with = ERR_NOT_FOUND;
	pthread_mutex_unlock(&gate.lock);
	*e = client_ask(c, &want, &answer);
	client_answer_free(&answer);
	client_close(&c);
	return gate.n_asks - before;
}

/* Who adds a fact does not want it twice. */
static void
a_change_that_nobody_answered_is_not_made_again(void **state)
{
	enum err e;

	(void)state;
	assert_int_equal(asks_of(OP_PROFILE_LIST, 1, 0, &e), 2);
	assert_int_equal(e, ERR_NOT_FOUND);
	assert_int_equal(asks_of(OP_PROFILE_CHANGE, 1, 0, &e), 1);
	assert_int_equal(e, ERR_INTERRUPTED);
	/* One that was refused was not made. */
	assert_int_equal(asks_of(OP_PROFILE_CHANGE, 0, 1, &e), 2);
	assert_int_equal(e, ERR_NOT_FOUND);
}

static void
a_tokens_half_goes_boxed_to_a_certified_boot_key_only(void **state)
{
	struct client *c = NULL;
	struct client_want want = want_read(0, 10);
	struct client_answer *a = NULL;
	struct key *token = hex_key("202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"), *half = NULL, *opened = NULL;
	struct channel channel;
	uint8_t id[32], buf[BINDING_MAX];

	(void)state;
	want.token = token;
	gate.refuse_with = ERR_INVALID_GRANT;
	for (int certified = 0; certified < 2; certified++) {
		pthread_mutex_lock(&gate.lock);
		gate.certified = certified;
		pthread_mutex_unlock(&gate.lock);
		c = gate_client();
		assert_int_equal(client_ask(c, &want, &a), ERR_INVALID_GRANT);
		token_id(token, id);
		assert_memory_equal(gate.ask.token_id, id, 32);
		assert_int_equal(gate.boxed_len, certified ? SEALED_KEY_LEN : 0);
		client_close(&c);
	}
	assert_int_equal(key_new(&half), OK);
	assert_int_equal(key_new(&opened), OK);
	token_half(token, half);
	assert_int_equal(channel_of_boot(&gate.boot_pair, gate.ask.opener, &channel), OK);
	assert_int_equal(key_open(channel.up, ask_binding(&gate.ask, buf), gate.boxed_half, opened), OK);
	assert_memory_equal(opened->b, half->b, KEY_LEN);
	channel_free(&channel);
	key_free(&token);
	key_free(&half);
	key_free(&opened);
}

static void
a_client_that_trusts_nobody_sends_no_half(void **state)
{
	struct client *c = NULL;
	struct client_want want = want_read(0, 10);
	struct client_answer *a = NULL;
	struct key *token = hex_key("202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f");

	(void)state;
	want.token = token;
	gate.refuse_with = ERR_INVALID_GRANT;
	assert_int_equal(client_open(&c), OK);
	assert_int_equal(client_ask(c, &want, &a), ERR_INVALID_GRANT);
	assert_int_equal(gate.boxed_len, 0);
	client_close(&c);
	key_free(&token);
}

static void
a_closed_client_leaves_no_key(void **state)
{
	size_t left = keys_left();
	struct client *c = gate_client();

	(void)state;
	assert_non_null(client_channel(c));
	assert_int_equal(keys_left(), left - 3);
	client_close(&c);
	assert_null(c);
	assert_int_equal(keys_left(), left);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GATE_TEST(nobody_listening_is_no_daemon),
		GATE_TEST(a_boot_key_that_another_log_certified_is_not_trusted),
		GATE_TEST(a_trusting_client_checks_every_hello),
		GATE_TEST(a_boot_key_of_low_order_is_not_trusted),
		GATE_TEST(ranges_come_out_as_they_went_in),
		GATE_TEST(a_lie_of_the_daemon_brings_no_bytes),
		GATE_TEST(an_epoch_that_changed_is_met_anew_before_it_is_believed),
		GATE_TEST(a_receipt_of_the_epoch_before_is_believed),
		GATE_TEST(an_earlier_epoch_that_another_certified_is_not_believed),
		GATE_TEST(a_receipt_waits_for_the_gate_to_hear_of_its_epoch),
		GATE_TEST(a_refusal_is_its_code_and_keeps_its_detail),
		GATE_TEST(an_interrupted_ask_is_asked_anew_with_a_count_of_its_own),
		GATE_TEST(a_change_that_nobody_answered_is_not_made_again),
		GATE_TEST(a_tokens_half_goes_boxed_to_a_certified_boot_key_only),
		GATE_TEST(a_client_that_trusts_nobody_sends_no_half),
		GATE_TEST(a_closed_client_leaves_no_key),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
