#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gateway/config.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

static enum err
ask(struct temp_dir *d, const char *flag, bool *set)
{
	struct home h = { .fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .cwd_fd = -1 };
	enum err e = config_remote_set(&h, flag, set);

	close(h.fd);
	return e;
}

static void
put_config(struct temp_dir *d, const char *text)
{
	unlink(temp_dir_at(d, "config.json"));
	temp_dir_put(d, "config.json", text, strlen(text), 0600);
}

static void
expect_set(struct temp_dir *d, const char *flag, bool expected)
{
	bool set = !expected;

	assert_int_equal(ask(d, flag, &set), OK);
	assert_int_equal(set, expected);
}

static void
expect_invalid(struct temp_dir *d)
{
	bool set = false;

	assert_int_equal(ask(d, NULL, &set), ERR_CONFIG_INVALID);
	assert_false(set);
}

static enum err
idle_lock(struct temp_dir *d, uint64_t *seconds)
{
	struct home h = { .fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .cwd_fd = -1 };
	enum err e = config_idle_lock(&h, seconds);

	close(h.fd);
	return e;
}

static int
setup(void **state)
{
	unsetenv("MEMORIES_REMOTE");
	return temp_dir_setup(state);
}

static void
without_any_of_the_three_no_remote_is_set(void **state)
{
	struct temp_dir *d = *state;
	bool set = true;

	expect_set(d, NULL, false);
	setenv("MEMORIES_REMOTE", "", 1);
	expect_set(d, NULL, false);
	assert_int_equal(config_remote_set(NULL, NULL, &set), OK);
	assert_false(set);
}

static void
each_of_the_three_sets_a_remote(void **state)
{
	struct temp_dir *d = *state;
	bool set = false;

	expect_set(d, "https://remote.example", true);
	expect_set(d, "", true);
	setenv("MEMORIES_REMOTE", "https://remote.example", 1);
	expect_set(d, NULL, true);
	assert_int_equal(config_remote_set(NULL, NULL, &set), OK);
	assert_true(set);
	unsetenv("MEMORIES_REMOTE");
	put_config(d, "{\"remote\":\"https://remote.example\"}");
	expect_set(d, NULL, true);
}

static void
a_config_without_a_remote_sets_none(void **state)
{
	static const char *const texts[] = {
		"{}", "{\"remote\":null}", "{\"remote\":\"\"}", " {\"idle_lock_s\" : 60}\n",
		"{\"Remote\":\"x\"}", "{\"in\":{\"remote\":\"x\"}}",
	};
	struct temp_dir *d = *state;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		put_config(d, texts[i]);
		expect_set(d, NULL, false);
	}
}

static void
a_malformed_config_is_an_error_not_an_absence(void **state)
{
	static const char *const texts[] = {
		"", "{", "{}x", "[]", "null", "\"remote\"", "{\"remote\":1}", "{\"remote\":[\"x\"]}",
		"{\"remote\":false}", "{\"remote\":\"\",\"remote\":\"x\"}", "{\"remote\":'x'}",
	};
	struct temp_dir *d = *state;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		put_config(d, texts[i]);
		expect_invalid(d);
	}
}

static void
a_config_that_others_could_write_is_an_error(void **state)
{
	struct temp_dir *d = *state;

	put_config(d, "{}");
	assert_int_equal(chmod(d->joined, 0644), 0);
	expect_set(d, NULL, false);
	assert_int_equal(chmod(temp_dir_at(d, "config.json"), 0664), 0);
	expect_invalid(d);
	assert_int_equal(chmod(d->joined, 0602), 0);
	expect_invalid(d);
	if (geteuid() == 0) {
		put_config(d, "{}");
		assert_int_equal(chown(d->joined, OTHER_UID, 0), 0);
		expect_invalid(d);
	}
}

static void
a_config_that_is_a_link_a_fifo_or_too_long_is_an_error(void **state)
{
	struct temp_dir *d = *state;
	char name[TEMP_PATH_MAX];

	strcpy(name, temp_dir_at(d, "config.json"));
	assert_int_equal(symlink("elsewhere", name), 0);
	expect_invalid(d);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(mkfifo(name, 0600), 0);
	expect_invalid(d);
	put_config(d, "{}");
	assert_int_equal(truncate(name, (64 << 10) + 1), 0);
	expect_invalid(d);
}

static void
the_flag_and_the_variable_hold_whatever_the_file_is(void **state)
{
	struct temp_dir *d = *state;

	put_config(d, "{");
	expect_set(d, "x", true);
	setenv("MEMORIES_REMOTE", "x", 1);
	expect_set(d, NULL, true);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, temp_dir_teardown)

static void
the_idle_lock_is_what_the_owner_set_or_fifteen_minutes(void **state)
{
	static const struct { const char *text; uint64_t seconds; } good[] = {
		{ "{}", 900 }, { "{\"idle_lock_seconds\":0}", 0 }, { "{\"idle_lock_seconds\":60,\"remote\":\"a\"}", 60 },
		{ "{\"idle_lock_seconds\":604800}", 604800 },
	};
	static const char *const bad[] = {
		"{\"idle_lock_seconds\":604801}", "{\"idle_lock_seconds\":-1}", "{\"idle_lock_seconds\":1.5}",
		"{\"idle_lock_seconds\":\"60\"}", "{\"idle_lock_seconds\":null}", "[]", "{\"remote\":7}",
	};
	struct temp_dir *d = *state;
	uint64_t seconds = 0;

	assert_int_equal(idle_lock(d, &seconds), OK);
	assert_int_equal(seconds, 900);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		put_config(d, good[i].text);
		assert_int_equal(idle_lock(d, &seconds), OK);
		assert_int_equal(seconds, good[i].seconds);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		put_config(d, bad[i]);
		seconds = 5;
		assert_int_equal(idle_lock(d, &seconds), ERR_CONFIG_INVALID);
		assert_int_equal(seconds, 5);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_any_of_the_three_no_remote_is_set),
		TEST(each_of_the_three_sets_a_remote),
		TEST(a_config_without_a_remote_sets_none),
		TEST(a_malformed_config_is_an_error_not_an_absence),
		TEST(a_config_that_others_could_write_is_an_error),
		TEST(a_config_that_is_a_link_a_fifo_or_too_long_is_an_error),
		TEST(the_flag_and_the_variable_hold_whatever_the_file_is),
		TEST(the_idle_lock_is_what_the_owner_set_or_fifteen_minutes),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
