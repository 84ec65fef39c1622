#include <stdlib.h>
#include <string.h>

#include "escrow/ack.h"
#include "escrow/keys.h"
#include "escrow/seal.h"
#include "mailbox/protocol.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

/* The vectors of docs/store-format.md: the channel of test_channel.c, the keys of test_keys.c. */
#define UP   "584033832e68f32e0f3247f4ca0c2e75aa892e7af5267332a50fd2598c5cc462"
#define DOWN "2dd040d4f4896be4667866ea3bfe91c59f54b03ffe22a06889f46dde7c2fcad0"
#define OTHER "2020202020202020202020202020202020202020202020202020202020202020"
#define REFS "00202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f0100000000" \
	"00202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f0400000000"

static const char ticket_text[] =
    "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7043490aee237e255ed7434f9a66716b683b0801ee1e4d3f0"
    "62a0e05a6a0d61b28c16d377038688c95581eae02f8a0674ae56cfbcf43cc0fba8df5af32bd8d7ebf0ec0ca7767722a5"
    "16651809faf2fdd8";

struct fixture {
	struct channel      channel;
	struct ticket_terms terms;
	uint8_t             refs[76];
	struct secret      *keys;
	uint8_t             ticket[TICKET_MAX];
	size_t              ticket_len;
};

static struct uuid
id_from(uint8_t first)
{
	struct uuid id;

	for (size_t i = 0; i < UUID_LEN; i++)
		id.b[i] = (uint8_t)(first + i);
	return id;
}

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	if (f == NULL)
		return -1;
	f->channel = (struct channel){ hex_key(UP), hex_key(DOWN) };
	hex_bytes(REFS, f->refs, sizeof f->refs);
	f->terms = (struct ticket_terms){ .boot = id_from(0x70), .client_ask = 7, .op = OP_READ,
		.vault = id_from(0x10), .asset = id_from(0x20), .offset = 4096, .limit = 100,
		.refs = { f->refs, sizeof f->refs } };
	assert_int_equal(secret_new(2 * KEY_LEN, &f->keys), OK);
	for (size_t i = 0; i < 2 * KEY_LEN; i++)
		secret_bytes(f->keys)[i] = (uint8_t)i;
	assert_int_equal(ticket_seal(&f->channel, &f->terms, f->keys, f->ticket, &f->ticket_len), OK);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	channel_free(&f->channel);
	secret_free(&f->keys);
	free(f);
	return 0;
}

static enum err
accept(const struct fixture *f, const struct ticket_terms *terms)
{
	struct audit_ack *ack = NULL;
	enum err e = ack_accept(&f->channel, terms, (struct span){ f->ticket, f->ticket_len }, &ack);

	if (e != OK)
		assert_null(ack);
	ack_free(&ack);
	return e;
}

static void
the_documents_ticket_opens_under_its_terms(void **state)
{
	struct fixture *f = *state;
	struct audit_ack *ack = NULL;
	struct secret *plain = NULL;
	uint8_t sealed[64], piece[64];
	size_t len = hex_take(ticket_text, f->ticket, sizeof f->ticket), sealed_len, piece_len;

	assert_int_equal(ack_accept(&f->channel, &f->terms, (struct span){ f->ticket, len }, &ack), OK);
	assert_int_equal(ack_n_keys(ack), 2);
	sealed_len = hex_take("c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7e0451028e5797142d91d161474ed0f3ca1766d069f", sealed, sizeof sealed);
	piece_len = hex_take("70696563652f76310004202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f000000000100"
	    "000000", piece, sizeof piece);
	assert_int_equal(escrow_open(ack, 1, (struct span){ piece, piece_len }, (struct span){ sealed, sealed_len }, &plain), OK);
	assert_int_equal(secret_len(plain), 5);
	assert_memory_equal(secret_view(plain), "hello", 5);
	secret_free(&plain);
	ack_free(&ack);
}

static void
a_ticket_opens_for_its_opener_and_terms(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->ticket_len, 2 * KEY_LEN + SEAL_OVERHEAD);
	assert_int_equal(accept(f, &f->terms), OK);
}

static void
a_ticket_under_any_other_term_opens_nothing(void **state)
{
	struct fixture *f = *state;
	struct ticket_terms others[9];
	uint8_t refs[sizeof f->refs];

	for (size_t i = 0; i < 9; i++)
		others[i] = f->terms;
	others[0].boot.b[15] ^= 1;
	others[1].client_ask++;
	others[2].op = OP_CREDENTIAL_BYTES;
	others[3].vault.b[0] ^= 1;
	others[4].asset.b[7] ^= 1;
	others[5].revision = id_from(0x30);
	others[6].offset = 0;
	others[7].limit--;
	others[8].refs.len -= 38;
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(accept(f, &others[i]), ERR_AUDIT_UNAVAILABLE);
	for (size_t i = 0; i < sizeof refs; i++) {
		struct ticket_terms other = f->terms;

		memcpy(refs, f->refs, sizeof refs);
		refs[i] ^= 1;
		other.refs.p = refs;
		assert_int_equal(accept(f, &other), ERR_AUDIT_UNAVAILABLE);
	}
}

static void
another_openers_channel_opens_nothing(void **state)
{
	struct fixture *f = *state;
	struct key *down = f->channel.down;

	f->channel.down = f->channel.up;
	assert_int_equal(accept(f, &f->terms), ERR_AUDIT_UNAVAILABLE);
	f->channel.down = hex_key(OTHER);
	assert_int_equal(accept(f, &f->terms), ERR_AUDIT_UNAVAILABLE);
	key_free(&f->channel.down);
	f->channel.down = down;
}

static void
no_changed_or_cut_ticket_opens(void **state)
{
	struct fixture *f = *state;
	size_t len = f->ticket_len;

	for (size_t i = 0; i < len; i++) {
		f->ticket[i] ^= 1;
		assert_int_equal(accept(f, &f->terms), ERR_AUDIT_UNAVAILABLE);
		f->ticket[i] ^= 1;
	}
	for (f->ticket_len = 0; f->ticket_len < len; f->ticket_len++)
		assert_int_equal(accept(f, &f->terms), ERR_AUDIT_UNAVAILABLE);
	f->ticket_len = TICKET_MAX + 1;
	assert_int_equal(accept(f, &f->terms), ERR_AUDIT_UNAVAILABLE);
	f->ticket_len = len;
	assert_int_equal(accept(f, &f->terms), OK);
}

static void
too_many_keys_or_refs_make_no_ticket(void **state)
{
	static const uint8_t many[4300];
	struct fixture *f = *state;
	struct ticket_terms terms = f->terms;
	struct secret *keys = NULL;
	size_t len = 77;

	assert_int_equal(secret_new((TICKET_KEYS_MAX + 1) * KEY_LEN, &keys), OK);
	assert_int_equal(ticket_seal(&f->channel, &f->terms, keys, f->ticket, &len), ERR_INTERNAL);
	secret_free(&keys);
	terms.refs = (struct span){ many, sizeof many };
	assert_int_equal(ticket_seal(&f->channel, &terms, f->keys, f->ticket, &len), ERR_INTERNAL);
	assert_int_equal(len, 77);
}

static void
a_ticket_of_the_most_keys_and_of_none_opens(void **state)
{
	struct fixture *f = *state;
	struct secret *keys = NULL;

	assert_int_equal(secret_new(TICKET_KEYS_MAX * KEY_LEN, &keys), OK);
	assert_int_equal(ticket_seal(&f->channel, &f->terms, keys, f->ticket, &f->ticket_len), OK);
	assert_int_equal(f->ticket_len, TICKET_MAX);
	assert_int_equal(accept(f, &f->terms), OK);
	secret_free(&keys);
	assert_int_equal(secret_new(0, &keys), OK);
	assert_int_equal(ticket_seal(&f->channel, &f->terms, keys, f->ticket, &f->ticket_len), OK);
	assert_int_equal(accept(f, &f->terms), OK);
	secret_free(&keys);
}

static void
the_door_opens_with_the_right_key_and_binding_only(void **state)
{
	static const struct span ad = { (const uint8_t *)"here", 4 }, elsewhere = { (const uint8_t *)"there", 5 };
	struct fixture *f = *state;
	struct audit_ack *ack = NULL;
	struct secret *plain = NULL;
	uint8_t sealed[3 + SEAL_OVERHEAD];
	struct span whole = { sealed, sizeof sealed };

	seal(secret_view(f->keys) + KEY_LEN, ad, (struct span){ (const uint8_t *)"abc", 3 }, sealed);
	assert_int_equal(ack_accept(&f->channel, &f->terms, (struct span){ f->ticket, f->ticket_len }, &ack), OK);
	assert_int_equal(escrow_open(ack, 0, ad, whole, &plain), ERR_STORAGE_CORRUPT);
	assert_int_equal(escrow_open(ack, 2, ad, whole, &plain), ERR_STORAGE_CORRUPT);
	assert_int_equal(escrow_open(ack, SIZE_MAX, ad, whole, &plain), ERR_STORAGE_CORRUPT);
	assert_int_equal(escrow_open(ack, 1, elsewhere, whole, &plain), ERR_STORAGE_CORRUPT);
	assert_int_equal(escrow_open(ack, 1, ad, (struct span){ sealed, SEAL_OVERHEAD - 1 }, &plain), ERR_STORAGE_CORRUPT);
	assert_null(plain);
	assert_int_equal(escrow_open(ack, 1, ad, whole, &plain), OK);
	assert_memory_equal(secret_view(plain), "abc", 3);
	secret_free(&plain);
	ack_free(&ack);
	ack_free(&ack);
}

static void
a_writers_ack_holds_exactly_one_key(void **state)
{
	struct fixture *f = *state;
	struct audit_ack *ack = NULL;
	struct key *revision = NULL;
	size_t left = keys_left();

	assert_int_equal(ack_accept(&f->channel, &f->terms, (struct span){ f->ticket, f->ticket_len }, &ack), OK);
	assert_int_equal(ack_revision_key(ack, &revision), ERR_AUDIT_UNAVAILABLE);
	assert_null(revision);
	ack_free(&ack);
	secret_cut(f->keys, KEY_LEN);
	assert_int_equal(ticket_seal(&f->channel, &f->terms, f->keys, f->ticket, &f->ticket_len), OK);
	assert_int_equal(ack_accept(&f->channel, &f->terms, (struct span){ f->ticket, f->ticket_len }, &ack), OK);
	assert_int_equal(ack_revision_key(ack, &revision), OK);
	assert_memory_equal(revision->b, secret_view(f->keys), KEY_LEN);
	key_free(&revision);
	ack_free(&ack);
	assert_int_equal(keys_left(), left);
}

#define TICKET_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TICKET_TEST(the_documents_ticket_opens_under_its_terms),
		TICKET_TEST(a_ticket_opens_for_its_opener_and_terms),
		TICKET_TEST(a_ticket_under_any_other_term_opens_nothing),
		TICKET_TEST(another_openers_channel_opens_nothing),
		TICKET_TEST(no_changed_or_cut_ticket_opens),
		TICKET_TEST(too_many_keys_or_refs_make_no_ticket),
		TICKET_TEST(a_ticket_of_the_most_keys_and_of_none_opens),
		TICKET_TEST(the_door_opens_with_the_right_key_and_binding_only),
		TICKET_TEST(a_writers_ack_holds_exactly_one_key),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
