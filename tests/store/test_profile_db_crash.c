/*
 * A writer of the profile is killed at random moments, and meets a disk that
 * ends at any byte. What it said was committed is there, of the change after
 * that all or nothing, and the tag over all rows holds.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/profile_rig.h"
#include "tests/support/disk.h"

#define ROUNDS 60
#define N_FACTS 5

/* Change g: a fact says g, and is shared or not any more; sometimes a proposal comes or goes. */
static enum err
change(struct profile_db *db, unsigned g)
{
	struct profile_fact f = a_fact((uint8_t)(0x20 + g % N_FACTS), g + 1, "");
	struct profile_share s = { .connection = an_id(0x31), .fact = f.fact, .revision = f.revision };
	struct profile_proposal p = a_proposal((uint8_t)(0x40 + g % 3), 0x31, "v");
	char text[16];

	snprintf(text, sizeof text, "%u", g);
	f.value = text_span(text);
	profile_db_put_fact(db, &f);
	if (g % 2 == 0)
		profile_db_put_share(db, &s);
	else
		profile_db_remove_share(db, s.connection, s.fact);
	if (g % 3 == 0)
		profile_db_put_proposal(db, &p);
	else if (profile_book_proposal(profile_db_book(db), p.proposal) != NULL)
		profile_db_remove_proposal(db, p.proposal);
	return profile_db_commit(db);
}

/* How many changes the database holds: what its facts say, which has to be the last of each. ~0: it does not fit. */
static unsigned
n_changes(const struct profile_db *db)
{
	const struct profile_book *b = profile_db_book(db);
	unsigned n = 0;

	for (size_t i = 0; i < b->n_facts; i++) {
		unsigned g = (unsigned)b->facts[i]->version;

		n = g > n ? g : n;
	}
	for (size_t i = 0; i < b->n_facts; i++) {
		const struct profile_fact *f = b->facts[i];
		unsigned g = (unsigned)f->version - 1;

		if (n - g > N_FACTS || (profile_book_share(b, an_id(0x31), f->fact) != NULL) != (g % 2 == 0))
			return ~0u;
	}
	return n;
}

static enum err
open_one(const char *path, struct key **key, struct profile_db **db)
{
	static const uint8_t bytes[KEY_LEN] = { 7 };
	enum err e = *key != NULL ? OK : key_of(bytes, key);

	return e != OK ? e : profile_db_open(path, *key, says_secret, db);
}

/* Secret memory does not outlive a fork: each child makes its own. Never return. */
static void
write_until_killed(const char *path, int report)
{
	struct profile_db *db = NULL;
	struct key *key = NULL;

	if (secret_init(true) != OK || open_one(path, &key, &db) != OK)
		_exit(2);
	for (unsigned g = n_changes(db);; g++)
		if (change(db, g) != OK || write(report, "c", 1) != 1)
			_exit(3);
}

static void
look(const char *path, int report)
{
	struct profile_db *db = NULL;
	struct key *key = NULL;
	unsigned n;

	if (secret_init(true) != OK || open_one(path, &key, &db) != OK)
		_exit(2);
	n = n_changes(db);
	_exit(write(report, &n, sizeof n) != sizeof n);
}

static unsigned
found_by_another(const char *path)
{
	int ends[2], status;
	unsigned n = ~0u;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	if ((pid = fork()) == 0)
		look(path, ends[1]);
	close(ends[1]);
	assert_int_equal(read(ends[0], &n, sizeof n), sizeof n);
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return n;
}

/* How many changes it reported until it was killed, a moment after report number n. */
static unsigned
run_and_kill(const char *path, unsigned n)
{
	unsigned seen = 0;
	int ends[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ends), 0);
	if ((pid = fork()) == 0)
		write_until_killed(path, ends[1]);
	close(ends[1]);
	while (seen < n && read(ends[0], &c, 1) == 1)
		seen++;
	usleep((useconds_t)(rand() % 700));
	kill(pid, SIGKILL);
	while (read(ends[0], &c, 1) == 1)
		seen++;
	close(ends[0]);
	waitpid(pid, NULL, 0);
	assert_true(seen >= n);
	return seen;
}

static void
a_killed_writer_leaves_whole_changes(void **state)
{
	struct temp_dir *dir = *state;
	unsigned had = 0;

	srand(1);
	for (int i = 0; i < ROUNDS; i++) {
		unsigned reported = run_and_kill(dir->path, (unsigned)rand() % 5), now = found_by_another(dir->path);

		assert_true(now == had + reported || now == had + reported + 1);
		had = now;
	}
}

static void
fill_and_limit(const char *path, struct key **key, unsigned n, long limit)
{
	struct profile_db *db = NULL;
	enum err e = OK;

	assert_int_equal(open_one(path, key, &db), OK);
	assert_int_equal(n_changes(db), n);
	disk_limit((rlim_t)limit);
	e = change(db, n);
	disk_unlimit();
	/* Who goes on with it sees what was, or is told that it cannot be used. */
	if (e != OK && profile_db_failure(db) == OK)
		assert_int_equal(n_changes(db), n);
	profile_db_close(&db);
	assert_int_equal(open_one(path, key, &db), OK);
	assert_int_equal(n_changes(db), e == OK ? n + 1 : n);
	if (e != OK)
		assert_int_equal(change(db, n), OK);
	profile_db_close(&db);
}

static void
a_disk_that_ends_anywhere_leaves_whole_changes(void **state)
{
	struct temp_dir *dir = *state;
	struct key *key = NULL;
	unsigned n = 0;

	assert_int_equal(secret_init(true), OK);
	for (long limit = 0; limit < 30 * 4096; limit += 2048)
		fill_and_limit(dir->path, &key, n++, limit);
	key_free(&key);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_killed_writer_leaves_whole_changes, temp_dir_setup, temp_dir_teardown),
		cmocka_unit_test_setup_teardown(a_disk_that_ends_anywhere_leaves_whole_changes, temp_dir_setup, temp_dir_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
