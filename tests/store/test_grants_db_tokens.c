/* Codes and tokens in the database: what is one commit, how many there can be, and what is tidied away. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/db_records_connections.h"
#include "store/grants_db_inside.h"
#include "tests/support/check.h"
#include "tests/support/disk.h"
#include "tests/support/temp_dir.h"

#define DAY ((uint64_t)86400000)

struct rig {
	void             *dir;
	struct grants_db *db;
	struct moment     at;
};

static const struct uuid connection = { { 0x91 } };

static const char *
path(const struct rig *r)
{
	return ((struct temp_dir *)r->dir)->path;
}

static int
setup(void **state)
{
	static struct rig r;

	r = (struct rig){ .at = { .now = { 1000 * DAY } } };
	if (temp_dir_setup(&r.dir) != 0 || grants_db_open(path(&r), &r.db) != OK)
		return -1;
	*state = &r;
	return 0;
}

static int
teardown(void **state)
{
	struct rig *r = *state;

	grants_db_close(&r->db);
	return temp_dir_teardown(&r->dir);
}

static void
hash(uint32_t what, uint8_t out[32])
{
	memset(out, 0, 32);
	memcpy(out, &what, sizeof what);
}

enum { CODE = 1 << 28, ACCESS = 2 << 28, REFRESH = 3 << 28 };

static enum err
consent(struct rig *r, struct uuid id, uint8_t client, uint32_t code)
{
	struct connection_consent c = { .connection = id, .client = { client }, .scopes = 1u << SCOPE_READ };

	hash(CODE + code, c.code);
	return grants_db_consent(r->db, &c, &r->at);
}

static enum err
redeem(struct rig *r, uint8_t client, uint32_t code, uint32_t tokens)
{
	struct code_offer o = { .client = { client } };
	struct token_outcome out;
	enum err e;

	hash(CODE + code, o.code);
	hash(ACCESS + tokens, o.access);
	hash(REFRESH + tokens, o.refresh);
	e = grants_db_redeem(r->db, &o, &r->at, &out);
	return e != OK ? e : out.error;
}

static enum err
refresh(struct rig *r, uint32_t from, uint32_t to)
{
	struct refresh_offer o = { .client = { 1 } };
	struct token_outcome out;
	enum err e;

	hash(REFRESH + from, o.token);
	hash(ACCESS + to, o.access);
	hash(REFRESH + to, o.refresh);
	e = grants_db_refresh(r->db, &o, &r->at, &out);
	return e != OK ? e : out.error;
}

static enum err
check(struct rig *r, uint32_t tokens)
{
	struct token_use use;
	uint8_t h[32];

	hash(ACCESS + tokens, h);
	return grants_db_access(r->db, h, &r->at, &use);
}

/* A connection with tokens 1. */
static void
connect_it(struct rig *r)
{
	assert_int_equal(consent(r, connection, 1, 1), OK);
	assert_int_equal(redeem(r, 1, 1, 1), OK);
}

static size_t
count(struct rig *r, enum grants_db_name name)
{
	static const uint8_t first[1] = { 0 };
	struct env_row row;
	size_t n = 0;
	enum err e;

	assert_int_equal(env_look(r->db->env), OK);
	e = env_seek(r->db->env, name, (struct span){ first, 1 }, &row);
	for (; e == OK; e = env_next(r->db->env, name, &row))
		n++;
	env_release(r->db->env);
	assert_int_equal(e, ERR_NOT_FOUND);
	return n;
}

static void
the_oldest_access_token_makes_room(void **state)
{
	struct rig *r = *state;

	connect_it(r);
	for (uint32_t i = 1; i < CONNECTION_ACCESS_MAX; i++)
		assert_int_equal(refresh(r, i, i + 1), OK);
	assert_int_equal(check(r, 1), OK);
	assert_int_equal(refresh(r, CONNECTION_ACCESS_MAX, CONNECTION_ACCESS_MAX + 1), OK);
	assert_int_equal(check(r, 1), ERR_INVALID_TOKEN);
	for (uint32_t i = 2; i <= CONNECTION_ACCESS_MAX + 1; i++)
		assert_int_equal(check(r, i), OK);
	assert_int_equal(count(r, DB_ACCESS), CONNECTION_ACCESS_MAX);
}

/* As if so many rotations had been. */
static void
set_refreshes(struct rig *r, uint32_t n)
{
	struct connection_record c;

	assert_int_equal(env_begin(r->db->env), OK);
	assert_int_equal(grants_db_get_connection(r->db, connection, &c), OK);
	c.n_refreshes = n;
	assert_int_equal(grants_db_end(r->db, grants_db_put_connection(r->db, &c)), OK);
}

static void
rotations_between_two_consents_are_bounded(void **state)
{
	struct rig *r = *state;

	connect_it(r);
	set_refreshes(r, CONNECTION_REFRESH_MAX - 1);
	assert_int_equal(refresh(r, 1, 2), OK);
	assert_int_equal(refresh(r, 2, 3), ERR_INVALID_TOKEN);
	assert_int_equal(check(r, 2), OK);
	/* A spent one is seen even then. */
	assert_int_equal(refresh(r, 1, 4), ERR_INVALID_TOKEN);
	assert_int_equal(check(r, 2), ERR_INVALID_TOKEN);
}

static void
a_hash_is_one_tokens(void **state)
{
	struct rig *r = *state;

	connect_it(r);
	/* What stands for a token already is not given to another. */
	assert_int_equal(refresh(r, 1, 1), ERR_INVALID_ARGUMENT);
	assert_int_equal(check(r, 1), OK);
	assert_int_equal(refresh(r, 1, 2), OK);
	/* A code that exists. */
	assert_int_equal(consent(r, (struct uuid){ { 2 } }, 2, 1), ERR_INVALID_ARGUMENT);
	assert_int_equal(count(r, DB_CONNECTION), 1);
	assert_int_equal(count(r, DB_CLIENT), 1);
}

static void
a_client_has_one_living_connection(void **state)
{
	struct rig *r = *state;
	uint32_t living;

	connect_it(r);
	assert_int_equal(consent(r, (struct uuid){ { 2 } }, 1, 2), ERR_CONFLICT);
	assert_int_equal(grants_db_end_connection(r->db, connection, CONNECTION_REVOKED, &r->at), OK);
	assert_int_equal(grants_db_count_connections(r->db, &living), OK);
	assert_int_equal(living, 0);
	/* One that is over is not gone on with. */
	assert_int_equal(consent(r, connection, 1, 2), ERR_CONFLICT);
	assert_int_equal(consent(r, (struct uuid){ { 2 } }, 1, 2), OK);
}

/* Whole rounds; what it said was gone. */
static struct uuid
tidy(struct rig *r)
{
	struct tidy_place place = { .table = 0 };
	struct uuid gone, all = { { 0 } };
	bool around = false;

	while (!around) {
		assert_int_equal(grants_db_tidy(r->db, &place, 2, &r->at, &around, &gone), OK);
		if (!uuid_is_zero(gone))
			all = gone;
	}
	return all;
}

static void
what_is_over_is_tidied_and_what_tells_of_a_replay_stays(void **state)
{
	struct rig *r = *state;

	connect_it(r);
	for (uint32_t i = 1; i < 6; i++)
		assert_int_equal(refresh(r, i, i + 1), OK);
	/* A code that nobody redeems, of another. */
	assert_int_equal(consent(r, (struct uuid){ { 2 } }, 2, 2), OK);
	(void)tidy(r);
	assert_int_equal(count(r, DB_CODE), 2);
	assert_int_equal(count(r, DB_ACCESS), 6);
	r->at.now.ms += CONNECTION_ACCESS_MS;
	(void)tidy(r);
	assert_int_equal(count(r, DB_CODE), 1);
	assert_int_equal(count(r, DB_ACCESS), 0);
	assert_int_equal(count(r, DB_REFRESH), 6);
	r->at.now.ms += 29 * DAY;
	(void)tidy(r);
	assert_int_equal(count(r, DB_CODE), 1);
	assert_int_equal(count(r, DB_REFRESH), 6);
	assert_int_equal(refresh(r, 2, 99), ERR_INVALID_TOKEN);
	/* It ended: nothing is left but its record, and that for thirty days. */
	assert_true(uuid_is_zero(tidy(r)));
	assert_int_equal(count(r, DB_CODE) + count(r, DB_REFRESH) + count(r, DB_ACCESS), 0);
	assert_int_equal(count(r, DB_CONNECTION), 2);
	r->at.now.ms += CONNECTION_KEEP_MS - 1;
	assert_true(uuid_is_zero(tidy(r)));
	r->at.now.ms += 1;
	assert_true(uuid_equal(tidy(r), connection));
	/* The other was never refreshed: thirty days after it could be last. */
	assert_int_equal(count(r, DB_CONNECTION), 1);
	assert_int_equal(count(r, DB_CLIENT), 1);
	r->at.now.ms += DAY;
	assert_true(uuid_equal(tidy(r), (struct uuid){ { 2 } }));
	assert_int_equal(count(r, DB_CONNECTION) + count(r, DB_CLIENT), 0);
}

static void
the_tokens_of_a_consent_before_are_tidied(void **state)
{
	struct rig *r = *state;

	connect_it(r);
	assert_int_equal(refresh(r, 1, 2), OK);
	assert_int_equal(consent(r, connection, 1, 2), OK);
	assert_int_equal(count(r, DB_ACCESS), 0);
	(void)tidy(r);
	assert_int_equal(count(r, DB_CODE), 1);
	assert_int_equal(count(r, DB_REFRESH), 0);
	assert_int_equal(redeem(r, 1, 2, 3), OK);
}

static void
the_moment_goes_with_each_commit(void **state)
{
	struct rig *r = *state;
	struct moment kept;

	assert_int_equal(grants_db_moment(r->db, &kept), OK);
	assert_int_equal(kept.now.ms, 0);
	connect_it(r);
	r->at.now.ms += 5;
	assert_int_equal(refresh(r, 1, 2), OK);
	assert_int_equal(grants_db_moment(r->db, &kept), OK);
	assert_int_equal(kept.now.ms, r->at.now.ms);
	/* Not with what was refused. */
	r->at.now.ms += 5;
	assert_int_equal(refresh(r, 77, 78), ERR_INVALID_TOKEN);
	assert_int_equal(grants_db_moment(r->db, &kept), OK);
	assert_int_equal(kept.now.ms, r->at.now.ms - 5);
}

static void
a_commit_that_fails_leaves_the_code(void **state)
{
	struct rig *r = *state;
	enum err e;

	assert_int_equal(consent(r, connection, 1, 1), OK);
	/* Not even the pages that are there can be written. */
	disk_limit(4096);
	e = redeem(r, 1, 1, 1);
	disk_unlimit();
	assert_true(e == ERR_STORAGE_FULL || e == ERR_STORAGE_FAILED);
	grants_db_close(&r->db);
	assert_int_equal(grants_db_open(path(r), &r->db), OK);
	assert_int_equal(check(r, 1), ERR_INVALID_TOKEN);
	assert_int_equal(redeem(r, 1, 1, 2), OK);
	assert_int_equal(check(r, 2), OK);
	assert_int_equal(check(r, 1), ERR_INVALID_TOKEN);
}

/* A consent, its code, and three rotations, over and over; a byte for each that is done. Never returns. */
static void
work_until_killed(struct rig *r, uint32_t n, int fd)
{
	if (grants_db_open(path(r), &r->db) != OK)
		_exit(2);
	for (;; n++) {
		enum err e = n % 5 == 0 ? consent(r, connection, 1, n) : n % 5 == 1 ? redeem(r, 1, n - 1, n) : refresh(r, n - 1, n);

		if (e != OK || write(fd, "c", 1) != 1)
			_exit(3);
	}
}

static uint32_t
run_and_kill(struct rig *r, uint32_t from, unsigned reports, unsigned spins)
{
	volatile unsigned spin = 0;
	uint32_t done = 0;
	int fds[2], status;
	pid_t pid;
	char c;

	assert_int_equal(pipe(fds), 0);
	if ((pid = fork()) == 0) {
		close(fds[0]);
		work_until_killed(r, from, fds[1]);
	}
	assert_true(pid > 0);
	close(fds[1]);
	while (done < reports && read(fds[0], &c, 1) == 1)
		done++;
	while (spin < spins)
		spin++;
	kill(pid, SIGKILL);
	while (read(fds[0], &c, 1) == 1)
		done++;
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	return from + done;
}

static bool
is_used(struct rig *r, enum grants_db_name name, uint32_t what)
{
	struct db_refresh refresh_record;
	struct db_code code;
	struct span value;
	uint8_t h[32];
	bool used;

	hash(what, h);
	assert_int_equal(env_look(r->db->env), OK);
	assert_int_equal(env_get(r->db->env, name, (struct span){ h, 32 }, &value), OK);
	if (name == DB_CODE)
		assert_true(db_records_take_code(value, &code));
	else
		assert_true(db_records_take_refresh(value, &refresh_record));
	used = name == DB_CODE ? code.used : refresh_record.spent;
	env_release(r->db->env);
	return used;
}

static bool
is_done(struct rig *r, uint32_t n)
{
	struct span value;
	uint8_t h[32];
	bool there;

	hash(n % 5 == 0 ? CODE + n : REFRESH + n, h);
	assert_int_equal(env_look(r->db->env), OK);
	there = env_get(r->db->env, n % 5 == 0 ? DB_CODE : DB_REFRESH, (struct span){ h, 32 }, &value) == OK;
	env_release(r->db->env);
	return there;
}

/* Of a step that was cut off: all of it is there, or nothing. */
static uint32_t
check_all_or_nothing(struct rig *r, uint32_t n)
{
	assert_int_equal(grants_db_open(path(r), &r->db), OK);
	assert_true(n == 0 || is_done(r, n - 1));
	if (is_done(r, n))
		n++;
	assert_false(is_done(r, n));
	/* The last step's own code or token is fresh, and what it came from is used up. */
	if (n > 0 && (n - 1) % 5 == 0) {
		assert_false(is_used(r, DB_CODE, CODE + n - 1));
	} else if (n > 0) {
		assert_false(is_used(r, DB_REFRESH, REFRESH + n - 1));
		assert_int_equal(check(r, n - 1), OK);
	}
	if (n > 1 && (n - 1) % 5 == 1)
		assert_true(is_used(r, DB_CODE, CODE + n - 2));
	else if (n > 1 && (n - 1) % 5 > 1)
		assert_true(is_used(r, DB_REFRESH, REFRESH + n - 2));
	grants_db_close(&r->db);
	return n;
}

static void
killed_between_use_and_issue_there_is_no_between(void **state)
{
	struct rig *r = *state;
	uint32_t n = 0;

	grants_db_close(&r->db);
	srand(7);
	for (int i = 0; i < 60; i++)
		n = check_all_or_nothing(r, run_and_kill(r, n, 1 + (unsigned)rand() % 4, (unsigned)rand() % 400000));
	assert_true(n > 60);
	assert_int_equal(grants_db_open(path(r), &r->db), OK);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_oldest_access_token_makes_room),
		TEST(rotations_between_two_consents_are_bounded),
		TEST(a_hash_is_one_tokens),
		TEST(a_client_has_one_living_connection),
		TEST(what_is_over_is_tidied_and_what_tells_of_a_replay_stays),
		TEST(the_tokens_of_a_consent_before_are_tidied),
		TEST(the_moment_goes_with_each_commit),
		TEST(a_commit_that_fails_leaves_the_code),
		TEST(killed_between_use_and_issue_there_is_no_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
