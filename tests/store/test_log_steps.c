#include "store/log_steps.h"
#include "tests/store/log_rig.h"

#define N_SEGMENTS 6

/*
 * A closed log after three crashes: one tore a write behind the last group of
 * segment 1, one the header of segment 2, one the first group of segment 4.
 */
struct sample {
	struct log_rig    rig;
	struct log_steps *steps;
	uint64_t          size;
	unsigned          seed;
};

/* Groups until the i-th segment, from 0, holds one. */
static void
fill(struct log_rig *rig, size_t i)
{
	char path[192];

	log_rig_ready(rig);
	log_rig_segment_path(rig, i, path);
	for (size_t n = 0; access(path, F_OK) != 0; n++)
		log_rig_group(rig, n % 7 + 1);
	log_close(&rig->log);
}

static void
tear(const struct log_rig *rig)
{
	char path[192];
	uint8_t *bytes;
	size_t len;

	log_rig_segment_path(rig, 0, path);
	bytes = log_rig_read_file(path, &len);
	memcpy(bytes + 60000, "torn", 4);
	log_rig_write_file(path, bytes, len);
	log_rig_segment_path(rig, 1, path);
	memset(bytes, 0, len);
	memcpy(bytes, "torn", 4);
	log_rig_write_file(path, bytes, len);
	free(bytes);
}

static void
remove_anchor(const struct log_rig *rig)
{
	char path[192];

	log_rig_path(rig, "anchor", path);
	assert_int_equal(unlink(path), 0);
}

static void
empty(const struct log_rig *rig, size_t i)
{
	char path[192];
	uint8_t *bytes;
	size_t len;

	remove_anchor(rig);
	log_rig_segment_path(rig, i, path);
	bytes = log_rig_read_file(path, &len);
	memset(bytes + SEGMENT_HEADER_LEN, 0, len - SEGMENT_HEADER_LEN);
	log_rig_write_file(path, bytes, len);
	free(bytes);
}

static int
start(void **state)
{
	struct sample *s = calloc(1, sizeof *s);

	log_rig_start(&s->rig, 64 << 10, 64 << 10);
	log_rig_ready(&s->rig);
	for (size_t i = 0; i < 12; i++)
		log_rig_group(&s->rig, i % 9 + 1);
	log_close(&s->rig.log);
	tear(&s->rig);
	fill(&s->rig, 3);
	empty(&s->rig, 3);
	fill(&s->rig, N_SEGMENTS - 1);
	log_rig_ready(&s->rig);
	log_rig_group(&s->rig, 3);
	s->size = log_size(s->rig.log);
	log_close(&s->rig.log);
	assert_int_equal(log_steps_open(s->rig.dir, &s->steps), OK);
	s->seed = 7;
	*state = s;
	return 0;
}

static int
end(void **state)
{
	struct sample *s = *state;

	log_steps_close(&s->steps);
	log_rig_end(&s->rig);
	free(s);
	return 0;
}

static void
expect_records(const struct log_frame_group *g, uint64_t first)
{
	struct wire_in in = wire_in(g->records.p, g->records.len);

	assert_int_equal(g->commit.first, first);
	for (uint32_t i = 0; i < g->n_records; i++) {
		struct span leaf = log_frame_take_record(&in);
		struct wire_in leaf_in = wire_in(leaf.p, leaf.len);
		struct log_record r;

		log_record_take(&leaf_in, &r);
		assert_false(leaf_in.failed);
		assert_int_equal(r.index, first + i);
	}
}

/* Steps back as far as it goes; how many records there were. */
static uint64_t
walk_back(struct log_steps *s, struct log_mark *m, enum err *e)
{
	uint64_t from = m->size;
	struct log_frame_group g;

	while ((*e = log_steps_back(s, m, &g)) == OK)
		expect_records(&g, m->size);
	return from - m->size;
}

static uint64_t
walk_on(struct log_steps *s, struct log_mark *m, enum err *e)
{
	uint64_t from = m->size;
	struct log_frame_group g;

	while ((*e = log_steps_on(s, m, &g)) == OK)
		expect_records(&g, m->size - g.n_records);
	return m->size - from;
}

static void
every_group_is_met_on_the_way_from_the_end_to_the_beginning_and_back(void **state)
{
	struct sample *s = *state;
	struct log_mark m, at_end;
	enum err e;

	assert_int_equal(log_steps_find(s->steps, UINT64_MAX, &m), OK);
	assert_int_equal(m.size, s->size);
	at_end = m;
	assert_int_equal(walk_back(s->steps, &m, &e), s->size);
	assert_int_equal(e, ERR_NOT_FOUND);
	assert_int_equal(m.size, 0);
	assert_int_equal(walk_on(s->steps, &m, &e), s->size);
	assert_int_equal(e, ERR_NOT_FOUND);
	assert_int_equal(m.number, at_end.number);
	assert_int_equal(m.at, at_end.at);
	assert_memory_equal(m.previous, at_end.previous, sizeof m.previous);
}

static void
any_record_is_found_behind_the_group_that_holds_it(void **state)
{
	struct sample *s = *state;
	struct log_mark m, before;
	struct log_frame_group g;

	for (uint64_t i = 0; i < s->size; i++) {
		assert_int_equal(log_steps_find(s->steps, i + 1, &m), OK);
		before = m;
		assert_int_equal(log_steps_back(s->steps, &before, &g), OK);
		assert_in_range(i, before.size, m.size - 1);
	}
	assert_int_equal(log_steps_find(s->steps, s->size + 9, &m), OK);
	assert_int_equal(m.size, s->size);
	assert_int_equal(log_steps_find(s->steps, 0, &m), OK);
	assert_int_equal(m.size, 0);
	assert_int_equal(log_steps_back(s->steps, &m, &g), ERR_NOT_FOUND);
}

static void
a_group_written_meanwhile_is_met_even_in_a_new_segment(void **state)
{
	struct sample *s = *state;
	struct log_mark m;
	struct log_frame_group g;
	uint64_t from;

	log_rig_ready(&s->rig);
	assert_int_equal(log_steps_find(s->steps, UINT64_MAX, &m), OK);
	from = m.number;
	for (size_t i = 0; m.number < from + 2; i++) {
		if (i % 3 == 0)
			assert_int_equal(log_steps_on(s->steps, &m, &g), ERR_NOT_FOUND);
		log_rig_group(&s->rig, 20);
		assert_int_equal(log_steps_on(s->steps, &m, &g), OK);
		expect_records(&g, log_size(s->rig.log) - 20);
	}
}

/* The last segment's bytes, where its last group begins, and where it ends. */
static uint8_t *
last_segment(const struct sample *s, char path[192], size_t *len, size_t *begins, size_t *ends)
{
	size_t all[256], n;
	uint8_t *bytes;

	log_rig_segment_path(&s->rig, N_SEGMENTS - 1, path);
	bytes = log_rig_read_file(path, len);
	n = log_rig_groups(bytes, *len, all, 256);
	assert_true(n > 0);
	*begins = all[n - 1];
	*ends = all[n];
	return bytes;
}

static void
a_torn_last_group_is_passed_over_whatever_is_left_of_it(void **state)
{
	struct sample *s = *state;
	size_t len, begins, ends;
	char path[192];
	uint8_t *bytes = last_segment(s, path, &len, &begins, &ends);

	remove_anchor(&s->rig);
	for (int round = 0; round < 40; round++) {
		uint8_t *torn = malloc(len);
		struct log_mark m;
		enum err e;

		memcpy(torn, bytes, len);
		for (size_t at = begins; at < ends; at += 64)
			if (round == 0 ? at == begins : rand_r(&s->seed) % 3 == 0)
				memset(torn + at, 0, at + 64 < ends ? 64 : ends - at);
		if (memcmp(torn, bytes, len) != 0) {
			log_rig_write_file(path, torn, len);
			assert_int_equal(log_steps_find(s->steps, UINT64_MAX, &m), OK);
			assert_int_equal(m.size, s->size - 3);
			assert_int_equal(walk_back(s->steps, &m, &e), s->size - 3);
			assert_int_equal(e, ERR_NOT_FOUND);
			assert_int_equal(log_steps_find(s->steps, s->size - 1, &m), OK);
			assert_int_equal(m.size, s->size - 3);
			assert_int_equal(log_steps_on(s->steps, &m, &(struct log_frame_group){ .len = 0 }), ERR_NOT_FOUND);
		}
		free(torn);
	}
	free(bytes);
}

static void
a_log_that_ends_before_its_anchor_has_no_end(void **state)
{
	struct sample *s = *state;
	size_t len, begins, ends;
	char path[192];
	uint8_t *bytes = last_segment(s, path, &len, &begins, &ends);
	struct log_mark m;

	memset(bytes + begins, 0, ends - begins);
	log_rig_write_file(path, bytes, len);
	assert_int_equal(log_steps_find(s->steps, UINT64_MAX, &m), ERR_AUDIT_TAMPERED);
	assert_int_equal(log_steps_find(s->steps, s->size, &m), ERR_AUDIT_TAMPERED);
	assert_int_equal(log_steps_find(s->steps, s->size - 3, &m), OK);
	assert_int_equal(m.size, s->size - 3);
	remove_anchor(&s->rig);
	assert_int_equal(log_steps_find(s->steps, UINT64_MAX, &m), OK);
	assert_int_equal(m.size, s->size - 3);
	free(bytes);
}

/* Zeros where a group was, with groups behind them. */
static void
a_hole_is_not_the_end_of_the_log(void **state)
{
	struct sample *s = *state;
	size_t len, all[256], n;
	struct log_frame_group g;
	struct log_mark m;
	char path[192];
	uint8_t *bytes;
	enum err e;

	log_rig_ready(&s->rig);
	log_rig_group(&s->rig, 5);
	log_close(&s->rig.log);
	remove_anchor(&s->rig);
	log_rig_segment_path(&s->rig, N_SEGMENTS - 1, path);
	bytes = log_rig_read_file(path, &len);
	n = log_rig_groups(bytes, len, all, 256);
	assert_true(n > 3);
	for (size_t i = 0; i + 1 < n; i++) {
		uint8_t *copy = malloc(len);

		assert_true(log_frame_find_group((struct span){ bytes + all[i], len - all[i] }, &g));
		memcpy(copy, bytes, len);
		memset(copy + all[i], 0, all[i + 1] - all[i]);
		log_rig_write_file(path, copy, len);
		free(copy);
		assert_int_equal(log_steps_find(s->steps, 0, &m), OK);
		assert_int_equal(walk_on(s->steps, &m, &e), g.commit.first);
		assert_int_equal(e, ERR_AUDIT_TAMPERED);
		assert_int_equal(log_steps_find(s->steps, g.commit.first + 1, &m), ERR_AUDIT_TAMPERED);
	}
	free(bytes);
}

static void
a_changed_group_ends_the_walk_from_both_sides(void **state)
{
	struct sample *s = *state;
	size_t len, all[256], n;
	char path[192];
	uint8_t *bytes;

	log_rig_segment_path(&s->rig, 2, path);
	bytes = log_rig_read_file(path, &len);
	n = log_rig_groups(bytes, len, all, 256);
	assert_true(n > 8);
	for (int round = 0; round < 60; round++) {
		uint8_t flip = (uint8_t)(1u << rand_r(&s->seed) % 8);
		size_t at = all[2] + (size_t)rand_r(&s->seed) % (all[n - 2] - all[2]);
		struct log_mark m, last;
		uint64_t behind, before;
		enum err e;

		bytes[at] ^= flip;
		log_rig_write_file(path, bytes, len);
		assert_int_equal(log_steps_find(s->steps, UINT64_MAX, &m), OK);
		behind = walk_back(s->steps, &m, &e);
		assert_int_equal(e, ERR_AUDIT_TAMPERED);
		last = m;
		assert_int_equal(log_steps_find(s->steps, 0, &m), OK);
		before = walk_on(s->steps, &m, &e);
		assert_int_equal(e, ERR_AUDIT_TAMPERED);
		assert_true(before + behind < s->size && before <= last.size);
		e = log_steps_find(s->steps, before + 1, &m);
		assert_true(e == ERR_AUDIT_TAMPERED || (e == OK && m.size > before));
		if (e == OK)
			assert_int_equal(log_steps_back(s->steps, &m, &(struct log_frame_group){ .len = 0 }), ERR_AUDIT_TAMPERED);
		bytes[at] ^= flip;
	}
	free(bytes);
}

static void
a_segment_that_is_missing_or_exchanged_ends_the_walk(void **state)
{
	struct sample *s = *state;
	char first[192], second[192], aside[192];
	struct log_mark m, at_start;
	uint64_t behind;
	enum err e;

	assert_int_equal(log_steps_find(s->steps, 0, &at_start), OK);
	log_rig_segment_path(&s->rig, 2, first);
	log_rig_segment_path(&s->rig, 4, second);
	log_rig_path(&s->rig, "seg/aside", aside);
	assert_int_equal(rename(first, aside), 0);
	assert_int_equal(log_steps_find(s->steps, UINT64_MAX, &m), OK);
	behind = walk_back(s->steps, &m, &e);
	assert_int_equal(e, ERR_AUDIT_TAMPERED);
	assert_in_range(behind, 1, s->size - 1);
	assert_int_equal(log_steps_find(s->steps, 1, &m), ERR_AUDIT_TAMPERED);
	assert_int_equal(rename(second, first), 0);
	assert_int_equal(rename(aside, second), 0);
	assert_int_equal(log_steps_find(s->steps, 1, &m), ERR_AUDIT_TAMPERED);
	(void)walk_on(s->steps, &at_start, &e);
	assert_int_equal(e, ERR_AUDIT_TAMPERED);
}

/* A sealed text is the owner's: it can be any bytes, even those of the log. */
static void
a_record_that_holds_the_commit_before_it_misleads_nobody(void **state)
{
	struct sample *s = *state;
	struct log_record r = log_rig_record(LOG_INTENT);
	uint8_t frame[2 * LOG_COMMIT_FRAME_LEN];
	struct wire_out o = wire_out(frame, sizeof frame);
	const struct log_receipt *receipt;
	struct log_mark m;
	uint64_t index;
	enum err e;

	log_rig_ready(&s->rig);
	assert_int_equal(log_rig_append(&s->rig, LOG_INTENT), OK);
	assert_int_equal(log_commit(s->rig.log, &receipt), OK);
	for (int i = 0; i < 2; i++) {
		wire_put_bytes(&o, "ACM1", 4);
		wire_put_bytes(&o, log_receipt_bytes(receipt).p, LOG_COMMIT_LEN);
	}
	r.sealed = wire_written(&o);
	assert_int_equal(log_append(s->rig.log, &r, &index), OK);
	assert_int_equal(log_rig_append(&s->rig, LOG_INTENT), OK);
	assert_int_equal(log_rig_commit(&s->rig), OK);
	assert_int_equal(log_steps_find(s->steps, UINT64_MAX, &m), OK);
	assert_int_equal(walk_back(s->steps, &m, &e), log_size(s->rig.log));
	assert_int_equal(e, ERR_NOT_FOUND);
}

static void
a_folder_without_a_used_segment_holds_no_record(void **state)
{
	char dir[] = "/tmp/memories-steps-XXXXXX", path[64];
	struct log_steps *steps = NULL;
	static uint8_t blank[65536];
	struct log_mark m;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(log_steps_open(dir, &steps), ERR_NOT_FOUND);
	snprintf(path, sizeof path, "%s/seg", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(log_steps_open(dir, &steps), OK);
	assert_int_equal(log_steps_find(steps, UINT64_MAX, &m), ERR_NOT_FOUND);
	snprintf(path, sizeof path, "%s/seg/0000000001.seg", dir);
	log_rig_write_file(path, blank, sizeof blank);
	assert_int_equal(log_steps_find(steps, UINT64_MAX, &m), ERR_NOT_FOUND);
	blank[0] = 1;
	log_rig_write_file(path, blank, sizeof blank);
	assert_int_equal(log_steps_find(steps, UINT64_MAX, &m), ERR_AUDIT_TAMPERED);
	log_steps_close(&steps);
	log_rig_remove(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_group_is_met_on_the_way_from_the_end_to_the_beginning_and_back, start, end),
		cmocka_unit_test_setup_teardown(any_record_is_found_behind_the_group_that_holds_it, start, end),
		cmocka_unit_test_setup_teardown(a_group_written_meanwhile_is_met_even_in_a_new_segment, start, end),
		cmocka_unit_test_setup_teardown(a_torn_last_group_is_passed_over_whatever_is_left_of_it, start, end),
		cmocka_unit_test_setup_teardown(a_log_that_ends_before_its_anchor_has_no_end, start, end),
		cmocka_unit_test_setup_teardown(a_hole_is_not_the_end_of_the_log, start, end),
		cmocka_unit_test_setup_teardown(a_changed_group_ends_the_walk_from_both_sides, start, end),
		cmocka_unit_test_setup_teardown(a_segment_that_is_missing_or_exchanged_ends_the_walk, start, end),
		cmocka_unit_test_setup_teardown(a_record_that_holds_the_commit_before_it_misleads_nobody, start, end),
		cmocka_unit_test(a_folder_without_a_used_segment_holds_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
