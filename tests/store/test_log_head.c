/* Heads: their order, and the root of an earlier size found in the log. */
#include "store/log_head.h"
#include "tests/store/log_rig.h"

static void
a_head_of_more_repairs_is_newer_whatever_its_size(void **state)
{
	const struct log_head small = { .size = 5 }, large = { .size = 9 }, repaired = { .repairs = 1, .size = 3 };

	(void)state;
	assert_true(log_head_newer(&large, &small));
	assert_false(log_head_newer(&small, &large));
	assert_false(log_head_newer(&large, &large));
	assert_true(log_head_newer(&repaired, &large));
	assert_false(log_head_newer(&large, &repaired));
}

static void
a_head_comes_back_as_it_was_put(void **state)
{
	struct log_head h = { .repairs = 7, .size = 1ull << 40, .root = { 1, 2, 3 } }, back;
	uint8_t buf[LOG_HEAD_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct wire_in in;

	(void)state;
	log_head_put(&o, &h);
	assert_int_equal(o.len, LOG_HEAD_LEN);
	in = wire_in(buf, sizeof buf);
	log_head_take(&in, &back);
	assert_true(wire_done(&in));
	assert_int_equal(back.repairs, 7);
	assert_int_equal(back.size, 1ull << 40);
	assert_memory_equal(back.root, h.root, sizeof h.root);
}

#define N_GROUPS 300

/* A log over several segments, and what it was after each group. */
struct past {
	struct log_rig  rig;
	struct log_head heads[N_GROUPS];
};

static int
begin(void **state)
{
	static struct past p;

	log_rig_start(&p.rig, 64 << 10, 64 << 10);
	log_rig_ready(&p.rig);
	for (size_t i = 0; i < N_GROUPS; i++) {
		log_rig_group(&p.rig, i % 5 + 1);
		p.heads[i].size = log_size(p.rig.log);
		memcpy(p.heads[i].root, log_root(p.rig.log), SHA256_LEN);
	}
	*state = &p;
	return 0;
}

static int
end(void **state)
{
	log_rig_end(&((struct past *)*state)->rig);
	return 0;
}

static void
the_root_of_every_earlier_group_is_found_while_the_log_is_open(void **state)
{
	struct past *p = *state;
	uint8_t root[SHA256_LEN];
	char path[192];

	log_rig_segment_path(&p->rig, 2, path);
	assert_int_equal(access(path, F_OK), 0);
	for (size_t i = 0; i < N_GROUPS; i++) {
		assert_int_equal(log_head_find(p->rig.dir, p->heads[i].size, root), OK);
		assert_memory_equal(root, p->heads[i].root, SHA256_LEN);
	}
}

static void
a_size_within_a_group_past_the_end_or_zero_is_not_found(void **state)
{
	struct past *p = *state;
	uint8_t root[SHA256_LEN];

	assert_int_equal(log_head_find(p->rig.dir, p->heads[N_GROUPS - 2].size - 1, root), ERR_NOT_FOUND);
	assert_int_equal(log_head_find(p->rig.dir, p->heads[N_GROUPS - 1].size + 1, root), ERR_NOT_FOUND);
	assert_int_equal(log_head_find(p->rig.dir, 0, root), ERR_NOT_FOUND);
	assert_int_equal(log_head_find("/nonexistent", 1, root), ERR_NOT_FOUND);
}

static void
damage_before_the_place_is_told_from_its_absence(void **state)
{
	struct past *p = *state;
	uint8_t root[SHA256_LEN], byte = 0x5a;
	char path[192];
	int fd;

	log_rig_segment_path(&p->rig, 0, path);
	assert_true((fd = open(path, O_RDWR)) >= 0);
	assert_int_equal(pwrite(fd, &byte, 1, 3000), 1);
	close(fd);
	assert_int_equal(log_head_find(p->rig.dir, p->heads[20].size, root), ERR_AUDIT_TAMPERED);
	/* A later segment is looked at from its own header on. */
	assert_int_equal(log_head_find(p->rig.dir, p->heads[N_GROUPS - 1].size, root), OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_of_more_repairs_is_newer_whatever_its_size),
		cmocka_unit_test(a_head_comes_back_as_it_was_put),
		cmocka_unit_test_setup_teardown(the_root_of_every_earlier_group_is_found_while_the_log_is_open, begin, end),
		cmocka_unit_test_setup_teardown(a_size_within_a_group_past_the_end_or_zero_is_not_found, begin, end),
		cmocka_unit_test_setup_teardown(damage_before_the_place_is_told_from_its_absence, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
