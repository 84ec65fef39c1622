/*
 * A writer is killed at random moments, over and over, on one database. What it
 * reported as committed must be there; of the group after that, all or nothing.
 */
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "tests/store/vault_rig.h"

#define ROUNDS      300
#define REPORTS_MAX 6

/*
 * Group g makes an asset of 1 to 3 chunks and an edit of the asset before it,
 * committing between two chunks sometimes, so that orphans come to be too.
 */
static struct uuid
asset_of(uint64_t g)
{
	return id_of(0x20, g);
}

static struct uuid
first_of(uint64_t g)
{
	return id_of(0x70, 2 * g);
}

static struct uuid
edit_of(uint64_t g)
{
	return id_of(0x70, 2 * g + 1);
}

static uint64_t
bytes_of(uint64_t g)
{
	return 1 + g % 3 * CHUNK_LEN;
}

static enum err
write_group(struct rig *r, uint64_t g)
{
	struct new_revision n = rig_revision(r, asset_of(g), first_of(g));
	enum err e;

	n.row.kind = KIND_FILE;
	n.row.key_class = CLASS_FILE;
	n.row.bytes = bytes_of(g);
	if (g % 3 == 2 && (e = vault_db_stage_chunk(r->db, first_of(g), 0, rig_sealed(9, 999))) != OK)
		return e;
	if ((e = vault_db_commit(r->db)) != OK)
		return e;
	if ((e = rig_publish(r, &n)) != OK)
		return e;
	if (g > 0) {
		n.row.asset = asset_of(g - 1);
		n.row.revision = edit_of(g - 1);
		n.row.bytes = 1;
		rig_add_parent(&n, first_of(g - 1));
		if ((e = rig_publish(r, &n)) != OK)
			return e;
	}
	return vault_db_commit(r->db);
}

/* Reports one byte a group. Never returns. */
static void
write_until_killed(struct rig *r, uint64_t g, int report_fd)
{
	if (vault_db_open(rig_path(r), &r->db) != OK)
		_exit(2);
	for (;; g++)
		if (write_group(r, g) != OK || write(report_fd, "c", 1) != 1)
			_exit(3);
}

/* How many groups the writer reported before it was killed after n reports and a while. */
static uint64_t
run_and_kill(struct rig *r, uint64_t g, uint64_t n, uint64_t n_spins)
{
	volatile uint64_t spin = 0;
	uint64_t reported = 0;
	int fds[2], status;
	char c;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		write_until_killed(r, g, fds[1]);
	}
	assert_true(pid > 0);
	close(fds[1]);
	while (reported < n && read(fds[0], &c, 1) == 1)
		reported++;
	while (spin < n_spins)
		spin++;
	kill(pid, SIGKILL);
	while (read(fds[0], &c, 1) == 1)
		reported++;
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	return reported;
}

static bool
has_chunks(struct rig *r, struct uuid revision, uint64_t bytes)
{
	struct span chunk;

	for (uint32_t i = 0; i < revision_n_chunks(bytes); i++)
		if (vault_db_chunk(r->db, revision, i, &chunk) != OK || chunk.len != 64)
			return false;
	return vault_db_chunk(r->db, revision, revision_n_chunks(bytes), &chunk) == ERR_NOT_FOUND;
}

static void
check_group(struct rig *r, uint64_t g, bool edited)
{
	struct asset_row a;

	assert_int_equal(vault_db_asset(r->db, r->vault, asset_of(g), CLASSES_ALL, &a), OK);
	assert_int_equal(a.n_heads, 1);
	assert_true(uuid_equal(a.heads[0], edited ? edit_of(g) : first_of(g)));
	assert_true(has_chunks(r, first_of(g), bytes_of(g)));
	if (edited)
		assert_true(has_chunks(r, edit_of(g), 1));
}

/* The number of groups that are there: as many as were reported, or one more. */
static uint64_t
check_database(struct rig *r, uint64_t from, uint64_t n_reported)
{
	struct vault_row v;
	struct asset_row a;
	struct span chunk;
	uint64_t n;

	assert_int_equal(vault_db_open(rig_path(r), &r->db), OK);
	assert_int_equal(vault_db_vault(r->db, r->vault, &v), OK);
	n = v.n_assets;
	assert_in_range(n, n_reported, n_reported + 1);
	for (uint64_t g = from > 0 ? from - 1 : 0; g < n; g++)
		check_group(r, g, g + 1 < n);
	assert_int_equal(vault_db_asset(r->db, r->vault, asset_of(n), CLASSES_ALL, &a), ERR_NOT_FOUND);
	assert_int_equal(vault_db_chunk(r->db, first_of(n), 0, &chunk), ERR_NOT_FOUND);
	vault_db_close(&r->db);
	return n;
}

static void
a_killed_writer_loses_nothing_reported_and_shows_no_half(void **state)
{
	struct rig *r = *state;
	uint64_t seed = 99, g = 0, from = 0;
	unsigned n_unreported = 0;

	vault_db_close(&r->db);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t reported = run_and_kill(r, g, rig_random(&seed) % REPORTS_MAX, rig_random(&seed) % 1000000);
		uint64_t n = check_database(r, from, g + reported);

		n_unreported += n > g + reported;
		from = g;
		g = n;
	}
	assert_true(g > ROUNDS);
	print_message("%u groups; %u were on disk before they could be reported\n", (unsigned)g, n_unreported);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_killed_writer_loses_nothing_reported_and_shows_no_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
