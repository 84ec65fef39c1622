/* The search actor alone: what it asks for and in which order, what it finds, and what it forgets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/search_state.h"
#include "escrow/deposit.h"
#include "escrow/index_ref.h"
#include "escrow/keys.h"
#include "escrow/query.h"
#include "escrow/random.h"
#include "escrow/ticket.h"
#include "gateway/found.h"
#include "store/log_record.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

static struct {
	struct rig     *r;
	struct channel  keyring; /* its end */
	struct key     *class_key, *result;
	struct uuid     vault, boot;
	uint8_t         items[200000];
	struct wire_out out;
	uint16_t        n_items;
} t;

static struct uuid
id(uint8_t what)
{
	struct uuid u;

	memset(u.b, what, UUID_LEN);
	return u;
}

static int
setup(void **state)
{
	(void)state;
	fake_clock_set(1764496800000, 100000);
	t.vault = id(0x11);
	t.boot = id(0x61);
	assert_int_equal(rig_open(&search_actor, NULL, &t.r), OK);
	assert_int_equal(channel_of_pair(rig_pair_key(ACTOR_KEYRING, ACTOR_SEARCH), &t.keyring), OK);
	assert_int_equal(key_random(&t.class_key), OK);
	assert_int_equal(key_random(&t.result), OK);
	for (unsigned a = ACTOR_GATE; a <= ACTOR_AUDIT; a++)
		rig_edge(t.r, (enum actor)a, true);
	assert_int_equal(rig_deliver(t.r, MSG_SEARCH_BOOT, ACTOR_KEYRING, 0, &(struct one_id_body){ .id = t.boot }), OK);
	rig_forget(t.r);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_close(&t.r);
	channel_free(&t.keyring);
	key_free(&t.class_key);
	key_free(&t.result);
	fake_clock_off();
	return 0;
}

static void
tell_scope(bool unlocked)
{
	struct search_scope_body b = { .unlocked = unlocked, .vaults = { t.vault.b, unlocked ? UUID_LEN : 0 } };

	assert_int_equal(rig_deliver(t.r, MSG_SEARCH_SCOPE, ACTOR_GRANTS, 0, &b), OK);
}

/* The next thing it says that is no word on its state. */
static const union any_body *
expect(enum msg type)
{
	while (rig_next(t.r) == MSG_SEARCH_STATE)
		(void)rig_expect(t.r, MSG_SEARCH_STATE);
	if (rig_next(t.r) != type)
		fail_msg("%s instead of %s", msg_name(rig_next(t.r)), msg_name(type));
	return rig_expect(t.r, type);
}

static bool
silent(void)
{
	while (rig_next(t.r) == MSG_SEARCH_STATE)
		(void)rig_expect(t.r, MSG_SEARCH_STATE);
	return rig_silent(t.r);
}

static void
give_page(const struct index_page_body *more)
{
	struct index_page_body b = more != NULL ? *more : (struct index_page_body){ .error = OK };

	b.n_items = t.n_items;
	b.items = t.n_items > 0 ? wire_written(&t.out) : (struct span){ NULL, 0 };
	assert_int_equal(rig_deliver(t.r, MSG_INDEX_PAGE, ACTOR_VAULT, rig_ask_id(t.r), &b), OK);
	t.n_items = 0;
}

static void
give_key(const struct key *k, uint64_t ask_id)
{
	uint8_t buf[INDEX_REF_LEN], ticket[TICKET_MAX];
	struct ticket_terms terms = { .boot = t.boot, .client_ask = ask_id, .op = OP_SEARCH, .vault = t.vault,
		.refs = index_ref(CLASS_ORDINARY, buf) };
	struct ack_body ack = { .index = 3 };
	struct secret *keys = NULL;
	size_t len;

	assert_int_equal(secret_new(KEY_LEN, &keys), OK);
	memcpy(secret_bytes(keys), k->b, KEY_LEN);
	assert_int_equal(ticket_seal(&t.keyring, &terms, keys, ticket, &len), OK);
	secret_free(&keys);
	ack.ticket = (struct span){ ticket, len };
	assert_int_equal(rig_deliver(t.r, MSG_INDEX_ACK, ACTOR_AUDIT, ask_id, &ack), OK);
}

static void
put_piece(const struct revision_row *row, enum part part, struct span plain)
{
	struct item_body item = { .ref = { .key_class = (uint8_t)row->key_class, .asset = row->asset, .revision = row->revision,
		.part = (uint8_t)part } };
	static uint8_t sealed[CHUNK_LEN + SEAL_OVERHEAD];
	uint8_t row_buf[REVISION_ROW_MAX], buf[PIECE_BINDING_MAX];
	struct wire_out o = wire_out(row_buf, sizeof row_buf);
	struct key *revision = NULL, *chunk = NULL;

	assert_int_equal(key_new(&revision), OK);
	assert_int_equal(key_new(&chunk), OK);
	revision_key(t.class_key, row->asset, row->revision, revision);
	chunk_key(revision, part, 0, chunk);
	if (part == PART_HEAD) {
		revision_row_put(&o, row);
		item.row = wire_written(&o);
	}
	seal(chunk->b, piece_binding(part, row->asset, row->revision, 0, part == PART_CONTENT && revision_n_chunks(row->bytes) == 1,
	    item.row, buf), plain, sealed);
	item.sealed = (struct span){ sealed, plain.len + SEAL_OVERHEAD };
	item_body_put(&t.out, &item);
	t.n_items++;
	key_free(&revision);
	key_free(&chunk);
}

/* A memory of that body, on the page that is given next. */
static void
put_memory(uint8_t asset, uint8_t revision, const char *body, enum key_class c)
{
	char json[1024];
	uint8_t head[8];
	struct wire_out o = wire_out(head, sizeof head);
	struct revision_row row = { .vault = t.vault, .asset = id(asset), .revision = id(revision), .kind = KIND_MEMORY,
		.key_class = c, .created = { 2000 }, .asset_created = { 1000 } };
	int n = snprintf(json, sizeof json, "{\"title\":\"A note\",\"body\":\"%s\",\"tags\":[]}", body);

	if (t.n_items == 0)
		t.out = wire_out(t.items, sizeof t.items);
	row.bytes = (uint64_t)n;
	wire_put_u64(&o, row.bytes);
	put_piece(&row, PART_HEAD, wire_written(&o));
	put_piece(&row, PART_CONTENT, (struct span){ (const uint8_t *)json, (size_t)n });
}

/* Unlocked, and built over what was put. */
static void
build(void)
{
	tell_scope(true);
	(void)expect(MSG_INDEX_PAGE_WANTED);
	{
		uint16_t kept = t.n_items;

		t.n_items = 0;
		give_page(NULL);
		t.n_items = kept;
	}
	(void)expect(MSG_INDEX_ASK);
	give_key(t.class_key, rig_ask_id(t.r));
	(void)expect(MSG_INDEX_PAGE_WANTED);
	give_page(NULL);
	assert_true(silent());
}

static void
ask(const char *text, uint64_t ask_id)
{
	struct query_body b = { .ruling = { .ask = { .op = OP_SEARCH, .limit = 20, .vault = t.vault }, .subject_kind = LOG_TERMINAL,
		.vaults = { t.vault.b, UUID_LEN } } };
	uint8_t sealed[QUERY_SEALED_MAX];
	size_t len;

	assert_int_equal(query_seal(t.keyring.down, ask_id, b.ruling.mac, t.result, (struct span){ (const uint8_t *)text, strlen(text) },
	    sealed, &len), OK);
	b.sealed = (struct span){ sealed, len };
	assert_int_equal(rig_deliver(t.r, MSG_QUERY, ACTOR_KEYRING, ask_id, &b), OK);
}

/* The assets that it says it found, by their first byte, and that it names the same rows to the keyring. */
static size_t
found(uint8_t *assets)
{
	static struct found_row rows[FOUND_ROWS_MAX];
	static const struct uuid none;
	uint8_t buf[PIECE_BINDING_MAX];
	static uint8_t plain[FOUND_LEN_MAX];
	struct found_page page;
	const union any_body *b = expect(MSG_FOUND);
	struct span sealed = b->found.sealed;

	assert_int_equal(seal_open(t.result->b, piece_binding(PART_FOUND, none, none, 0, false, (struct span){ NULL, 0 }, buf), sealed,
	    plain), OK);
	assert_int_equal(found_take((struct span){ plain, sealed.len - SEAL_OVERHEAD }, &page, rows), OK);
	b = expect(MSG_FOUND_KEY_WANTED);
	assert_int_equal(b->found_rows.n_rows, page.n_rows);
	for (size_t i = 0; i < page.n_rows; i++) {
		assets[i] = rows[i].asset.b[0];
		assert_memory_equal(b->found_rows.rows.p + i * 32, rows[i].asset.b, UUID_LEN);
		assert_memory_equal(b->found_rows.rows.p + i * 32 + UUID_LEN, rows[i].revision.b, UUID_LEN);
	}
	return page.n_rows;
}

static enum err
refused(void)
{
	return (enum err)expect(MSG_QUERY_REFUSED)->refusal.error;
}

static void
a_vault_is_looked_for_then_its_key_is_asked_for_then_its_pages(void **state)
{
	uint8_t got[8];

	(void)state;
	put_memory(0x21, 0x31, "one walrus", CLASS_ORDINARY);
	put_memory(0x22, 0x32, "a dolphin", CLASS_ORDINARY);
	build();
	ask("walrus", 7);
	assert_int_equal(found(got), 1);
	assert_int_equal(got[0], 0x21);
	ask("...", 8);
	assert_int_equal(refused(), ERR_QUERY_EMPTY);
	ask("\xff", 9);
	assert_int_equal(refused(), ERR_INVALID_ARGUMENT);
	assert_true(silent());
}

static void
without_a_record_no_page_is_asked_for(void **state)
{
	(void)state;
	tell_scope(true);
	(void)expect(MSG_INDEX_PAGE_WANTED);
	give_page(NULL);
	(void)expect(MSG_INDEX_ASK);
	assert_int_equal(rig_deliver(t.r, MSG_INDEX_NOT_KEPT, ACTOR_AUDIT, rig_ask_id(t.r),
	    &(struct result_body){ .error = ERR_AUDIT_UNAVAILABLE }), OK);
	assert_true(silent());
	/* It asks again after a while, and for the key. */
	fake_clock_advance(1000);
	rig_tick(t.r, clock_mono());
	(void)expect(MSG_INDEX_ASK);
	/* A key for another ask is none. */
	give_key(t.class_key, rig_ask_id(t.r) + 1);
	assert_true(silent());
}

static void
what_is_not_ordinary_or_does_not_authenticate_is_not_found_and_hinders_nothing(void **state)
{
	struct key *right = t.class_key;
	uint8_t got[8];

	(void)state;
	assert_int_equal(key_random(&t.class_key), OK);
	put_memory(0x21, 0x31, "walrus under another key", CLASS_ORDINARY);
	key_free(&t.class_key);
	t.class_key = right;
	put_memory(0x22, 0x32, "a walrus", CLASS_ORDINARY);
	build();
	ask("walrus", 7);
	assert_int_equal(found(got), 1);
	assert_int_equal(got[0], 0x22);
}

static void
a_private_item_in_a_page_is_our_own_fault_and_takes_the_page_with_it(void **state)
{
	(void)state;
	tell_scope(true);
	(void)expect(MSG_INDEX_PAGE_WANTED);
	give_page(NULL);
	(void)expect(MSG_INDEX_ASK);
	give_key(t.class_key, rig_ask_id(t.r));
	(void)expect(MSG_INDEX_PAGE_WANTED);
	put_memory(0x21, 0x31, "walrus", CLASS_PRIVATE);
	{
		struct index_page_body b = { .n_items = t.n_items, .items = wire_written(&t.out) };

		assert_int_equal(rig_deliver(t.r, MSG_INDEX_PAGE, ACTOR_VAULT, rig_ask_id(t.r), &b), ERR_PROTOCOL);
	}
	t.n_items = 0;
}

static void
a_query_waits_for_a_change_that_came_before_it(void **state)
{
	struct asset_changed_body changed = { .vault = t.vault, .asset = id(0x21) };
	uint8_t got[8];

	(void)state;
	put_memory(0x21, 0x31, "one walrus", CLASS_ORDINARY);
	build();
	assert_int_equal(rig_deliver(t.r, MSG_ASSET_CHANGED, ACTOR_VAULT, 0, &changed), OK);
	assert_true(expect(MSG_INDEX_PAGE_WANTED)->index_page_wanted.only);
	{
		uint64_t page = rig_ask_id(t.r);

		ask("walrus", 7);
		assert_true(silent());
		/* The asset is not there any more. */
		assert_int_equal(rig_deliver(t.r, MSG_INDEX_PAGE, ACTOR_VAULT, page, &(struct index_page_body){ .error = OK }), OK);
	}
	assert_int_equal(found(got), 0);
	assert_true(silent());
}

static void
a_query_that_waited_long_enough_is_warming(void **state)
{
	(void)state;
	tell_scope(true);
	(void)expect(MSG_INDEX_PAGE_WANTED);
	ask("walrus", 7);
	assert_true(silent());
	fake_clock_advance(400);
	rig_tick(t.r, clock_mono());
	assert_int_equal(refused(), ERR_SEARCH_WARMING);
}

static void
a_lock_wipes_and_says_so_and_the_next_query_is_refused(void **state)
{
	struct search *s = rig_self(t.r);
	struct search_stats stats;

	(void)state;
	put_memory(0x21, 0x31, "one walrus", CLASS_ORDINARY);
	build();
	assert_int_equal(rig_deliver(t.r, MSG_INDEX_DROP, ACTOR_GRANTS, 90, &(struct nothing_body){ 0 }), OK);
	(void)expect(MSG_INDEX_DROPPED);
	assert_int_equal(rig_ask_id(t.r), 90);
	search_index_stats(s->index, &stats);
	assert_int_equal(stats.n_documents, 0);
	assert_int_equal(s->n_vaults, 0);
	ask("walrus", 7);
	assert_int_equal(refused(), ERR_LOCKED);
}

static void
whoever_could_say_that_it_is_locked_is_not_done_without(void **state)
{
	static const enum actor lost[] = { ACTOR_GRANTS, ACTOR_KEYRING };
	struct search *s = rig_self(t.r);
	struct search_stats stats;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		put_memory(0x21, 0x31, "one walrus", CLASS_ORDINARY);
		build();
		rig_edge(t.r, lost[i], false);
		search_index_stats(s->index, &stats);
		assert_int_equal(stats.n_documents, 0);
		assert_false(s->unlocked);
		rig_edge(t.r, lost[i], true);
		assert_int_equal(rig_deliver(t.r, MSG_SEARCH_BOOT, ACTOR_KEYRING, 0, &(struct one_id_body){ .id = t.boot }), OK);
		assert_true(silent());
	}
}

static void
a_vault_that_was_removed_is_forgotten_with_its_key(void **state)
{
	struct asset_changed_body changed = { .vault = t.vault };
	struct search *s = rig_self(t.r);
	struct search_stats stats;

	(void)state;
	put_memory(0x21, 0x31, "one walrus", CLASS_ORDINARY);
	build();
	assert_int_equal(rig_deliver(t.r, MSG_ASSET_CHANGED, ACTOR_VAULT, 0, &changed), OK);
	(void)expect(MSG_INDEX_PAGE_WANTED);
	assert_int_equal(rig_deliver(t.r, MSG_INDEX_PAGE, ACTOR_VAULT, rig_ask_id(t.r),
	    &(struct index_page_body){ .error = ERR_VAULT_NOT_ACTIVE }), OK);
	assert_null(s->vaults[0].key);
	search_index_stats(s->index, &stats);
	assert_int_equal(stats.n_documents, 0);
	ask("walrus", 7);
	assert_int_equal(refused(), ERR_VAULT_NOT_ACTIVE);
}

/* Nobody answers: after its time, and a pause, it is asked for again. */
static void
let_it_time_out(void)
{
	assert_true(silent());
	fake_clock_advance(5000);
	rig_tick(t.r, clock_mono());
	assert_true(silent());
	fake_clock_advance(1000);
	rig_tick(t.r, clock_mono());
}

static void
a_change_that_nobody_answered_for_is_asked_for_again(void **state)
{
	struct asset_changed_body changed = { .vault = t.vault, .asset = id(0x21) };
	const struct index_page_wanted_body *page;
	uint8_t got[8];

	(void)state;
	put_memory(0x21, 0x31, "one walrus", CLASS_ORDINARY);
	build();
	assert_int_equal(rig_deliver(t.r, MSG_ASSET_CHANGED, ACTOR_VAULT, 0, &changed), OK);
	(void)expect(MSG_INDEX_PAGE_WANTED);
	let_it_time_out();
	page = &expect(MSG_INDEX_PAGE_WANTED)->index_page_wanted;
	assert_true(page->only);
	assert_memory_equal(page->asset.b, changed.asset.b, UUID_LEN);
	give_page(NULL);
	ask("walrus", 7);
	assert_int_equal(found(got), 0);
}

/* It is not found, and hinders no query. */
static void
a_changed_asset_that_cannot_be_read_is_not_asked_for_for_ever(void **state)
{
	struct asset_changed_body changed = { .vault = t.vault, .asset = id(0x21) };
	uint8_t got[8];

	(void)state;
	put_memory(0x21, 0x31, "one walrus", CLASS_ORDINARY);
	build();
	assert_int_equal(rig_deliver(t.r, MSG_ASSET_CHANGED, ACTOR_VAULT, 0, &changed), OK);
	(void)expect(MSG_INDEX_PAGE_WANTED);
	assert_int_equal(rig_deliver(t.r, MSG_INDEX_PAGE, ACTOR_VAULT, rig_ask_id(t.r),
	    &(struct index_page_body){ .error = ERR_STORAGE_CORRUPT }), OK);
	ask("walrus", 7);
	assert_int_equal(found(got), 0);
	assert_true(silent());
}

/* A head comes, and none of its chunks: the text from before is not what the asset says now. */
static void
a_changed_asset_whose_chunks_are_missing_is_not_found(void **state)
{
	struct asset_changed_body changed = { .vault = t.vault, .asset = id(0x21) };
	struct revision_row row = { .vault = t.vault, .asset = id(0x21), .revision = id(0x32), .kind = KIND_MEMORY,
		.key_class = CLASS_ORDINARY, .bytes = 7 };
	uint8_t head[8], got[8];
	struct wire_out o = wire_out(head, sizeof head);

	(void)state;
	put_memory(0x21, 0x31, "one walrus", CLASS_ORDINARY);
	build();
	assert_int_equal(rig_deliver(t.r, MSG_ASSET_CHANGED, ACTOR_VAULT, 0, &changed), OK);
	(void)expect(MSG_INDEX_PAGE_WANTED);
	t.out = wire_out(t.items, sizeof t.items);
	wire_put_u64(&o, row.bytes);
	put_piece(&row, PART_HEAD, wire_written(&o));
	give_page(NULL);
	ask("walrus", 7);
	assert_int_equal(found(got), 0);
}

static void
a_long_revision_whose_rest_nobody_sent_is_begun_again(void **state)
{
	static const uint8_t first[CHUNK_LEN];
	struct revision_row row = { .vault = t.vault, .asset = id(0x21), .revision = id(0x31), .kind = KIND_MEMORY,
		.key_class = CLASS_ORDINARY, .bytes = CHUNK_LEN + 1 };
	struct index_page_body more = { .more = 1, .next_asset = row.asset, .next_revision = row.revision, .next_chunk = 1 };
	const struct index_page_wanted_body *page;
	uint8_t head[8];
	struct wire_out o = wire_out(head, sizeof head);

	(void)state;
	build();
	t.out = wire_out(t.items, sizeof t.items);
	wire_put_u64(&o, row.bytes);
	put_piece(&row, PART_HEAD, wire_written(&o));
	put_piece(&row, PART_CONTENT, (struct span){ first, sizeof first });
	search_build_anew(rig_self(t.r));
	rig_tick(t.r, clock_mono());
	(void)expect(MSG_INDEX_PAGE_WANTED);
	give_page(&more);
	assert_int_equal(expect(MSG_INDEX_PAGE_WANTED)->index_page_wanted.first_chunk, 1);
	let_it_time_out();
	page = &expect(MSG_INDEX_PAGE_WANTED)->index_page_wanted;
	assert_int_equal(page->first_chunk, 0);
	assert_true(uuid_is_zero(page->revision));
	assert_memory_equal(page->asset.b, row.asset.b, UUID_LEN);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_vault_is_looked_for_then_its_key_is_asked_for_then_its_pages),
		TEST(without_a_record_no_page_is_asked_for),
		TEST(what_is_not_ordinary_or_does_not_authenticate_is_not_found_and_hinders_nothing),
		TEST(a_private_item_in_a_page_is_our_own_fault_and_takes_the_page_with_it),
		TEST(a_query_waits_for_a_change_that_came_before_it),
		TEST(a_query_that_waited_long_enough_is_warming),
		TEST(a_lock_wipes_and_says_so_and_the_next_query_is_refused),
		TEST(whoever_could_say_that_it_is_locked_is_not_done_without),
		TEST(a_vault_that_was_removed_is_forgotten_with_its_key),
		TEST(a_change_that_nobody_answered_for_is_asked_for_again),
		TEST(a_changed_asset_that_cannot_be_read_is_not_asked_for_for_ever),
		TEST(a_changed_asset_whose_chunks_are_missing_is_not_found),
		TEST(a_long_revision_whose_rest_nobody_sent_is_begun_again),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
