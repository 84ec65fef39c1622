#include "store/log_steps.h"
#include "tests/store/log_rig.h"

/* Content is what is tested here, so the disk may be lazy. */
static int
no_sync(int fd)
{
	(void)fd;
	return 0;
}

static const struct log_io lazy_io = { pread, pwrite, no_sync, no_sync, fallocate };

#define GROUPS_MAX 128

/* A log that was closed: the bytes of its two segments, and where each group ends. */
struct history {
	struct log_rig rig;
	uint8_t       *bytes[2];
	size_t         len[2];
	size_t         ends[2][GROUPS_MAX];
	size_t         n_groups[2];
	uint64_t       n_before[2][GROUPS_MAX]; /* records in all groups before */
	unsigned       seed;
};

static size_t
group_count(const uint8_t *bytes, size_t from, size_t to)
{
	struct log_frame_group g;

	assert_true(log_frame_find_group((struct span){ bytes + from, to - from }, &g));
	return g.n_records;
}

static int
start(void **state)
{
	static const char *const names[] = { "seg/0000000001.seg", "seg/0000000002.seg" };
	struct history *h = calloc(1, sizeof *h);
	uint64_t before = 0;
	char path[192];

	log_io_replace(&lazy_io);
	log_rig_start(&h->rig, 64 << 10, 64 << 10);
	log_rig_ready(&h->rig);
	while (access((log_rig_path(&h->rig, names[1], path), path), F_OK) != 0)
		log_rig_group(&h->rig, log_size(h->rig.log) % 9 + 1);
	for (size_t i = 0; i < 9; i++)
		log_rig_group(&h->rig, i + 1);
	log_close(&h->rig.log);
	for (size_t s = 0; s < 2; s++) {
		log_rig_path(&h->rig, names[s], path);
		h->bytes[s] = log_rig_read_file(path, &h->len[s]);
		h->n_groups[s] = log_rig_groups(h->bytes[s], h->len[s], h->ends[s], GROUPS_MAX);
		for (size_t g = 0; g <= h->n_groups[s]; g++) {
			h->n_before[s][g] = before;
			if (g < h->n_groups[s])
				before += group_count(h->bytes[s], h->ends[s][g], h->ends[s][g + 1]);
		}
	}
	assert_true(h->n_groups[0] >= 40);
	assert_true(h->n_groups[1] >= 10);
	h->seed = 7;
	*state = h;
	return 0;
}

static int
end(void **state)
{
	struct history *h = *state;

	log_rig_end(&h->rig);
	free(h->bytes[0]);
	free(h->bytes[1]);
	free(h);
	return 0;
}

/* The directory as a crash left it: its segments, no anchor, nothing else. */
static void
put_back(struct history *h, const uint8_t *first, size_t first_len, const uint8_t *second, size_t second_len)
{
	char path[192];

	log_rig_remove(h->rig.dir);
	assert_int_equal(mkdir(h->rig.dir, 0700), 0);
	log_rig_path(&h->rig, "seg", path);
	assert_int_equal(mkdir(path, 0700), 0);
	log_rig_path(&h->rig, "seg/0000000001.seg", path);
	log_rig_write_file(path, first, first_len);
	if (second == NULL)
		return;
	log_rig_path(&h->rig, "seg/0000000002.seg", path);
	log_rig_write_file(path, second, second_len);
}

static bool
count_one(void *arg, const struct log_record *r)
{
	uint64_t *n = arg;

	return r->index == (*n)++;
}

static void
assert_steps(const struct log_rig *rig, uint64_t n)
{
	struct log_frame_group g;
	struct log_steps *s;
	struct log_mark m, b;
	enum err e;

	assert_int_equal(log_steps_open(rig->dir, &s), OK);
	assert_int_equal(log_steps_find(s, 1, &m), OK);
	while ((e = log_steps_on(s, &m, &g)) == OK)
		;
	assert_int_equal(e, ERR_NOT_FOUND);
	assert_int_equal(m.size, n);
	assert_int_equal(log_steps_find(s, n, &b), OK);
	while ((e = log_steps_back(s, &b, &g)) == OK)
		;
	assert_int_equal(e, ERR_NOT_FOUND);
	log_steps_close(&s);
}

static void
assert_walks(const struct log_rig *rig, uint64_t n)
{
	uint64_t found = 0;

	assert_int_equal(log_walk(rig->dir, 0, count_one, &found), OK);
	assert_int_equal(found, n);
}

/* Recovers, goes on, recovers again: n records are there, and the log holds. */
static void
assert_recovers(struct history *h, uint64_t n)
{
	struct log_rig *rig = &h->rig;
	enum err e = log_rig_open(rig);

	if (e != OK || rig->n_seen != n)
		fail_msg("recovery: %s, %llu records instead of %llu", err_code(e),
		    (unsigned long long)rig->n_seen, (unsigned long long)n);
	log_rig_assert_valid(rig->dir, n + 1);
	log_rig_certify(rig);
	log_rig_group(rig, 2);
	log_close(&rig->log);
	log_rig_assert_valid(rig->dir, n + 4);
	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(rig->n_seen, n + 4);
	log_close(&rig->log);
	log_rig_assert_valid(rig->dir, n + 5);
	assert_walks(rig, n + 5);
	assert_steps(rig, n + 5);
}

/* A segment that a crash tore stays as it was found. */
static void
assert_untouched(const struct history *h, const char *name, const uint8_t *image, size_t len)
{
	char path[192];
	uint8_t *found;
	size_t found_len;

	log_rig_path(&h->rig, name, path);
	found = log_rig_read_file(path, &found_len);
	assert_int_equal(found_len, len);
	assert_memory_equal(found, image, len);
	free(found);
}

/* How many records end before the byte. */
static uint64_t
counted_before(const struct history *h, size_t s, size_t cut)
{
	size_t g = 0;

	while (g < h->n_groups[s] && h->ends[s][g + 1] <= cut)
		g++;
	return h->n_before[s][g];
}

static void
a_log_cut_at_any_group_keeps_what_came_before(void **state)
{
	struct history *h = *state;

	for (size_t g = 0; g <= h->n_groups[0]; g++) {
		put_back(h, h->bytes[0], h->ends[0][g], NULL, 0);
		assert_recovers(h, h->n_before[0][g]);
		assert_untouched(h, "seg/0000000001.seg", h->bytes[0], h->ends[0][g]);
	}
}

static void
a_log_cut_anywhere_keeps_the_groups_before(void **state)
{
	struct history *h = *state;

	for (int i = 0; i < 80; i++) {
		size_t cut = (size_t)rand_r(&h->seed) % h->ends[0][h->n_groups[0]];

		put_back(h, h->bytes[0], cut, NULL, 0);
		assert_recovers(h, counted_before(h, 0, cut));
		assert_untouched(h, "seg/0000000001.seg", h->bytes[0], cut);
	}
}

static void
a_log_that_ends_in_zeros_anywhere_keeps_the_groups_before(void **state)
{
	struct history *h = *state;
	uint8_t *image = malloc(h->len[0]);

	for (int i = 0; i < 80; i++) {
		size_t cut = (size_t)rand_r(&h->seed) % h->ends[0][h->n_groups[0]];

		memset(image, 0, h->len[0]);
		memcpy(image, h->bytes[0], cut);
		/* The bytes behind the cut may be zero as they are. */
		while (cut < h->len[0] && h->bytes[0][cut] == 0)
			cut++;
		put_back(h, image, h->len[0], NULL, 0);
		assert_recovers(h, counted_before(h, 0, cut));
	}
	free(image);
}

static void
bytes_far_behind_the_last_group_leave_the_segment_alone(void **state)
{
	struct history *h = *state;
	struct log_rig *rig = &h->rig;
	char path[192], second[192];
	uint8_t *bytes;
	size_t len;

	log_rig_remove(rig->dir);
	assert_int_equal(mkdir(rig->dir, 0700), 0);
	rig->settings.first_segment_bytes = 1 << 20;
	log_rig_ready(rig);
	log_close(&rig->log);
	log_rig_path(rig, "seg/0000000001.seg", path);
	log_rig_path(rig, "seg/0000000002.seg", second);
	bytes = log_rig_read_file(path, &len);
	memcpy(bytes + 900000, "torn", 4);
	log_rig_write_file(path, bytes, len);
	assert_recovers(h, 2);
	assert_untouched(h, "seg/0000000001.seg", bytes, len);
	assert_int_equal(access(second, F_OK), 0);
	free(bytes);
}

/*
 * What the disk holds when the write of group g of segment s was not synced:
 * each sector is new or old. True when all that matters is new.
 */
static bool
drop_sectors(struct history *h, size_t s, size_t g, uint8_t *image)
{
	size_t from = g == 0 ? 0 : h->ends[s][g], to = h->ends[s][g + 1];

	memset(image, 0, h->len[s]);
	memcpy(image, h->bytes[s], to);
	for (size_t at = from - from % 512; at < to; at += 512) {
		size_t start_of = at < from ? from : at;
		size_t end_of = at + 512 < to ? at + 512 : to;

		if (rand_r(&h->seed) % 2 == 0)
			memset(image + start_of, 0, end_of - start_of);
	}
	return memcmp(image, h->bytes[s], to) == 0;
}

static void
a_torn_group_does_not_count_and_costs_nothing_before_it(void **state)
{
	struct history *h = *state;
	uint8_t *image = malloc(h->len[0]);

	for (int i = 0; i < 200; i++) {
		size_t g = (size_t)rand_r(&h->seed) % h->n_groups[0];
		bool whole = drop_sectors(h, 0, g, image);

		put_back(h, image, h->len[0], NULL, 0);
		assert_recovers(h, h->n_before[0][whole ? g + 1 : g]);
	}
	free(image);
}

static void
a_group_whose_signature_alone_was_torn_does_not_count(void **state)
{
	struct history *h = *state;
	uint8_t *image = malloc(h->len[0]);

	for (size_t g = 0; g < h->n_groups[0]; g++) {
		memset(image, 0, h->len[0]);
		memcpy(image, h->bytes[0], h->ends[0][g + 1] - 6);
		put_back(h, image, h->len[0], NULL, 0);
		assert_recovers(h, h->n_before[0][g]);
	}
	free(image);
}

static void
a_torn_group_in_a_new_segment_costs_nothing_before_it(void **state)
{
	struct history *h = *state;
	uint8_t *image = malloc(h->len[1]);

	for (int i = 0; i < 100; i++) {
		size_t g = i % 3 == 0 ? (size_t)rand_r(&h->seed) % h->n_groups[1] : 0;
		bool whole = drop_sectors(h, 1, g, image);

		put_back(h, h->bytes[0], h->len[0], image, h->len[1]);
		assert_recovers(h, h->n_before[1][whole ? g + 1 : g]);
	}
	free(image);
}

static void
crashes_upon_crashes_lose_nothing_that_counted(void **state)
{
	struct history *h = *state;
	struct log_rig *rig = &h->rig;
	char name[32], path[192];
	uint64_t counted, number = 1;

	put_back(h, h->bytes[0], h->ends[0][5] + 10, NULL, 0);
	counted = h->n_before[0][5];
	for (int i = 0; i < 20; i++) {
		assert_int_equal(log_rig_open(rig), OK);
		assert_int_equal(rig->n_seen, counted);
		log_rig_certify(rig);
		log_rig_group(rig, 3);
		counted = log_size(rig->log);
		log_close(&rig->log);
		number++;
		snprintf(name, sizeof name, "seg/%010llu.seg", (unsigned long long)number);
		log_rig_path(rig, name, path);
		{
			size_t len, ends[8];
			uint8_t *bytes = log_rig_read_file(path, &len);
			size_t n = log_rig_groups(bytes, len, ends, 8);

			assert_int_equal(n, 3);
			memcpy(bytes + ends[n] + 700, "torn", 4);
			log_rig_write_file(path, bytes, len);
			free(bytes);
		}
	}
	log_rig_assert_valid(rig->dir, counted);
}

static void
damage_before_the_last_group_is_not_taken_for_a_crash(void **state)
{
	struct history *h = *state;
	uint8_t *image = malloc(h->len[0]);

	for (int i = 0; i < 100; i++) {
		size_t at = (size_t)rand_r(&h->seed) % h->ends[0][h->n_groups[0] - 1];

		memcpy(image, h->bytes[0], h->len[0]);
		image[at] ^= (uint8_t)(1 << i % 8);
		put_back(h, image, h->len[0], NULL, 0);
		assert_int_equal(log_rig_open(&h->rig), ERR_AUDIT_TAMPERED);
	}
	free(image);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, start, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(a_log_cut_at_any_group_keeps_what_came_before),
		RUN(a_log_cut_anywhere_keeps_the_groups_before),
		RUN(a_log_that_ends_in_zeros_anywhere_keeps_the_groups_before),
		RUN(bytes_far_behind_the_last_group_leave_the_segment_alone),
		RUN(a_torn_group_does_not_count_and_costs_nothing_before_it),
		RUN(a_group_whose_signature_alone_was_torn_does_not_count),
		RUN(a_torn_group_in_a_new_segment_costs_nothing_before_it),
		RUN(crashes_upon_crashes_lose_nothing_that_counted),
		RUN(damage_before_the_last_group_is_not_taken_for_a_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
