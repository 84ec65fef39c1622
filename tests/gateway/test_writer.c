/* The writer: what it sends is sealed under the keys of the revision that was named to it. */
#include "tests/gateway/gate_rig.h"

#include "gateway/writer.h"

static uint8_t content[2 * 65536 + 10];

static struct uuid
written_revision(void)
{
	return gate_id(0x32);
}

/* Opens a piece as a reader would. */
static enum err
open_piece(enum part part, uint32_t index, bool last, struct span row, struct uuid asset, struct span sealed, uint8_t *plain)
{
	struct key *revision = NULL, *chunk = NULL;
	uint8_t buf[PIECE_BINDING_MAX];
	enum err e;

	assert_int_equal(key_new(&revision), OK);
	assert_int_equal(key_new(&chunk), OK);
	revision_key(gate.class_key, asset, written_revision(), revision);
	chunk_key(revision, part, index, chunk);
	e = seal_open(chunk->b, piece_binding(part, asset, written_revision(), index, last, row, buf), sealed, plain);
	key_free(&revision);
	key_free(&chunk);
	return e;
}

static void
write_all(struct client *c, size_t len, size_t piece)
{
	struct writer *w = NULL;
	struct uuid asset, revision;

	for (size_t i = 0; i < sizeof content; i++)
		content[i] = (uint8_t)(i * 7 >> 2);
	assert_int_equal(writer_open(c, &(struct writer_want){ .vault = gate.vault, .kind = KIND_FILE }, &w), OK);
	for (size_t at = 0; at < len; at += piece)
		assert_int_equal(writer_add(w, content + at, len - at < piece ? len - at : piece), OK);
	assert_int_equal(writer_publish(w, (struct span){ (const uint8_t *)"title", 5 }, (struct span){ (const uint8_t *)"{}", 2 },
	    &asset, &revision), OK);
	assert_true(uuid_equal(revision, written_revision()));
	assert_true(uuid_equal(asset, gate_id(0x22)));
	writer_close(&w);
	assert_null(w);
}

static void
expect_content(size_t len)
{
	static uint8_t plain[CHUNK_LEN];
	uint32_t n = revision_n_chunks(len);

	assert_int_equal(gate.n_chunks, n);
	for (uint32_t i = 0; i < n; i++) {
		size_t part = len - (size_t)i * CHUNK_LEN < CHUNK_LEN ? len - (size_t)i * CHUNK_LEN : CHUNK_LEN;
		struct span sealed = { gate.chunks[i].sealed, gate.chunks[i].len };

		assert_int_equal(gate.chunks[i].index, i);
		assert_int_equal(sealed.len, part + SEAL_OVERHEAD);
		assert_int_equal(open_piece(PART_CONTENT, i, i + 1 < n, (struct span){ NULL, 0 }, gate_id(0x22), sealed, plain),
		    ERR_STORAGE_CORRUPT);
		assert_int_equal(open_piece(PART_CONTENT, i, i + 1 == n, (struct span){ NULL, 0 }, gate_id(0x22), sealed, plain), OK);
		assert_memory_equal(plain, content + (size_t)i * CHUNK_LEN, part);
	}
}

static void
content_of_any_length_in_any_pieces_is_cut_sealed_and_ended(void **state)
{
	static const size_t lengths[] = { 0, 1, 65535, 65536, 65537, 131072, sizeof content };
	static const size_t pieces[] = { 1 << 20, 65536, 4096, 65537, 30000 };
	struct client *c = gate_client();

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		pthread_mutex_lock(&gate.lock);
		gate.n_chunks = 0;
		pthread_mutex_unlock(&gate.lock);
		write_all(c, lengths[i], pieces[i % 5]);
		if (lengths[i] > 0)
			expect_content(lengths[i]);
		assert_int_equal(gate.published.bytes, lengths[i]);
	}
	client_close(&c);
}

static void
head_title_and_meta_are_bound_to_the_row(void **state)
{
	struct client *c = gate_client();
	uint8_t plain[100];
	struct span row, no_row = { NULL, 0 };
	struct wire_in in;

	(void)state;
	write_all(c, 100, 100);
	row = (struct span){ gate.row, gate.row_len };
	assert_true(uuid_equal(gate.published.vault, gate.vault));
	assert_int_equal(gate.published.kind, KIND_FILE);
	assert_int_equal(gate.published.key_class, CLASS_FILE);
	assert_int_equal(open_piece(PART_HEAD, 0, false, no_row, gate_id(0x22), (struct span){ gate.head, 48 }, plain), ERR_STORAGE_CORRUPT);
	assert_int_equal(open_piece(PART_HEAD, 0, false, row, gate_id(0x22), (struct span){ gate.head, 48 }, plain), OK);
	in = wire_in(plain, 8);
	assert_int_equal(wire_take_u64(&in), 100);
	assert_int_equal(open_piece(PART_TITLE, 0, false, row, gate_id(0x22), (struct span){ gate.title, gate.title_len }, plain), OK);
	assert_memory_equal(plain, "title", 5);
	assert_int_equal(open_piece(PART_META, 0, false, row, gate_id(0x22), (struct span){ gate.meta, gate.meta_len }, plain), OK);
	assert_memory_equal(plain, "{}", 2);
	client_close(&c);
}

static void
content_past_the_limit_of_its_kind_is_refused_and_discarded(void **state)
{
	static const struct { enum kind kind; size_t max; } limits[] = {
		{ KIND_MEMORY, 1 << 20 }, { KIND_CARD, 1 << 20 }, { KIND_CREDENTIAL, 65536 } };
	struct client *c = gate_client();
	uint8_t *bytes = calloc(1, (1 << 20) + 1);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct writer *w = NULL;
		struct uuid asset, revision;

		assert_int_equal(writer_open(c, &(struct writer_want){ .vault = gate.vault, .kind = limits[i].kind }, &w), OK);
		assert_int_equal(writer_add(w, bytes, limits[i].max + 1), ERR_TOO_LARGE);
		assert_int_equal(writer_add(w, bytes, limits[i].max), OK);
		assert_int_equal(writer_add(w, bytes, 1), ERR_TOO_LARGE);
		assert_int_equal(writer_publish(w, (struct span){ bytes, TITLE_LEN_MAX + 1 }, (struct span){ bytes, 1 }, &asset, &revision),
		    ERR_TOO_LARGE);
		writer_close(&w);
		assert_int_equal(gate.n_published, 0);
		assert_int_equal(gate.n_discards, i < 2 ? i + 1 : 2);
	}
	free(bytes);
	client_close(&c);
}

static void
a_writer_that_stored_nothing_discards_nothing(void **state)
{
	struct client *c = gate_client();
	const struct writer_want private_one = { .vault = gate.vault, .kind = KIND_MEMORY, .is_private = true };
	struct writer *w = NULL;
	size_t left = keys_left();

	(void)state;
	assert_int_equal(writer_open(c, &private_one, &w), OK);
	assert_int_equal(gate.ask.is_private, 1);
	assert_int_equal(writer_add(w, "abc", 3), OK);
	writer_close(&w);
	assert_int_equal(gate.n_discards, 0);
	assert_int_equal(gate.n_chunks, 0);
	gate.refuse_with = ERR_LOCKED;
	assert_int_equal(writer_open(c, &private_one, &w), ERR_LOCKED);
	assert_null(w);
	assert_int_equal(keys_left(), left);
	client_close(&c);
}

static void
a_chunk_that_is_refused_publishes_nothing(void **state)
{
	struct client *c = gate_client();
	struct writer *w = NULL;
	struct uuid asset, revision;
	enum err e = OK;

	(void)state;
	gate.fail_chunk = 2;
	assert_int_equal(writer_open(c, &(struct writer_want){ .vault = gate.vault, .asset = gate.asset, .kind = KIND_FILE }, &w), OK);
	for (int i = 0; i < 20 && e == OK; i++)
		e = writer_add(w, content, sizeof content);
	if (e == OK)
		e = writer_publish(w, (struct span){ NULL, 0 }, (struct span){ NULL, 0 }, &asset, &revision);
	assert_int_equal(e, ERR_STORAGE_FULL);
	writer_close(&w);
	assert_int_equal(gate.n_published, 0);
	assert_int_equal(gate.n_discards, 1);
	client_close(&c);
}

static void
a_revision_says_what_it_stands_on_and_what_it_settles(void **state)
{
	struct client *c = gate_client();
	struct writer_want want = { .vault = gate.vault, .asset = gate.asset, .asset_created = { 123 }, .kind = KIND_CARD,
		.mode = PUBLISH_BESIDE, .n_parents = 2, .parents = { gate_id(0x61), gate_id(0x62) }, .proposal = gate_id(0x63) };
	struct writer *w = NULL;
	struct uuid asset, revision;

	(void)state;
	assert_int_equal(writer_open(c, &want, &w), OK);
	assert_int_equal(writer_add(w, "{}", 2), OK);
	assert_int_equal(writer_publish(w, (struct span){ NULL, 0 }, (struct span){ NULL, 0 }, &asset, &revision), OK);
	writer_close(&w);
	assert_true(uuid_equal(asset, gate.asset));
	assert_int_equal(gate.published.asset_created.ms, 123);
	assert_int_equal(gate.published.n_parents, 2);
	assert_memory_equal(gate.published.parents, want.parents, 2 * UUID_LEN);
	assert_int_equal(gate.mode, PUBLISH_BESIDE);
	assert_true(uuid_equal(gate.settled, gate_id(0x63)));
	want.n_parents = REVISION_PARENTS_MAX + 1;
	assert_int_equal(writer_open(c, &want, &w), ERR_INVALID_ARGUMENT);
	client_close(&c);
}

static void
with_a_grants_token_a_proposal_is_filed_and_nothing_published(void **state)
{
	struct client *c = gate_client();
	struct writer_want want = { .vault = gate.vault, .asset = gate.asset, .kind = KIND_MEMORY, .n_parents = 1,
		.parents = { gate_id(0x61) }, .token = gate.class_key };
	struct writer *w = NULL;
	struct uuid asset, proposal;
	uint8_t id[32];

	(void)state;
	assert_int_equal(writer_open(c, &want, &w), OK);
	assert_int_equal(gate.ask.op, OP_PROPOSE);
	assert_int_equal(gate.ask.surface, SURFACE_STDIO);
	assert_int_equal(gate.ask.grant_type, GRANT_ORDINARY);
	token_id(gate.class_key, id);
	assert_memory_equal(gate.ask.token_id, id, 32);
	assert_true(gate.boxed_len > 0);
	assert_int_equal(writer_add(w, "{}", 2), OK);
	assert_int_equal(writer_publish(w, (struct span){ (const uint8_t *)"t", 1 }, (struct span){ NULL, 0 }, &asset, &proposal), OK);
	writer_close(&w);
	assert_true(uuid_equal(proposal, written_revision()));
	assert_int_equal(gate.n_proposed, 1);
	assert_int_equal(gate.n_published, 1);
	assert_true(uuid_equal(gate.published.parents[0], gate_id(0x61)));
	want.token = NULL;
	assert_int_equal(writer_open(c, &want, &w), OK);
	assert_int_equal(gate.ask.op, OP_WRITE_ASSET);
	assert_int_equal(gate.ask.grant_type, 0);
	writer_close(&w);
	client_close(&c);
}

static void
a_tombstone_has_a_head_and_takes_no_content(void **state)
{
	struct client *c = gate_client();
	const struct writer_want want = { .vault = gate.vault, .asset = gate.asset, .kind = KIND_FILE, .deleted = true,
		.n_parents = 1, .parents = { gate_id(0x61) } };
	struct writer *w = NULL;
	struct uuid asset, revision;
	uint8_t plain[8];

	(void)state;
	assert_int_equal(writer_open(c, &want, &w), OK);
	assert_int_equal(writer_add(w, "x", 1), ERR_INVALID_ARGUMENT);
	assert_int_equal(writer_publish(w, (struct span){ NULL, 0 }, (struct span){ NULL, 0 }, &asset, &revision), OK);
	writer_close(&w);
	assert_int_equal(gate.n_chunks, 0);
	assert_true(gate.published.deleted);
	assert_int_equal(gate.mode, PUBLISH_ON_HEADS);
	assert_int_equal(open_piece(PART_HEAD, 0, false, (struct span){ gate.row, gate.row_len }, asset,
	    (struct span){ gate.head, 48 }, plain), OK);
	assert_memory_equal(plain, "\0\0\0\0\0\0\0\0", 8);
	client_close(&c);
}

static void
a_vaults_name_is_sealed_like_a_revision_of_the_vault(void **state)
{
	static const uint8_t name[NAME_LEN_MAX + 1] = "home";
	struct client *c = gate_client();
	struct uuid vault = { { 0 } };
	uint8_t plain[NAME_LEN_MAX];
	size_t left = keys_left();

	(void)state;
	assert_int_equal(writer_make_vault(c, (struct span){ name, 0 }, &vault), ERR_INVALID_ARGUMENT);
	assert_int_equal(writer_make_vault(c, (struct span){ name, sizeof name }, &vault), ERR_INVALID_ARGUMENT);
	assert_int_equal(writer_make_vault(c, (struct span){ name, 4 }, &vault), OK);
	assert_true(uuid_equal(vault, gate.vault));
	assert_int_equal(open_piece(PART_NAME, 0, false, (struct span){ NULL, 0 }, gate.vault,
	    (struct span){ gate.name, gate.name_len }, plain), OK);
	assert_memory_equal(plain, "home", 4);
	assert_int_equal(writer_rename_vault(c, gate.vault, (struct span){ name, 0 }), ERR_INVALID_ARGUMENT);
	assert_int_equal(writer_rename_vault(c, gate.vault, (struct span){ (const uint8_t *)"other", 5 }), OK);
	assert_int_equal(open_piece(PART_NAME, 0, false, (struct span){ NULL, 0 }, gate.vault,
	    (struct span){ gate.name, gate.name_len }, plain), OK);
	assert_memory_equal(plain, "other", 5);
	assert_int_equal(keys_left(), left);
	client_close(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GATE_TEST(content_of_any_length_in_any_pieces_is_cut_sealed_and_ended),
		GATE_TEST(head_title_and_meta_are_bound_to_the_row),
		GATE_TEST(content_past_the_limit_of_its_kind_is_refused_and_discarded),
		GATE_TEST(a_writer_that_stored_nothing_discards_nothing),
		GATE_TEST(a_chunk_that_is_refused_publishes_nothing),
		GATE_TEST(a_revision_says_what_it_stands_on_and_what_it_settles),
		GATE_TEST(with_a_grants_token_a_proposal_is_filed_and_nothing_published),
		GATE_TEST(a_tombstone_has_a_head_and_takes_no_content),
		GATE_TEST(a_vaults_name_is_sealed_like_a_revision_of_the_vault),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
