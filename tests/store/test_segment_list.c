#include "store/log_follow.h"
#include "store/log_read.h"
#include "store/segment_list.h"
#include "tests/store/log_rig.h"

static void
put_file(const struct log_rig *rig, const char *name)
{
	char path[192];

	log_rig_path(rig, name, path);
	log_rig_write_file(path, (const uint8_t *)"", 0);
}

static int
open_seg(const struct log_rig *rig)
{
	char path[192];
	int fd;

	log_rig_path(rig, "seg", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void
numbers_come_in_order_and_other_names_are_passed_over(void **state)
{
	struct log_rig *rig = *state;
	struct segment_list l;
	int fd;

	log_rig_ready(rig);
	put_file(rig, "seg/0000000300.seg");
	put_file(rig, "seg/9999999999.seg");
	put_file(rig, "seg/0000000040.seg");
	put_file(rig, "seg/0000000040.tmp");
	put_file(rig, "seg/40.seg");
	fd = open_seg(rig);
	assert_int_equal(segment_list_read(fd, &l), OK);
	assert_int_equal(l.n, 4);
	assert_int_equal(l.numbers[0], 1);
	assert_int_equal(l.numbers[1], 40);
	assert_int_equal(l.numbers[2], 300);
	assert_int_equal(l.numbers[3], 9999999999);
	segment_list_free(&l);
	close(fd);
}

static void
a_directory_without_a_segment_has_none(void **state)
{
	struct segment_list l;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(segment_list_read(fd, &l), ERR_NOT_FOUND);
	assert_int_equal(segment_list_read(-1, &l), ERR_FILE_UNREADABLE);
	close(fd);
}

/* Each of these once opened ten thousand million names. */
static void
a_stray_file_of_the_highest_number_costs_no_walk(void **state)
{
	struct log_rig *rig = *state;
	struct log_verify_options options = { .dir = rig->dir };
	uint8_t commit[LOG_COMMIT_LEN];
	struct log_follow *follow = NULL;
	struct log_verdict verdict;
	struct log_point point;
	uint64_t size;

	log_rig_ready(rig);
	size = log_size(rig->log);
	log_close(&rig->log);
	put_file(rig, "seg/9999999999.seg");
	alarm(60);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
	assert_int_equal(log_verify(&options, &verdict), OK);
	assert_true(verdict.valid);
	assert_int_equal(log_follow_open(rig->dir, &follow), OK);
	assert_int_equal(log_follow_find(follow, size, &point, commit), OK);
	log_follow_close(&follow);
	alarm(0);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, log_rig_setup, log_rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(numbers_come_in_order_and_other_names_are_passed_over),
		RUN(a_directory_without_a_segment_has_none),
		RUN(a_stray_file_of_the_highest_number_costs_no_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
