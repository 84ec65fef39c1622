#include <sys/stat.h>

#include "store/env.h"
#include "tests/store/vault_rig.h"

#define LONG_CHUNKS 1500 /* over what one group removes */

static const struct uuid asset = { { 0x20, 1 } }, revision = { { 0x70, 1 } };

static void
stage(struct rig *r, struct uuid id, uint32_t n)
{
	enum err e;

	for (uint32_t i = 0; i < n; i++) {
		if ((e = vault_db_stage_chunk(r->db, id, i, rig_sealed((uint8_t)i, SEALED_CHUNK_MAX))) == ERR_BUSY) {
			assert_int_equal(vault_db_commit(r->db), OK);
			e = vault_db_stage_chunk(r->db, id, i, rig_sealed((uint8_t)i, SEALED_CHUNK_MAX));
		}
		assert_int_equal(e, OK);
	}
	assert_int_equal(vault_db_commit(r->db), OK);
}

/* How many records the chunk and staging databases hold; closes and opens without the sweep. */
static size_t
count_left(struct rig *r)
{
	static const char *const names[] = { "staging", "chunk" };
	static const uint8_t zero;
	struct env_row row;
	struct env *e;
	size_t n = 0;
	enum err rc;

	vault_db_close(&r->db);
	assert_int_equal(env_open(rig_path(r), names, 2, &e), OK);
	assert_int_equal(env_look(e), OK);
	for (size_t db = 0; db < 2; db++)
		for (rc = env_seek(e, db, (struct span){ &zero, 1 }, &row); rc == OK; rc = env_next(e, db, &row))
			n++;
	env_close(&e);
	return n;
}

static void
a_staged_chunk_again_replaces_it(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, revision);
	struct span chunk;

	assert_int_equal(vault_db_stage_chunk(r->db, revision, 0, rig_sealed(1, 50)), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_stage_chunk(r->db, revision, 0, rig_sealed(2, 70)), OK);
	assert_int_equal(vault_db_publish(r->db, &n), OK);
	assert_int_equal(vault_db_chunk(r->db, revision, 0, &chunk), OK);
	assert_int_equal(chunk.len, 70);
	assert_int_equal(chunk.p[0], 2);
}

static void
chunks_that_no_file_has_are_refused(void **state)
{
	struct rig *r = *state;

	assert_int_equal(vault_db_stage_chunk(r->db, revision, 0, rig_sealed(1, SEALED_CHUNK_MAX + 1)), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_stage_chunk(r->db, revision, 262144, rig_sealed(1, 50)), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_stage_chunk(r->db, revision, 262143, rig_sealed(1, 50)), OK);
}

static void
a_published_revision_takes_no_more_chunks(void **state)
{
	struct rig *r = *state;

	rig_make_asset(r, asset, revision);
	assert_int_equal(vault_db_stage_chunk(r->db, revision, 0, rig_sealed(1, 50)), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_stage_chunk(r->db, revision, 1, rig_sealed(1, 50)), ERR_INVALID_ARGUMENT);
}

static void
discarding_a_published_revision_does_nothing(void **state)
{
	struct rig *r = *state;
	struct span chunk;

	rig_make_asset(r, asset, revision);
	assert_int_equal(vault_db_discard(r->db, revision), OK);
	assert_int_equal(vault_db_discard(r->db, id_of(0x70, 99)), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_chunk(r->db, revision, 0, &chunk), OK);
}

static void
a_discarded_revision_leaves_nothing(void **state)
{
	struct rig *r = *state;

	stage(r, revision, 3);
	assert_int_equal(vault_db_discard(r->db, revision), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(count_left(r), 0);
}

static void
a_short_one_can_be_staged_again_after_discard(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, revision);

	stage(r, revision, 3);
	assert_int_equal(vault_db_discard(r->db, revision), OK);
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
}

static void
a_long_one_is_discarded_over_several_groups(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, revision);
	unsigned n_groups = 0;
	bool more = true;

	n.row.kind = KIND_FILE;
	n.row.key_class = CLASS_FILE;
	n.row.bytes = (uint64_t)LONG_CHUNKS * CHUNK_LEN;
	stage(r, revision, LONG_CHUNKS);
	assert_int_equal(vault_db_discard(r->db, revision), OK);
	assert_int_equal(vault_db_tend(r->db, &more), ERR_BUSY);
	assert_int_equal(vault_db_publish(r->db, &n), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_stage_chunk(r->db, revision, 0, rig_sealed(1, 50)), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_discard(r->db, revision), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	stage(r, id_of(0x71, 1), 1);
	for (; more; n_groups++)
		assert_int_equal(vault_db_tend(r->db, &more), OK);
	assert_true(n_groups > 2);
	assert_int_equal(count_left(r), 2);
}

static void
opening_sweeps_what_was_never_published(void **state)
{
	struct rig *r = *state;
	struct span chunk;

	rig_make_asset(r, asset, id_of(0x70, 9));
	stage(r, revision, LONG_CHUNKS);
	stage(r, id_of(0x71, 1), 2);
	rig_reopen(r);
	assert_int_equal(vault_db_chunk(r->db, id_of(0x70, 9), 0, &chunk), OK);
	assert_int_equal(count_left(r), 1);
}

static void
the_room_of_swept_chunks_is_used_again(void **state)
{
	struct rig *r = *state;
	struct temp_dir *d = r->dir;
	struct stat once, again;

	stage(r, revision, 300);
	assert_int_equal(stat(temp_dir_at(d, "data.mdb"), &once), 0);
	for (unsigned i = 0; i < 6; i++) {
		rig_reopen(r);
		stage(r, revision, 300);
	}
	assert_int_equal(stat(temp_dir_at(d, "data.mdb"), &again), 0);
	/* Twice at most: pages freed by a commit are free for the one after the next. */
	assert_true(again.st_size < 2 * once.st_size + once.st_size / 4);
}

static void
a_full_group_is_busy_and_goes_on_after_its_commit(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, revision);
	uint32_t i = 0;
	enum err e;

	while ((e = vault_db_stage_chunk(r->db, revision, i, rig_sealed(1, SEALED_CHUNK_MAX))) == OK)
		i++;
	assert_int_equal(e, ERR_BUSY);
	assert_in_range(i, 400, 512);
	n.row.kind = KIND_FILE;
	n.row.key_class = CLASS_FILE;
	n.row.bytes = (uint64_t)i * CHUNK_LEN;
	assert_int_equal(vault_db_publish(r->db, &n), ERR_BUSY);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_publish(r->db, &n), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_staged_chunk_again_replaces_it),
		RIG_TEST(chunks_that_no_file_has_are_refused),
		RIG_TEST(a_published_revision_takes_no_more_chunks),
		RIG_TEST(discarding_a_published_revision_does_nothing),
		RIG_TEST(a_discarded_revision_leaves_nothing),
		RIG_TEST(a_short_one_can_be_staged_again_after_discard),
		RIG_TEST(a_long_one_is_discarded_over_several_groups),
		RIG_TEST(opening_sweeps_what_was_never_published),
		RIG_TEST(the_room_of_swept_chunks_is_used_again),
		RIG_TEST(a_full_group_is_busy_and_goes_on_after_its_commit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
