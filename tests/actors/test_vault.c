/* The vault actor: group commit, what is said after it, and what is said when it fails. */
#include <sys/stat.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "actors/settings.h"
#include "actors/vault.h"
#include "tests/actors/content_rig.h"
#include "tests/support/disk.h"
#include "tests/support/rig.h"

static struct settings settings = { .weakened = "" };
static struct rig *r;
static enum err failed_with;

void host_fail(enum err e);

void
host_fail(enum err e)
{
	failed_with = e;
}

static int
setup(void **state)
{
	(void)state;
	failed_with = OK;
	rig_dir_make();
	if (mkdir("vault", 0700) != 0 || rig_open(&vault_actor, &settings, &r) != OK)
		return -1;
	rig_edge(r, ACTOR_KEYRING, true);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_close(&r);
	rig_dir_remove();
	return 0;
}

static void
put_vault(uint64_t ask_id)
{
	static const uint8_t name[60];
	struct name_put_body b = { .vault = content_vault, .revision = content_id(0x7e, 1), .created_wall_ms = 5,
		.sealed = { name, sizeof name } };

	assert_int_equal(rig_deliver(r, MSG_NAME_WANTED, ACTOR_GATE, ask_id, &b), OK);
}

static void
put_chunk(uint64_t ask_id, uint8_t revision, uint32_t index)
{
	static const uint8_t sealed[100];
	struct chunk_put_body b = { .revision = content_id(0x30, revision), .index = index, .sealed = { sealed, sizeof sealed } };

	assert_int_equal(rig_deliver(r, MSG_CHUNK_WANTED, ACTOR_GATE, ask_id, &b), OK);
}

static struct uuid settled; /* by the next revision */

/* On top of base; 0: the first of its asset. */
static void
put_over(uint64_t ask_id, uint8_t asset, uint8_t revision, uint8_t base, uint8_t mode, size_t cut)
{
	static const uint8_t sealed[100];
	uint8_t row[REVISION_ROW_MAX];
	struct wire_out o = wire_out(row, sizeof row);
	struct revision_row fresh = { .vault = content_vault, .asset = content_id(0x20, asset), .revision = content_id(0x30, revision),
		.kind = KIND_MEMORY, .bytes = 20 };
	struct revision_put_body b = { .mode = mode, .proposal = settled, .sealed_head = { sealed, 48 }, .sealed_title = { sealed, 60 }, .sealed_meta = { sealed, 60 } };

	fresh.n_parents = base != 0;
	fresh.parents[0] = content_id(0x30, base);
	revision_row_put(&o, &fresh);
	b.row = wire_written(&o);
	b.row.len -= cut;
	assert_int_equal(rig_deliver(r, MSG_PUBLISH_WANTED, ACTOR_GATE, ask_id, &b), OK);
}

static void
put_revision(uint64_t ask_id, uint8_t asset, uint8_t revision, size_t cut)
{
	put_over(ask_id, asset, revision, 0, PUBLISH_ON_HEADS, cut);
}

static void
expect_kept(uint64_t ask_id)
{
	assert_non_null(rig_expect(r, MSG_KEPT));
	assert_int_equal(rig_ask_id(r), ask_id);
}

static enum err
refused(uint64_t ask_id)
{
	const union any_body *b = rig_expect(r, MSG_RECORD_REFUSED);

	assert_non_null(b);
	assert_int_equal(rig_ask_id(r), ask_id);
	return (enum err)b->refusal.error;
}

static void
fill(void)
{
	put_vault(1);
	put_chunk(2, 1, 0);
	put_revision(3, 1, 1, 0);
	assert_int_equal(rig_batch(r), OK);
	for (uint64_t i = 1; i <= 3; i++)
		expect_kept(i);
	assert_true(rig_silent(r));
}

static void
read_it(uint64_t ask_id, enum op op, uint8_t asset)
{
	struct ruling_body ruling = { .ask = { .op = (uint8_t)op, .vault = content_vault, .asset = content_id(0x20, asset), .limit = 10 },
		.subject_kind = 1, .subject = content_id(0x40, 1), .deadline_boot_ms = 77, .classes = CLASSES_ALL, .mac = { 9 } };

	assert_int_equal(rig_deliver(r, MSG_RECORD_WANTED, ACTOR_GRANTS, ask_id, &ruling), OK);
}

static void
writes_are_answered_after_the_commit_of_their_group(void **state)
{
	(void)state;
	put_vault(1);
	put_chunk(2, 1, 0);
	put_revision(3, 1, 1, 0);
	assert_true(rig_silent(r));
	assert_int_equal(rig_batch(r), OK);
	for (uint64_t i = 1; i <= 3; i++)
		expect_kept(i);
	assert_true(rig_silent(r));
	assert_int_equal(rig_batch(r), OK);
	assert_true(rig_silent(r));
}

static void
a_stale_base_is_refused_unless_a_conflict_is_wanted(void **state)
{
	(void)state;
	fill();
	for (uint8_t revision = 2; revision <= 5; revision++)
		put_chunk(10u + revision, revision, 0);
	put_over(20, 1, 2, 1, PUBLISH_ON_HEADS, 0);
	assert_int_equal(rig_batch(r), OK);
	for (uint64_t id = 12; id <= 15; id++)
		expect_kept(id);
	expect_kept(20);
	put_over(21, 1, 3, 1, PUBLISH_ON_HEADS, 0);
	assert_int_equal(refused(21), ERR_STALE_BASE);
	put_over(22, 1, 3, 1, PUBLISH_BESIDE + 1, 0);
	assert_int_equal(refused(22), ERR_INVALID_ARGUMENT);
	put_over(23, 1, 3, 1, PUBLISH_BESIDE, 0);
	assert_int_equal(rig_batch(r), OK);
	expect_kept(23);
	read_it(24, OP_READ, 1);
	assert_int_equal(refused(24), ERR_REVISION_REQUIRED);
}

static void
propose(uint64_t ask_id, uint8_t asset, uint8_t id, uint8_t base)
{
	static const uint8_t sealed[100];
	uint8_t row[REVISION_ROW_MAX];
	struct wire_out o = wire_out(row, sizeof row);
	struct revision_row fresh = { .vault = content_vault, .asset = content_id(0x20, asset), .revision = content_id(0x30, id),
		.kind = KIND_MEMORY, .bytes = 20, .n_parents = base != 0, .parents = { content_id(0x30, base) } };
	struct proposal_put_body b = { .grant = content_id(0x41, 1), .sealed_head = { sealed, 48 },
		.sealed_title = { sealed, 60 }, .sealed_meta = { sealed, 60 } };

	revision_row_put(&o, &fresh);
	b.row = wire_written(&o);
	assert_int_equal(rig_deliver(r, MSG_PROPOSAL_WANTED, ACTOR_GATE, ask_id, &b), OK);
}

static void
proposals_are_kept_settled_and_dropped_in_commits(void **state)
{
	struct one_id_body id = { content_id(0x30, 3) };

	(void)state;
	fill();
	for (uint8_t n = 2; n <= 4; n++)
		put_chunk(10u + n, n, 0);
	propose(20, 1, 2, 1);
	propose(21, 9, 3, 0);
	assert_true(rig_silent(r));
	assert_int_equal(rig_batch(r), OK);
	for (uint64_t i = 12; i <= 14; i++)
		expect_kept(i);
	expect_kept(20);
	expect_kept(21);
	propose(22, 1, 4, 2);
	assert_int_equal(refused(22), ERR_STALE_BASE);
	settled = content_id(0x30, 2);
	put_over(23, 1, 4, 1, PUBLISH_ON_HEADS, 0);
	settled = (struct uuid){ { 0 } };
	assert_int_equal(rig_deliver(r, MSG_PROPOSAL_DROP, ACTOR_GRANTS, 24, &id), OK);
	assert_true(rig_silent(r));
	assert_int_equal(rig_batch(r), OK);
	expect_kept(23);
	expect_kept(24);
	for (uint64_t again = 25; again <= 26; again++) {
		assert_int_equal(rig_deliver(r, MSG_PROPOSAL_DROP, ACTOR_GRANTS, again, &id), OK);
		assert_int_equal(refused(again), ERR_NOT_FOUND);
		id.id = content_id(0x30, 2);
	}
}

static void
a_removed_vault_is_read_no_more(void **state)
{
	struct one_id_body id = { content_vault };

	(void)state;
	fill();
	assert_int_equal(rig_deliver(r, MSG_VAULT_REMOVE, ACTOR_GRANTS, 4, &id), OK);
	assert_true(rig_silent(r));
	assert_int_equal(rig_batch(r), OK);
	expect_kept(4);
	read_it(5, OP_READ, 1);
	assert_int_equal(refused(5), ERR_VAULT_NOT_ACTIVE);
	assert_int_equal(rig_deliver(r, MSG_VAULT_REMOVE, ACTOR_GRANTS, 6, &id), OK);
	assert_int_equal(refused(6), ERR_VAULT_NOT_ACTIVE);
	put_vault(7);
	assert_int_equal(refused(7), ERR_VAULT_NOT_ACTIVE);
}

static void
what_was_answered_is_there_after_a_restart_and_what_was_not_is_gone(void **state)
{
	(void)state;
	fill();
	put_chunk(4, 2, 0);
	put_revision(5, 2, 2, 0);
	rig_close(&r);
	assert_int_equal(rig_open(&vault_actor, &settings, &r), OK);
	rig_edge(r, ACTOR_KEYRING, true);
	read_it(6, OP_READ, 1);
	assert_non_null(rig_expect(r, MSG_DEPOSIT));
	assert_non_null(rig_expect(r, MSG_KEYS_WANTED));
	read_it(7, OP_READ, 2);
	assert_int_equal(refused(7), ERR_NOT_FOUND);
}

static void
a_tick_between_a_write_and_the_end_of_its_batch_loses_nothing(void **state)
{
	(void)state;
	fill();
	rig_tick(r, clock_mono());
	rig_tick(r, clock_mono());
	put_chunk(4, 2, 0);
	put_revision(5, 2, 2, 0);
	rig_tick(r, clock_mono());
	assert_int_equal(rig_batch(r), OK);
	expect_kept(4);
	expect_kept(5);
	read_it(6, OP_READ, 2);
	assert_non_null(rig_expect(r, MSG_DEPOSIT));
}

static void
say_head(uint64_t size)
{
	struct head_body head = { .size = size, .root = { 7 } };

	assert_int_equal(rig_deliver(r, MSG_VAULT_HEAD, ACTOR_AUDIT, 0, &head), OK);
}

static void
expect_anchor(uint64_t size)
{
	const union any_body *b;

	rig_edge(r, ACTOR_AUDIT, true);
	assert_non_null(b = rig_expect(r, MSG_VAULT_ANCHOR));
	assert_int_equal(b->head.size, size);
	assert_int_equal(b->head.root[0], size > 0 ? 7 : 0);
}

static void
the_logs_head_is_told_to_audit_when_it_comes_and_outlives_a_clean_stop(void **state)
{
	(void)state;
	expect_anchor(0);
	say_head(12);
	expect_anchor(12);
	rig_close(&r);
	assert_int_equal(rig_open(&vault_actor, &settings, &r), OK);
	expect_anchor(12);
}

static void
a_failed_commit_refuses_every_write_of_its_group_and_ends_the_process(void **state)
{
	(void)state;
	fill();
	put_chunk(4, 2, 0);
	put_revision(5, 2, 2, 0);
	disk_limit(0);
	assert_int_equal(rig_batch(r), OK);
	disk_unlimit();
	for (uint64_t i = 4; i <= 5; i++)
		assert_int_equal(refused(i), ERR_STORAGE_FAILED);
	assert_true(rig_silent(r));
	assert_int_equal(failed_with, OK);
	rig_tick(r, clock_mono());
	assert_int_equal(failed_with, ERR_STORAGE_FAILED);
	put_chunk(6, 2, 1);
	assert_int_equal(rig_batch(r), OK);
	assert_int_equal(refused(6), ERR_STORAGE_FAILED);
}

static void
a_write_that_is_refused_takes_no_part_in_the_group(void **state)
{
	(void)state;
	fill();
	put_revision(4, 3, 3, 0);
	assert_int_equal(refused(4), ERR_INVALID_ARGUMENT);
	put_revision(5, 3, 3, 1);
	assert_int_equal(refused(5), ERR_INVALID_ARGUMENT);
	put_chunk(6, 1, 0);
	assert_int_equal(refused(6), ERR_INVALID_ARGUMENT);
	put_chunk(7, 3, 0);
	put_revision(8, 3, 3, 0);
	assert_int_equal(rig_batch(r), OK);
	expect_kept(7);
	expect_kept(8);
	assert_true(rig_silent(r));
}

static sem_t batch_over, may_leave;

static void *
refused_batch(void *unused)
{
	put_revision(4, 3, 3, 0);
	rig_batch(r);
	sem_post(&batch_over);
	sem_wait(&may_leave);
	return unused;
}

/* A batch may run on another thread than the one before it, and LMDB's write transaction belongs to a thread. */
static void
a_batch_of_refusals_leaves_no_transaction_to_its_thread(void **state)
{
	pthread_t other;

	(void)state;
	assert_int_equal(sem_init(&batch_over, 0, 0) | sem_init(&may_leave, 0, 0), 0);
	fill();
	assert_int_equal(pthread_create(&other, NULL, refused_batch, NULL), 0);
	assert_int_equal(sem_wait(&batch_over), 0);
	assert_int_equal(refused(4), ERR_INVALID_ARGUMENT);
	alarm(20);
	for (uint32_t i = 0; i < 2; i++) {
		put_chunk(5 + i, 3, i);
		assert_int_equal(rig_batch(r), OK);
		expect_kept(5 + i);
	}
	alarm(0);
	sem_post(&may_leave);
	assert_int_equal(pthread_join(other, NULL), 0);
}

static void
a_group_past_its_bound_is_committed_in_parts_and_each_write_answered_once(void **state)
{
	(void)state;
	put_vault(1);
	for (uint64_t i = 0; i < 600; i++)
		put_chunk(1000 + i, 9, (uint32_t)i);
	assert_false(rig_silent(r));
	assert_int_equal(rig_batch(r), OK);
	expect_kept(1);
	for (uint64_t i = 0; i < 600; i++)
		expect_kept(1000 + i);
	assert_true(rig_silent(r));
}

static void
a_discarded_revision_cannot_be_published(void **state)
{
	(void)state;
	fill();
	put_chunk(4, 2, 0);
	assert_int_equal(rig_deliver(r, MSG_DISCARD_WANTED, ACTOR_GATE, 5, &(struct one_id_body){ content_id(0x30, 2) }), OK);
	put_revision(6, 2, 2, 0);
	assert_int_equal(refused(6), ERR_INVALID_ARGUMENT);
	assert_int_equal(rig_batch(r), OK);
	expect_kept(4);
	expect_kept(5);
	assert_true(rig_silent(r));
}

static void
a_read_sends_the_deposit_to_the_gate_and_its_names_to_the_keyring(void **state)
{
	const union any_body *b;

	(void)state;
	fill();
	read_it(7, OP_READ, 1);
	assert_non_null(b = rig_expect(r, MSG_DEPOSIT));
	assert_int_equal(rig_ask_id(r), 7);
	assert_int_equal(b->deposit.n_items, 2);
	assert_non_null(b = rig_expect(r, MSG_KEYS_WANTED));
	assert_int_equal(rig_ask_id(r), 7);
	assert_int_equal(b->keys_wanted.n_refs, 2);
	assert_int_equal(b->keys_wanted.length, 10);
	assert_true(uuid_equal(b->keys_wanted.revision, content_id(0x30, 1)));
	assert_int_equal(b->keys_wanted.ruling.deadline_boot_ms, 77);
	assert_int_equal(b->keys_wanted.ruling.mac[0], 9);
	assert_true(rig_silent(r));
}

static void
a_refused_read_names_its_subject_and_brings_nothing(void **state)
{
	const union any_body *b;

	(void)state;
	fill();
	read_it(7, OP_CREDENTIAL_BYTES, 1);
	assert_non_null(b = rig_expect(r, MSG_RECORD_REFUSED));
	assert_int_equal(b->refusal.error, ERR_WRONG_KIND);
	assert_int_equal(b->refusal.authenticated, 1);
	assert_int_equal(b->refusal.subject_kind, 1);
	assert_true(uuid_equal(b->refusal.subject, content_id(0x40, 1)));
	assert_true(rig_silent(r));
}

static void
without_a_keyring_no_deposit_is_sent(void **state)
{
	(void)state;
	fill();
	rig_edge(r, ACTOR_KEYRING, false);
	read_it(7, OP_READ, 1);
	assert_int_equal(refused(7), ERR_INTERRUPTED);
	assert_true(rig_silent(r));
}

static void
two_vaults_cannot_share_a_directory(void **state)
{
	struct rig *second = NULL;

	(void)state;
	assert_int_equal(rig_open(&vault_actor, &settings, &second), ERR_BUSY);
	assert_null(second);
}

#define VAULT_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		VAULT_TEST(writes_are_answered_after_the_commit_of_their_group),
		VAULT_TEST(a_stale_base_is_refused_unless_a_conflict_is_wanted),
		VAULT_TEST(proposals_are_kept_settled_and_dropped_in_commits),
		VAULT_TEST(a_removed_vault_is_read_no_more),
		VAULT_TEST(what_was_answered_is_there_after_a_restart_and_what_was_not_is_gone),
		VAULT_TEST(a_tick_between_a_write_and_the_end_of_its_batch_loses_nothing),
		VAULT_TEST(the_logs_head_is_told_to_audit_when_it_comes_and_outlives_a_clean_stop),
		VAULT_TEST(a_failed_commit_refuses_every_write_of_its_group_and_ends_the_process),
		VAULT_TEST(a_write_that_is_refused_takes_no_part_in_the_group),
		VAULT_TEST(a_batch_of_refusals_leaves_no_transaction_to_its_thread),
		VAULT_TEST(a_group_past_its_bound_is_committed_in_parts_and_each_write_answered_once),
		VAULT_TEST(a_discarded_revision_cannot_be_published),
		VAULT_TEST(a_read_sends_the_deposit_to_the_gate_and_its_names_to_the_keyring),
		VAULT_TEST(a_refused_read_names_its_subject_and_brings_nothing),
		VAULT_TEST(without_a_keyring_no_deposit_is_sent),
		VAULT_TEST(two_vaults_cannot_share_a_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
