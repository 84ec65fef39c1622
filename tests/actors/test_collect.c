/* What an ask finds in the vault: the deposit and its refs, and every reason why there is none. */
#include "actors/collect.h"
#include "escrow/deposit.h"
#include "tests/actors/content_rig.h"
#include "tests/support/temp_dir.h"

static struct {
	void              *dir;
	struct vault_db   *db;
	struct collection *c;
} t;

/* The assets of every test, by their last byte. */
enum { MEMORY = 1, SECRET, FILE_OF_3, CONFLICT, DELETED, QUARANTINED, PRIVATE, HALF_QUARANTINED };

static const struct content contents[] = {
	{ .asset = MEMORY, .revision = 1, .kind = KIND_MEMORY, .bytes = 100 },
	{ .asset = MEMORY, .revision = 2, .kind = KIND_MEMORY, .bytes = 120, .parents = { 1 } },
	{ .asset = SECRET, .revision = 3, .kind = KIND_CREDENTIAL, .key_class = CLASS_CREDENTIAL, .bytes = 9 },
	{ .asset = FILE_OF_3, .revision = 4, .kind = KIND_FILE, .key_class = CLASS_FILE, .bytes = 2 * 65536 + 10 },
	{ .asset = CONFLICT, .revision = 5, .kind = KIND_CARD, .bytes = 50 },
	{ .asset = CONFLICT, .revision = 6, .kind = KIND_CARD, .bytes = 51, .parents = { 5 } },
	{ .asset = CONFLICT, .revision = 7, .kind = KIND_CARD, .bytes = 52, .parents = { 5 } },
	{ .asset = DELETED, .revision = 8, .kind = KIND_MEMORY, .bytes = 10 },
	{ .asset = DELETED, .revision = 9, .kind = KIND_MEMORY, .parents = { 8 }, .deleted = true },
	{ .asset = QUARANTINED, .revision = 10, .kind = KIND_MEMORY, .bytes = 10, .quarantined = true },
	{ .asset = PRIVATE, .revision = 11, .kind = KIND_MEMORY, .key_class = CLASS_PRIVATE, .bytes = 0 },
	{ .asset = HALF_QUARANTINED, .revision = 12, .kind = KIND_MEMORY, .bytes = 10 },
	{ .asset = HALF_QUARANTINED, .revision = 13, .kind = KIND_MEMORY, .bytes = 11, .parents = { 12 }, .quarantined = true },
};

static const struct uuid removed_vault = { { 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2 } };

static int
setup(void **state)
{
	(void)state;
	if (temp_dir_setup(&t.dir) != 0 || vault_db_open(((struct temp_dir *)t.dir)->path, &t.db) != OK ||
	    collection_new(&t.c) != OK)
		return -1;
	content_make_vault(t.db, content_vault, true);
	content_make_vault(t.db, removed_vault, false);
	for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
		content_publish(t.db, &contents[i]);
	return vault_db_commit(t.db) != OK;
}

static int
teardown(void **state)
{
	(void)state;
	collection_free(&t.c);
	vault_db_close(&t.db);
	return temp_dir_teardown(&t.dir);
}

static struct ruling_body
asking(enum op op, uint8_t asset, uint8_t revision)
{
	struct ruling_body r = { .ask = { .op = (uint8_t)op, .vault = content_vault, .limit = 100 }, .classes = CLASSES_ALL,
		.sudo = 1 };

	if (asset != 0)
		r.ask.asset = content_id(0x20, asset);
	if (revision != 0)
		r.ask.revision = content_id(0x30, revision);
	return r;
}

static enum err
find(enum op op, uint8_t asset, uint8_t revision)
{
	struct ruling_body r = asking(op, asset, revision);

	return collect(t.db, &r, t.c);
}

static enum err
find_range(uint8_t asset, uint64_t offset, uint32_t limit)
{
	struct ruling_body r = asking(OP_READ, asset, 0);

	r.ask.offset = offset;
	r.ask.limit = limit;
	return collect(t.db, &r, t.c);
}

/* Takes the deposit and the refs side by side: they must name the same, one to one. */
static size_t
take_items(struct item_body *items, size_t max)
{
	struct wire_in deposit = wire_in(t.c->deposit.items.p, t.c->deposit.items.len);
	struct wire_in refs = wire_in(t.c->wanted.refs.p, t.c->wanted.refs.len);
	size_t n = 0;

	assert_int_equal(t.c->deposit.n_items, t.c->wanted.n_refs);
	assert_true(t.c->deposit.n_items <= max);
	for (; n < t.c->deposit.n_items; n++) {
		struct key_ref_body ref;

		item_body_take(&deposit, &items[n]);
		key_ref_body_take(&refs, &ref);
		assert_false(deposit.failed || refs.failed);
		assert_int_equal(ref.key_class, items[n].ref.key_class);
		assert_true(uuid_equal(ref.asset, items[n].ref.asset));
		assert_true(uuid_equal(ref.revision, items[n].ref.revision));
		assert_int_equal(ref.part, items[n].ref.part);
		assert_int_equal(ref.index, items[n].ref.index);
	}
	assert_true(wire_done(&deposit) && wire_done(&refs));
	return n;
}

static void
a_read_brings_the_head_and_the_chunks_that_its_range_touches(void **state)
{
	static const struct {
		uint64_t offset;
		uint32_t limit, n_chunks, first;
		uint64_t length;
	} ranges[] = {
		{ 0, 1, 1, 0, 1 }, { 0, 65536, 1, 0, 65536 }, { 1, 65536, 2, 0, 65536 }, { 65535, 1, 1, 0, 1 }, { 65535, 2, 2, 0, 2 },
		{ 65536, 65536, 1, 1, 65536 }, { 65537, 65536, 2, 1, 65536 }, { 131072, 65536, 1, 2, 10 }, { 131000, 65536, 2, 1, 82 },
		{ 131081, 5, 1, 2, 1 }, { 131082, 65536, 0, 0, 0 },
	};
	struct item_body items[4];

	(void)state;
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		assert_int_equal(find_range(FILE_OF_3, ranges[i].offset, ranges[i].limit), OK);
		assert_int_equal(take_items(items, 4), 1 + ranges[i].n_chunks);
		assert_int_equal(t.c->wanted.length, ranges[i].length);
		assert_true(uuid_equal(t.c->wanted.revision, content_id(0x30, 4)));
		assert_int_equal(items[0].ref.part, PART_HEAD);
		assert_int_equal(items[0].flags, ITEM_HEAD);
		assert_int_equal(items[0].sealed.len, 48);
		assert_true(items[0].row.len > 0);
		for (uint32_t k = 0; k < ranges[i].n_chunks; k++) {
			const struct item_body *chunk = &items[1 + k];

			assert_int_equal(chunk->ref.part, PART_CONTENT);
			assert_int_equal(chunk->ref.index, ranges[i].first + k);
			assert_int_equal(chunk->ref.key_class, CLASS_FILE);
			assert_int_equal(chunk->row.len, 0);
			assert_int_equal(chunk->sealed.len, 200);
			assert_int_equal(chunk->sealed.p[0], 4 + ranges[i].first + k);
		}
	}
}

static void
an_offset_past_the_end_is_refused_and_at_the_end_brings_no_chunk(void **state)
{
	struct item_body items[2];

	(void)state;
	assert_int_equal(find_range(MEMORY, 121, 1), ERR_OFFSET_OUT_OF_RANGE);
	assert_int_equal(find_range(MEMORY, UINT64_MAX, 65536), ERR_OFFSET_OUT_OF_RANGE);
	assert_int_equal(find_range(MEMORY, 120, 65536), OK);
	assert_int_equal(take_items(items, 2), 1);
	assert_int_equal(find_range(PRIVATE, 0, 1), OK);
	assert_int_equal(take_items(items, 2), 1);
	assert_int_equal(find_range(PRIVATE, 1, 1), ERR_OFFSET_OUT_OF_RANGE);
}

static void
without_a_name_the_head_is_read_and_with_one_any_revision(void **state)
{
	(void)state;
	assert_int_equal(find(OP_READ, MEMORY, 0), OK);
	assert_true(uuid_equal(t.c->wanted.revision, content_id(0x30, 2)));
	assert_int_equal(find(OP_READ, MEMORY, 1), OK);
	assert_true(uuid_equal(t.c->wanted.revision, content_id(0x30, 1)));
	assert_int_equal(find(OP_READ, MEMORY, 3), ERR_REVISION_MISMATCH);
	assert_int_equal(find(OP_READ, MEMORY, 99), ERR_NOT_FOUND);
	assert_int_equal(find(OP_READ, 99, 0), ERR_NOT_FOUND);
}

static void
a_conflict_lists_its_heads_and_each_can_be_read_by_name(void **state)
{
	char text[2][UUID_TEXT_LEN + 1], both[2 * UUID_TEXT_LEN + 2];

	(void)state;
	assert_int_equal(find(OP_READ, CONFLICT, 0), ERR_REVISION_REQUIRED);
	uuid_text(content_id(0x30, 6), text[0]);
	uuid_text(content_id(0x30, 7), text[1]);
	memcpy(both, text[0], UUID_TEXT_LEN);
	both[UUID_TEXT_LEN] = ' ';
	memcpy(both + UUID_TEXT_LEN + 1, text[1], sizeof text[1]);
	assert_string_equal(t.c->detail, both);
	for (uint8_t r = 5; r <= 7; r++)
		assert_int_equal(find(OP_READ, CONFLICT, r), OK);
	assert_string_equal(t.c->detail, "");
}

static void
a_deleted_asset_is_read_by_name_alone_and_its_tombstone_is_empty(void **state)
{
	struct item_body items[3];

	(void)state;
	assert_int_equal(find(OP_READ, DELETED, 0), ERR_ASSET_DELETED);
	assert_int_equal(find(OP_READ, DELETED, 8), OK);
	assert_int_equal(take_items(items, 3), 2);
	assert_int_equal(find(OP_READ, DELETED, 9), OK);
	assert_int_equal(take_items(items, 3), 1);
	assert_int_equal(t.c->wanted.length, 0);
}

static void
a_quarantined_revision_is_never_read(void **state)
{
	static const enum op ops[] = { OP_READ, OP_DETAILS };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(find(ops[i], QUARANTINED, 0), ERR_QUARANTINED);
		assert_int_equal(find(ops[i], QUARANTINED, 10), ERR_QUARANTINED);
		assert_int_equal(find(ops[i], HALF_QUARANTINED, 13), ERR_QUARANTINED);
		assert_int_equal(find(ops[i], HALF_QUARANTINED, 0), OK);
		assert_true(uuid_equal(t.c->wanted.revision, content_id(0x30, 12)));
	}
}

static void
credentials_and_the_rest_have_their_own_reads(void **state)
{
	(void)state;
	assert_int_equal(find(OP_READ, SECRET, 0), ERR_WRONG_KIND);
	assert_int_equal(find(OP_CREDENTIAL_BYTES, SECRET, 0), OK);
	assert_int_equal(find(OP_CREDENTIAL_BYTES, MEMORY, 0), ERR_WRONG_KIND);
	assert_int_equal(find(OP_CREDENTIAL_BYTES, FILE_OF_3, 0), ERR_WRONG_KIND);
	assert_int_equal(find(OP_CREDENTIAL_BYTES, PRIVATE, 0), ERR_WRONG_KIND);
}

static void
a_removed_or_unknown_vault_answers_nothing(void **state)
{
	static const enum op ops[] = { OP_LIST, OP_HISTORY, OP_READ, OP_CREDENTIAL_BYTES, OP_DETAILS, OP_WRITE_ASSET };

	(void)state;
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		struct ruling_body r = asking(ops[i], MEMORY, 0);

		r.ask.vault = removed_vault;
		assert_int_equal(collect(t.db, &r, t.c), ERR_VAULT_NOT_ACTIVE);
		r.ask.vault = content_id(0x10, 9);
		assert_int_equal(collect(t.db, &r, t.c), ERR_NOT_FOUND);
	}
}

static void
a_list_has_titles_of_live_assets_with_their_heads(void **state)
{
	static const uint8_t live[] = { MEMORY, SECRET, FILE_OF_3, CONFLICT, PRIVATE, HALF_QUARANTINED };
	static const uint8_t classes[] = { CLASS_ORDINARY, CLASS_CREDENTIAL, CLASS_FILE, CLASS_ORDINARY, CLASS_PRIVATE, CLASS_ORDINARY };
	struct item_body items[10];
	size_t n;

	(void)state;
	assert_int_equal(find(OP_LIST, 0, 0), OK);
	n = take_items(items, 10);
	assert_int_equal(n, sizeof live);
	assert_int_equal(t.c->wanted.length, n);
	assert_true(uuid_is_zero(t.c->wanted.revision));
	assert_int_equal(t.c->deposit.more, 0);
	for (size_t i = 0; i < n; i++) {
		assert_true(uuid_equal(items[i].ref.asset, content_id(0x20, live[i])));
		assert_int_equal(items[i].ref.part, PART_TITLE);
		assert_int_equal(items[i].ref.key_class, classes[i]);
		assert_int_equal(items[i].sealed.len, 80);
		assert_int_equal(items[i].heads.len, UUID_LEN * (live[i] == CONFLICT ? 2 : 1));
		assert_memory_equal(items[i].heads.p, items[i].ref.revision.b, UUID_LEN);
	}
}

/* By a ruling that reaches these classes. */
static enum err
find_as(unsigned classes, enum grant_type type, enum op op, uint8_t asset, uint8_t revision)
{
	struct ruling_body r = asking(op, asset, revision);

	r.classes = (uint8_t)classes;
	r.grant_type = (uint8_t)type;
	r.grant = content_id(0x41, 1);
	return collect(t.db, &r, t.c);
}

static void
what_a_ruling_does_not_reach_was_never_there(void **state)
{
	static const struct { uint8_t asset, revision; enum op op; } outside[] = { { SECRET, 3, OP_CREDENTIAL_BYTES },
		{ SECRET, 3, OP_READ }, { FILE_OF_3, 4, OP_READ }, { PRIVATE, 11, OP_READ }, { PRIVATE, 11, OP_HISTORY } };
	const unsigned ordinary = 1u << CLASS_ORDINARY;
	struct item_body items[10];

	(void)state;
	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
		assert_int_equal(find_as(ordinary, GRANT_UNATTENDED, outside[i].op, outside[i].asset, 0), ERR_NOT_FOUND);
		assert_string_equal(t.c->detail, "");
		if (outside[i].op != OP_HISTORY)
			assert_int_equal(find_as(ordinary, GRANT_UNATTENDED, outside[i].op, outside[i].asset, outside[i].revision), ERR_NOT_FOUND);
		assert_int_equal(find_as(ordinary, GRANT_UNATTENDED, OP_READ, MEMORY, outside[i].revision), ERR_NOT_FOUND);
		assert_int_equal(find_as(CLASSES_ALL, GRANT_UNATTENDED, outside[i].op, outside[i].asset, 0),
		    outside[i].asset == SECRET && outside[i].op == OP_READ ? ERR_WRONG_KIND : OK);
	}
	assert_int_equal(find_as(ordinary, GRANT_UNATTENDED, OP_LIST, 0, 0), OK);
	assert_int_equal(take_items(items, 10), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(items[i].ref.key_class, CLASS_ORDINARY);
	assert_int_equal(find_as(1u << CLASS_CREDENTIAL, GRANT_UNATTENDED, OP_LIST, 0, 0), OK);
	assert_int_equal(take_items(items, 10), 1);
	assert_int_equal(find_as(1u << CLASS_FILE, GRANT_UNATTENDED, OP_READ, MEMORY, 0), ERR_NOT_FOUND);
}

static void
an_ordinary_grant_has_heads_and_no_past(void **state)
{
	const unsigned ordinary = 1u << CLASS_ORDINARY;

	(void)state;
	assert_int_equal(find_as(ordinary, GRANT_ORDINARY, OP_READ, MEMORY, 0), OK);
	assert_int_equal(find_as(ordinary, GRANT_ORDINARY, OP_READ, MEMORY, 2), OK);
	assert_int_equal(find_as(ordinary, GRANT_ORDINARY, OP_READ, MEMORY, 1), ERR_NOT_FOUND);
	assert_int_equal(find_as(ordinary, GRANT_UNATTENDED, OP_READ, MEMORY, 1), OK);
	assert_int_equal(find_as(ordinary, GRANT_ORDINARY, OP_READ, MEMORY, 6), ERR_NOT_FOUND);
	assert_int_equal(find_as(ordinary, GRANT_ORDINARY, OP_READ, CONFLICT, 0), ERR_REVISION_REQUIRED);
	assert_int_equal(find_as(ordinary, GRANT_ORDINARY, OP_READ, CONFLICT, 7), OK);
	assert_int_equal(find_as(ordinary, GRANT_ORDINARY, OP_READ, CONFLICT, 5), ERR_NOT_FOUND);
	assert_int_equal(find_as(ordinary, GRANT_ORDINARY, OP_READ, DELETED, 8), ERR_NOT_FOUND);
}

static void
a_list_of_details_has_a_meta_behind_each_title(void **state)
{
	struct item_body items[12];
	struct ruling_body r = asking(OP_LIST_DETAILS, 0, 0);

	(void)state;
	r.ask.limit = 32;
	assert_int_equal(collect(t.db, &r, t.c), OK);
	assert_int_equal(take_items(items, 12), 12);
	assert_int_equal(t.c->wanted.length, 6);
	for (size_t i = 0; i < 12; i++) {
		assert_int_equal(items[i].ref.part, i % 2 == 0 ? PART_TITLE : PART_META);
		assert_true(uuid_equal(items[i].ref.revision, items[i & ~(size_t)1].ref.revision));
		assert_int_equal(items[i].sealed.len, i % 2 == 0 ? 80 : 100);
		assert_int_equal(items[i].heads.len > 0, i % 2 == 0);
	}
}

/* An edit of MEMORY by the grant 1, under the id 20, and an addition by the grant 2, 21. */
static void
propose_two(void)
{
	static const uint8_t head[48], title[70], meta[90];
	uint8_t chunk[200];
	struct proposal p = { .row = { .vault = content_vault, .kind = KIND_MEMORY, .bytes = 30, .created = { 5 } },
		.sealed_head = { head, sizeof head }, .sealed_title = { title, sizeof title }, .sealed_meta = { meta, sizeof meta } };

	for (uint8_t i = 0; i < 2; i++) {
		p.grant = content_id(0x41, (uint8_t)(i + 1));
		p.row.revision = content_id(0x30, (uint8_t)(20 + i));
		p.row.asset = content_id(0x20, i == 0 ? MEMORY : 50);
		p.row.n_parents = i == 0;
		p.row.parents[0] = content_id(0x30, 2);
		assert_int_equal(vault_db_stage_chunk(t.db, p.row.revision, 0, content_sealed(chunk, 20, sizeof chunk)), OK);
		assert_int_equal(vault_db_put_proposal(t.db, &p), OK);
	}
	assert_int_equal(vault_db_commit(t.db), OK);
}

static void
proposals_are_listed_with_their_grants_and_read_like_content(void **state)
{
	struct ruling_body r = asking(OP_PROPOSAL_LIST, 0, 0);
	struct item_body items[12];
	struct wire_in row;
	struct revision_row first;

	(void)state;
	propose_two();
	r.ask.limit = 32;
	assert_int_equal(collect(t.db, &r, t.c), OK);
	assert_int_equal(take_items(items, 12), 4);
	assert_int_equal(t.c->wanted.length, 2);
	row = wire_in(items[0].row.p, items[0].row.len);
	revision_row_take(&row, &first);
	assert_true(uuid_equal(first.parents[0], content_id(0x30, 2)));
	assert_int_equal(items[0].heads.len, UUID_LEN);
	assert_memory_equal(items[0].heads.p, content_id(0x41, 1).b, UUID_LEN);
	assert_int_equal(items[1].ref.part, PART_META);
	assert_int_equal(items[0].flags, 0);
	assert_memory_equal(items[2].heads.p, content_id(0x41, 2).b, UUID_LEN);
	r.ask.vault = removed_vault;
	assert_int_equal(collect(t.db, &r, t.c), ERR_VAULT_NOT_ACTIVE);
	assert_int_equal(find(OP_PROPOSAL_READ, MEMORY, 20), OK);
	assert_int_equal(take_items(items, 12), 2);
	assert_int_equal(items[0].ref.part, PART_HEAD);
	assert_int_equal(items[1].sealed.p[0], 20);
	assert_int_equal(t.c->wanted.length, 30);
	assert_int_equal(find(OP_PROPOSAL_READ, MEMORY, 21), ERR_REVISION_MISMATCH);
	assert_int_equal(find(OP_PROPOSAL_READ, MEMORY, 2), ERR_NOT_FOUND);
	assert_int_equal(find(OP_READ, MEMORY, 20), ERR_NOT_FOUND);
	assert_int_equal(find(OP_DETAILS, MEMORY, 20), ERR_NOT_FOUND);
}

static enum err
may_propose(uint8_t asset, enum kind kind, bool is_private)
{
	struct ruling_body r = asking(OP_PROPOSE, asset, 0);

	r.ask.kind = (uint8_t)kind;
	r.ask.is_private = is_private;
	r.grant = content_id(0x41, 1);
	r.grant_type = GRANT_ORDINARY;
	return collect(t.db, &r, t.c);
}

static void
a_proposal_is_for_an_ordinary_asset_or_a_new_one(void **state)
{
	struct item_body items[1];

	(void)state;
	assert_int_equal(may_propose(0, KIND_MEMORY, false), OK);
	assert_int_equal(take_items(items, 1), 0);
	assert_int_equal(may_propose(MEMORY, KIND_MEMORY, false), OK);
	assert_int_equal(may_propose(MEMORY, KIND_CARD, false), ERR_WRONG_KIND);
	assert_int_equal(may_propose(MEMORY, KIND_MEMORY, true), ERR_INVALID_ARGUMENT);
	assert_int_equal(may_propose(0, KIND_FILE, false), ERR_INVALID_ARGUMENT);
	assert_int_equal(may_propose(0, KIND_CREDENTIAL, false), ERR_INVALID_ARGUMENT);
	/* Though the ruling reaches them. */
	assert_int_equal(may_propose(PRIVATE, KIND_MEMORY, false), ERR_NOT_FOUND);
	assert_int_equal(may_propose(SECRET, KIND_MEMORY, false), ERR_NOT_FOUND);
	assert_int_equal(may_propose(99, KIND_MEMORY, false), ERR_NOT_FOUND);
	assert_int_equal(may_propose(DELETED, KIND_MEMORY, false), ERR_ASSET_DELETED);
}

static void
without_sudo_a_credential_shows_its_title_in_lists_and_nothing_else(void **state)
{
	struct ruling_body r = asking(OP_LIST_DETAILS, 0, 0);
	struct item_body items[12];
	size_t n;

	(void)state;
	r.ask.limit = 32;
	r.sudo = 0;
	assert_int_equal(collect(t.db, &r, t.c), OK);
	assert_int_equal(n = take_items(items, 12), 11);
	assert_int_equal(t.c->wanted.length, 6);
	for (size_t i = 0; i < n; i++)
		if (items[i].ref.key_class == CLASS_CREDENTIAL)
			assert_int_equal(items[i].ref.part, PART_TITLE);
	r = asking(OP_DETAILS, SECRET, 0);
	r.sudo = 0;
	assert_int_equal(collect(t.db, &r, t.c), ERR_SUDO_REQUIRED);
	r = asking(OP_DETAILS, MEMORY, 0);
	r.sudo = 0;
	assert_int_equal(collect(t.db, &r, t.c), OK);
}

static void
pages_are_cut_at_their_limit_and_say_that_more_follows(void **state)
{
	static const enum op ops[] = { OP_LIST, OP_HISTORY };
	struct item_body items[3];
	struct ruling_body r;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		r = asking(ops[i], CONFLICT, 0);
		r.ask.limit = 2;
		assert_int_equal(collect(t.db, &r, t.c), OK);
		assert_int_equal(take_items(items, 3), 2);
		assert_int_equal(t.c->deposit.more, 1);
		r.ask.offset = 1000;
		assert_int_equal(collect(t.db, &r, t.c), OK);
		assert_int_equal(take_items(items, 3), 0);
		assert_int_equal(t.c->deposit.more, 0);
	}
}

static void
a_history_has_every_revision_with_what_it_is(void **state)
{
	struct item_body items[4];

	(void)state;
	assert_int_equal(find(OP_HISTORY, HALF_QUARANTINED, 0), OK);
	assert_int_equal(take_items(items, 4), 2);
	assert_int_equal(items[0].flags, ITEM_HEAD);
	assert_int_equal(items[1].flags, ITEM_QUARANTINED);
	assert_int_equal(find(OP_HISTORY, DELETED, 0), OK);
	assert_int_equal(take_items(items, 4), 2);
	assert_int_equal(items[0].flags, 0);
	assert_int_equal(items[1].flags, ITEM_HEAD);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(items[i].ref.part, PART_HEAD);
	assert_int_equal(find(OP_HISTORY, 99, 0), ERR_NOT_FOUND);
}

static void
the_vaults_come_with_their_sealed_names_removed_ones_too(void **state)
{
	struct item_body items[3];
	struct wire_in row;

	(void)state;
	assert_int_equal(find(OP_VAULT_LIST, 0, 0), OK);
	assert_int_equal(take_items(items, 3), 2);
	assert_true(uuid_equal(items[0].ref.asset, content_vault));
	assert_int_equal(items[0].ref.part, PART_NAME);
	assert_int_equal(items[0].flags, 0);
	assert_int_equal(items[0].sealed.len, 60);
	row = wire_in(items[0].row.p, items[0].row.len);
	assert_int_equal(wire_take_u64(&row), 6);
	assert_int_equal(items[1].flags, ITEM_INACTIVE);
}

static void
details_are_title_and_meta_of_one_revision(void **state)
{
	struct item_body items[3];

	(void)state;
	assert_int_equal(find(OP_DETAILS, SECRET, 0), OK);
	assert_int_equal(take_items(items, 3), 2);
	assert_int_equal(items[0].ref.part, PART_TITLE);
	assert_int_equal(items[1].ref.part, PART_META);
	assert_int_equal(t.c->wanted.length, 180);
}

static void
a_write_brings_no_pieces_and_keeps_to_its_kind(void **state)
{
	struct ruling_body r = asking(OP_WRITE_ASSET, 0, 0);
	struct item_body items[1];

	(void)state;
	r.ask.limit = 0;
	r.ask.kind = KIND_MEMORY;
	assert_int_equal(collect(t.db, &r, t.c), OK);
	assert_int_equal(take_items(items, 1), 0);
	r.ask.asset = content_id(0x20, MEMORY);
	assert_int_equal(collect(t.db, &r, t.c), OK);
	assert_int_equal(take_items(items, 1), 0);
	r.ask.is_private = 1;
	assert_int_equal(collect(t.db, &r, t.c), ERR_INVALID_ARGUMENT);
	r.ask.kind = KIND_FILE;
	assert_int_equal(collect(t.db, &r, t.c), ERR_WRONG_KIND);
	r.ask.asset = content_id(0x20, 99);
	assert_int_equal(collect(t.db, &r, t.c), ERR_NOT_FOUND);
}

static void
a_name_is_for_a_vault_that_is_new_or_active(void **state)
{
	struct ruling_body r = asking(OP_WRITE_NAME, 0, 0);
	struct item_body items[1];

	(void)state;
	assert_int_equal(collect(t.db, &r, t.c), OK);
	assert_int_equal(take_items(items, 1), 0);
	r.ask.vault = content_id(0x10, 99);
	assert_int_equal(collect(t.db, &r, t.c), OK);
	r.ask.vault = removed_vault;
	assert_int_equal(collect(t.db, &r, t.c), ERR_VAULT_NOT_ACTIVE);
}

static void
limits_outside_their_range_are_refused(void **state)
{
	static const struct { enum op op; uint32_t max; } ops[] = { { OP_LIST, 100 }, { OP_LIST_DETAILS, 32 }, { OP_PROPOSAL_LIST, 32 }, { OP_HISTORY, 100 }, { OP_VAULT_LIST, 100 },
		{ OP_READ, 65536 }, { OP_CREDENTIAL_BYTES, 65536 } };

	(void)state;
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		struct ruling_body r = asking(ops[i].op, ops[i].op == OP_CREDENTIAL_BYTES ? SECRET : MEMORY, 0);

		r.ask.limit = ops[i].max;
		assert_int_equal(collect(t.db, &r, t.c), OK);
		r.ask.limit = 0;
		assert_int_equal(collect(t.db, &r, t.c), ERR_INVALID_ARGUMENT);
		r.ask.limit = ops[i].max + 1;
		assert_int_equal(collect(t.db, &r, t.c), ERR_INVALID_ARGUMENT);
	}
	assert_int_equal(find(OP_NONE, MEMORY, 0), ERR_INVALID_ARGUMENT);
	assert_int_equal(find(OP__COUNT, MEMORY, 0), ERR_INVALID_ARGUMENT);
}

/* Rows with 16 heads, and the longest titles and metas. */
static void
the_widest_page_fits(void **state)
{
	static uint8_t title[SEALED_TITLE_MAX], meta[SEALED_META_MAX], chunk[64], head[48];
	static struct item_body items[100];
	struct new_revision n;
	struct ruling_body r = asking(OP_LIST, 0, 0);

	(void)state;
	content_make_vault(t.db, content_id(0x10, 7), true);
	for (unsigned a = 0; a < 100; a++)
		for (unsigned k = 0; k < 17; k++) {
			n = (struct new_revision){ .row = { .vault = content_id(0x10, 7), .asset = content_id(0x50, (uint8_t)a),
				.revision = content_id((uint8_t)(0x60 + k), (uint8_t)a), .kind = KIND_MEMORY, .bytes = 5 },
				.mode = PUBLISH_BESIDE, .sealed_head = { head, sizeof head }, .sealed_title = { title, sizeof title }, .sealed_meta = { meta, sizeof meta } };
			if (k > 0)
				n.row.parents[n.row.n_parents++] = content_id(0x60, (uint8_t)a);
			assert_int_equal(vault_db_stage_chunk(t.db, n.row.revision, 0, (struct span){ chunk, sizeof chunk }), OK);
			assert_int_equal(vault_db_publish(t.db, &n), OK);
			if (k == 16 && a % 10 == 0)
				assert_int_equal(vault_db_commit(t.db), OK);
		}
	assert_int_equal(vault_db_commit(t.db), OK);
	r.ask.vault = content_id(0x10, 7);
	assert_int_equal(collect(t.db, &r, t.c), OK);
	assert_int_equal(take_items(items, 100), 100);
	assert_int_equal(items[99].heads.len, 16 * UUID_LEN);
	r.ask.op = OP_LIST_DETAILS;
	r.ask.limit = 32;
	assert_int_equal(collect(t.db, &r, t.c), OK);
	assert_int_equal(take_items(items, 100), 64);
	assert_int_equal(items[63].sealed.len, SEALED_META_MAX);
}

#define COLLECT_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		COLLECT_TEST(a_read_brings_the_head_and_the_chunks_that_its_range_touches),
		COLLECT_TEST(an_offset_past_the_end_is_refused_and_at_the_end_brings_no_chunk),
		COLLECT_TEST(without_a_name_the_head_is_read_and_with_one_any_revision),
		COLLECT_TEST(a_conflict_lists_its_heads_and_each_can_be_read_by_name),
		COLLECT_TEST(a_deleted_asset_is_read_by_name_alone_and_its_tombstone_is_empty),
		COLLECT_TEST(a_quarantined_revision_is_never_read),
		COLLECT_TEST(credentials_and_the_rest_have_their_own_reads),
		COLLECT_TEST(a_removed_or_unknown_vault_answers_nothing),
		COLLECT_TEST(a_list_has_titles_of_live_assets_with_their_heads),
		COLLECT_TEST(what_a_ruling_does_not_reach_was_never_there),
		COLLECT_TEST(an_ordinary_grant_has_heads_and_no_past),
		COLLECT_TEST(a_list_of_details_has_a_meta_behind_each_title),
		COLLECT_TEST(without_sudo_a_credential_shows_its_title_in_lists_and_nothing_else),
		COLLECT_TEST(proposals_are_listed_with_their_grants_and_read_like_content),
		COLLECT_TEST(a_proposal_is_for_an_ordinary_asset_or_a_new_one),
		COLLECT_TEST(pages_are_cut_at_their_limit_and_say_that_more_follows),
		COLLECT_TEST(a_history_has_every_revision_with_what_it_is),
		COLLECT_TEST(the_vaults_come_with_their_sealed_names_removed_ones_too),
		COLLECT_TEST(details_are_title_and_meta_of_one_revision),
		COLLECT_TEST(a_write_brings_no_pieces_and_keeps_to_its_kind),
		COLLECT_TEST(a_name_is_for_a_vault_that_is_new_or_active),
		COLLECT_TEST(limits_outside_their_range_are_refused),
		COLLECT_TEST(the_widest_page_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
