/* What grants keeps of the remote profile: the bytes of the format, and nothing else. */
#include <sys/stat.h>
#include <string.h>

#include "store/grants_db_inside.h"
#include "store/grants_db_profile.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"
#include "tests/support/rig_dir.h"

static struct grants_db *db;

static int
setup(void **state)
{
	(void)state;
	rig_dir_make();
	assert_int_equal(mkdir("grants", 0700), 0);
	return grants_db_open("grants", &db) == OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	grants_db_close(&db);
	rig_dir_remove();
	return 0;
}

static struct profile_record
sample(void)
{
	struct profile_record r = { .enabled = true, .maintenance = true, .message = "back at \xe5\x85\xad" };

	memset(r.sealed, 0xf1, sizeof r.sealed);
	memset(r.sealed_custody, 0xf2, sizeof r.sealed_custody);
	return r;
}

static size_t
stored(uint8_t *buf)
{
	struct db_key key = grants_db_only_key();
	struct span value;
	size_t len;

	assert_int_equal(env_look(db->env), OK);
	assert_int_equal(env_get(db->env, DB_PROFILE, db_records_span(&key), &value), OK);
	memcpy(buf, value.p, len = value.len);
	env_release(db->env);
	return len;
}

static void
store(const uint8_t *bytes, size_t len)
{
	struct db_key key = grants_db_only_key();

	assert_int_equal(env_begin(db->env), OK);
	assert_int_equal(grants_db_end(db, env_put(db->env, DB_PROFILE, db_records_span(&key), (struct span){ bytes, len }, NULL)), OK);
}

static void
it_is_kept_as_the_format_says_and_read_back_whole(void **state)
{
	struct profile_record r = sample(), got;
	uint8_t buf[DB_RECORD_MAX], want[3 + 144 + 4 + 11] = { 1, 1, 1 };

	(void)state;
	assert_int_equal(grants_db_profile(db, &got), ERR_NOT_FOUND);
	assert_int_equal(grants_db_put_profile(db, &r), OK);
	memset(want + 3, 0xf1, 72);
	memset(want + 75, 0xf2, 72);
	memcpy(want + 147, "\0\0\0\x0b" "back at \xe5\x85\xad", 15);
	assert_int_equal(stored(buf), sizeof want);
	assert_memory_equal(buf, want, sizeof want);
	grants_db_close(&db);
	assert_int_equal(grants_db_open("grants", &db), OK);
	memset(&got, 0xff, sizeof got);
	assert_int_equal(grants_db_profile(db, &got), OK);
	assert_true(got.enabled && got.maintenance);
	assert_string_equal(got.message, r.message);
	assert_memory_equal(got.sealed, r.sealed, sizeof r.sealed);
	assert_memory_equal(got.sealed_custody, r.sealed_custody, sizeof r.sealed_custody);
}

static void
what_is_no_such_record_is_corrupt(void **state)
{
	struct profile_record r = sample(), got;
	uint8_t buf[DB_RECORD_MAX];
	size_t len;

	(void)state;
	assert_int_equal(grants_db_put_profile(db, &r), OK);
	len = stored(buf);
	for (size_t n = 1; n < len; n++) {
		store(buf, n);
		assert_int_equal(grants_db_profile(db, &got), ERR_STORAGE_CORRUPT);
	}
	buf[0] = 2;
	store(buf, len);
	assert_int_equal(grants_db_profile(db, &got), ERR_STORAGE_CORRUPT);
	buf[0] = 1;
	buf[1] = 2;
	store(buf, len);
	assert_int_equal(grants_db_profile(db, &got), ERR_STORAGE_CORRUPT);
	buf[1] = 1;
	buf[len - 1] = 0;
	store(buf, len);
	assert_int_equal(grants_db_profile(db, &got), ERR_STORAGE_CORRUPT);
	memset(r.message, 'x', sizeof r.message);
	assert_int_equal(grants_db_put_profile(db, &r), ERR_INVALID_ARGUMENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_is_kept_as_the_format_says_and_read_back_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_such_record_is_corrupt, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
