/* What clients remember of a log, over processes and over what happens to the log. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "gateway/remembered.h"
#include "tests/store/log_rig.h"

#define SMALL ((uint64_t)64 << 10)

static struct log_rig rig;
static char home[100], state_home[120], file[300];

/* A log in audit/ of the working directory, and a place to remember in. */
static int
setup(void **state)
{
	char id[UUID_TEXT_LEN + 1];

	(void)state;
	log_rig_start(&rig, SMALL, SMALL);
	snprintf(home, sizeof home, "%.90s", rig.dir);
	snprintf(rig.dir, sizeof rig.dir, "%s/audit", home);
	snprintf(state_home, sizeof state_home, "%s/state", home);
	assert_int_equal(mkdir(rig.dir, 0700), 0);
	assert_int_equal(mkdir(state_home, 0700), 0);
	assert_int_equal(chdir(home), 0);
	assert_int_equal(setenv("XDG_STATE_HOME", state_home, 1), 0);
	uuid_text(rig.settings.library, id);
	snprintf(file, sizeof file, "%s/memories/%s.checkpoint", state_home, id);
	log_rig_ready(&rig);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	assert_int_equal(chdir("/"), 0);
	snprintf(rig.dir, sizeof rig.dir, "%s", home);
	log_rig_end(&rig);
	return 0;
}

static void
group(uint8_t commit[LOG_COMMIT_LEN])
{
	const struct log_receipt *receipt;

	assert_int_equal(log_rig_append(&rig, LOG_INTENT), OK);
	assert_int_equal(log_commit(rig.log, &receipt), OK);
	memcpy(commit, log_receipt_bytes(receipt).p, LOG_COMMIT_LEN);
}

static struct remembered *
opened(void)
{
	struct remembered *r = NULL;

	assert_int_equal(remembered_open(rig.settings.library, &r), OK);
	return r;
}

static uint64_t
size_in_file(void)
{
	struct remembered *r = opened();
	struct log_point p = { .size = 0 };

	(void)remembered_last(r, &p);
	remembered_close(&r);
	return p.size;
}

/* The log as it was at a size, continued in another way. */
static void
put_back(const uint8_t *bytes, size_t len)
{
	char path[192];

	log_close(&rig.log);
	log_rig_segment_path(&rig, 0, path);
	log_rig_write_file(path, bytes, len);
	log_rig_path(&rig, "anchor", path);
	assert_int_equal(unlink(path), 0);
	log_rig_ready(&rig);
}

static void
each_receipt_is_found_and_remembered(void **state)
{
	uint8_t commit[LOG_COMMIT_LEN];
	struct remembered *r = opened();
	struct log_point p;

	(void)state;
	assert_false(remembered_last(r, &p));
	for (size_t i = 0; i < 300; i++) {
		group(commit);
		assert_int_equal(remembered_extend(r, commit), OK);
		assert_int_equal(size_in_file(), log_size(rig.log));
	}
	assert_true(remembered_last(r, &p));
	assert_true(p.segment > 1);
	remembered_close(&r);
}

static void
a_client_that_was_overtaken_does_not_move_it_back(void **state)
{
	uint8_t early[LOG_COMMIT_LEN], late[LOG_COMMIT_LEN];
	struct remembered *slow = opened(), *fast = opened(), *fresh;

	(void)state;
	group(early);
	group(late);
	assert_int_equal(remembered_extend(fast, late), OK);
	assert_int_equal(remembered_extend(slow, early), OK);
	assert_int_equal(size_in_file(), log_size(rig.log));
	fresh = opened();
	assert_int_equal(remembered_extend(fresh, early), OK);
	remembered_close(&slow);
	remembered_close(&fast);
	remembered_close(&fresh);
}

static void
a_checkpoint_beside_the_log_is_noticed_by_a_client_that_it_is_ahead_of(void **state)
{
	uint8_t early[LOG_COMMIT_LEN], late[LOG_COMMIT_LEN];
	struct remembered *slow = opened(), *fast = opened();
	uint8_t *text;
	char *root;
	size_t len;

	(void)state;
	group(early);
	group(late);
	assert_int_equal(remembered_extend(fast, late), OK);
	text = log_rig_read_file(file, &len);
	root = strchr(strchr((char *)text, '\n') + 1, '\n') + 1;
	*root = *root == 'A' ? 'B' : 'A';
	log_rig_write_file(file, text, len);
	assert_int_equal(remembered_extend(slow, early), ERR_AUDIT_DIVERGED);
	free(text);
	remembered_close(&slow);
	remembered_close(&fast);
}

static void
clients_side_by_side_agree(void **state)
{
	uint8_t commits[100][LOG_COMMIT_LEN];
	pid_t pids[6];
	int status;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		group(commits[i]);
	for (size_t n = 0; n < 6; n++)
		if ((pids[n] = fork()) == 0) {
			struct remembered *r = NULL;

			if (remembered_open(rig.settings.library, &r) != OK)
				_exit(2);
			for (size_t i = n; i < 100; i += 3)
				if (remembered_extend(r, commits[i]) != OK)
					_exit(1);
			_exit(0);
		}
	for (size_t n = 0; n < 6; n++) {
		assert_int_equal(waitpid(pids[n], &status, 0), pids[n]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(size_in_file(), log_size(rig.log));
}

static void
a_log_that_was_put_back_and_went_on_has_diverged(void **state)
{
	uint8_t commit[LOG_COMMIT_LEN], before[LOG_COMMIT_LEN];
	struct remembered *r = opened(), *other;
	char path[192];
	uint8_t *early;
	size_t len;

	(void)state;
	log_rig_segment_path(&rig, 0, path);
	early = log_rig_read_file(path, &len);
	group(before);
	assert_int_equal(remembered_extend(r, before), OK);
	put_back(early, len);
	group(commit);
	group(commit);
	assert_int_equal(remembered_extend(r, commit), ERR_AUDIT_DIVERGED);
	assert_non_null(strstr(remembered_detail(r), ".checkpoint"));
	other = opened();
	assert_int_equal(remembered_extend(other, commit), ERR_AUDIT_DIVERGED);
	assert_int_equal(remembered_compare(other, log_size(rig.log), log_root(rig.log)), ERR_AUDIT_DIVERGED);
	/* Nobody's memory but the file's is left, and the owner has taken that over. */
	assert_int_equal(remembered_accept(other, log_size(rig.log)), OK);
	assert_int_equal(remembered_extend(other, commit), OK);
	group(commit);
	assert_int_equal(remembered_extend(r, commit), OK);
	remembered_close(&r);
	remembered_close(&other);
	free(early);
}

static void
a_receipt_that_is_not_in_the_log_has_diverged(void **state)
{
	uint8_t commit[LOG_COMMIT_LEN];
	struct remembered *r = opened();

	(void)state;
	group(commit);
	commit[LOG_COMMIT_LEN - 1] ^= 1;
	assert_int_equal(remembered_extend(r, commit), ERR_AUDIT_DIVERGED);
	assert_int_not_equal(access(file, F_OK), 0);
	commit[LOG_COMMIT_LEN - 1] ^= 1;
	assert_int_equal(remembered_extend(r, commit), OK);
	log_close(&rig.log);
	log_rig_remove("audit/seg");
	assert_int_equal(remembered_extend(r, commit), ERR_AUDIT_DIVERGED);
	remembered_close(&r);
}

static void
a_file_that_is_not_ours_is_not_passed_over(void **state)
{
	static const char *const texts[] = { "garbage\n", "\n", "memories/0198a000-0000-7000-8000-000000000001\n3\n" };
	struct remembered *r = opened();
	uint8_t commit[LOG_COMMIT_LEN];

	(void)state;
	group(commit);
	assert_int_equal(remembered_extend(r, commit), OK);
	remembered_close(&r);
	assert_int_equal(chmod(file, 0666), 0);
	assert_int_equal(remembered_open(rig.settings.library, &r), ERR_AUDIT_DIVERGED);
	remembered_close(&r);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_int_equal(unlink(file), 0);
		log_rig_write_file(file, texts[i], strlen(texts[i]));
		assert_int_equal(remembered_open(rig.settings.library, &r), ERR_AUDIT_DIVERGED);
		assert_non_null(strstr(remembered_detail(r), file));
		remembered_close(&r);
	}
	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink("/dev/null", file), 0);
	assert_int_equal(remembered_open(rig.settings.library, &r), ERR_AUDIT_DIVERGED);
	remembered_close(&r);
}

static void
an_empty_file_is_what_a_power_loss_leaves_of_none(void **state)
{
	uint8_t commit[LOG_COMMIT_LEN];
	struct remembered *r;

	(void)state;
	r = opened();
	remembered_close(&r);
	log_rig_write_file(file, "", 0);
	r = opened();
	group(commit);
	assert_int_equal(remembered_extend(r, commit), OK);
	assert_int_equal(size_in_file(), log_size(rig.log));
	remembered_close(&r);
}

/* What the process saw itself holds, though nothing can be kept. */
static void
a_place_that_cannot_be_written_is_no_reason_to_stop(void **state)
{
	uint8_t commit[LOG_COMMIT_LEN];
	struct remembered *r;
	char path[192];
	uint8_t *early;
	size_t len;

	(void)state;
	assert_int_equal(chmod(state_home, 0777), 0);
	r = opened();
	log_rig_segment_path(&rig, 0, path);
	early = log_rig_read_file(path, &len);
	group(commit);
	assert_int_equal(remembered_extend(r, commit), OK);
	group(commit);
	assert_int_equal(remembered_extend(r, commit), OK);
	assert_int_not_equal(access(file, F_OK), 0);
	assert_int_equal(remembered_accept(r, log_size(rig.log)), ERR_FILE_UNWRITABLE);
	put_back(early, len);
	group(commit);
	assert_int_equal(remembered_extend(r, commit), ERR_AUDIT_DIVERGED);
	remembered_close(&r);
	free(early);
}

static void
two_libraries_do_not_mix(void **state)
{
	uint8_t commit[LOG_COMMIT_LEN];
	struct remembered *r = opened(), *other = NULL;
	struct log_point p;

	(void)state;
	group(commit);
	assert_int_equal(remembered_extend(r, commit), OK);
	assert_int_equal(remembered_open(uuid_make(clock_wall()), &other), OK);
	assert_false(remembered_last(other, &p));
	remembered_close(&r);
	remembered_close(&other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_receipt_is_found_and_remembered, setup, teardown),
		cmocka_unit_test_setup_teardown(a_client_that_was_overtaken_does_not_move_it_back, setup, teardown),
		cmocka_unit_test_setup_teardown(a_checkpoint_beside_the_log_is_noticed_by_a_client_that_it_is_ahead_of, setup, teardown),
		cmocka_unit_test_setup_teardown(clients_side_by_side_agree, setup, teardown),
		cmocka_unit_test_setup_teardown(a_log_that_was_put_back_and_went_on_has_diverged, setup, teardown),
		cmocka_unit_test_setup_teardown(a_receipt_that_is_not_in_the_log_has_diverged, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_that_is_not_ours_is_not_passed_over, setup, teardown),
		cmocka_unit_test_setup_teardown(an_empty_file_is_what_a_power_loss_leaves_of_none, setup, teardown),
		cmocka_unit_test_setup_teardown(a_place_that_cannot_be_written_is_no_reason_to_stop, setup, teardown),
		cmocka_unit_test_setup_teardown(two_libraries_do_not_mix, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
