#include "store/log_anchor.h"
#include "store/log_key.h"
#include "tests/store/log_rig.h"

#define N_SEGMENTS 3

/* A closed log of three segments and two epochs. */
struct sample {
	struct log_rig rig;
	uint8_t       *bytes[N_SEGMENTS];
	size_t         len[N_SEGMENTS];
	size_t         ends[N_SEGMENTS][256];
	size_t         n_groups[N_SEGMENTS];
	uint64_t       size;
	unsigned       seed;
};

static int
start(void **state)
{
	struct sample *s = calloc(1, sizeof *s);
	struct log_rig *rig = &s->rig;
	char path[192];

	log_rig_start(rig, 64 << 10, 64 << 10);
	log_rig_ready(rig);
	for (size_t i = 0; i < 40; i++)
		log_rig_group(rig, i % 9 + 1);
	log_close(&rig->log);
	log_rig_ready(rig);
	log_rig_segment_path(&s->rig, N_SEGMENTS - 1, path);
	for (size_t i = 0; access(path, F_OK) != 0; i++)
		log_rig_group(rig, i % 9 + 1);
	for (size_t i = 0; i < 10; i++)
		log_rig_group(rig, i % 3 + 1);
	s->size = log_size(rig->log);
	log_close(&rig->log);
	for (size_t i = 0; i < N_SEGMENTS; i++) {
		log_rig_segment_path(&s->rig, i, path);
		s->bytes[i] = log_rig_read_file(path, &s->len[i]);
		s->n_groups[i] = log_rig_groups(s->bytes[i], s->len[i], s->ends[i], 256);
		assert_true(s->n_groups[i] > 5);
	}
	s->seed = 11;
	*state = s;
	return 0;
}

static int
end(void **state)
{
	struct sample *s = *state;

	log_rig_end(&s->rig);
	for (size_t i = 0; i < N_SEGMENTS; i++)
		free(s->bytes[i]);
	free(s);
	return 0;
}

static enum err
verify(const struct sample *s, bool full, struct log_verdict *v)
{
	struct log_verify_options o = { .dir = s->rig.dir, .full = full };

	return log_verify(&o, v);
}

/* The index of the first record of the group or header that byte `at` of segment i is in. */
static uint64_t
first_of(const struct sample *s, size_t i, size_t at)
{
	struct segment_header h;
	struct log_frame_group g;
	size_t n = 0;

	assert_int_equal(segment_header_take((struct span){ s->bytes[i], s->len[i] }, &h), SEGMENT_GOOD);
	if (at < SEGMENT_HEADER_LEN)
		return h.first;
	while (s->ends[i][n + 1] <= at)
		n++;
	assert_true(log_frame_find_group((struct span){ s->bytes[i] + s->ends[i][n],
	    s->len[i] - s->ends[i][n] }, &g));
	return g.commit.first;
}

static void
write_segment(const struct sample *s, size_t i)
{
	char path[192];

	log_rig_segment_path(&s->rig, i, path);
	log_rig_write_file(path, s->bytes[i], s->len[i]);
}

static void
a_whole_log_is_valid(void **state)
{
	struct sample *s = *state;
	struct log_verdict fast, full;

	assert_int_equal(verify(s, false, &fast), OK);
	assert_int_equal(verify(s, true, &full), OK);
	assert_true(fast.valid);
	assert_true(full.valid);
	assert_int_equal(full.size, s->size);
	assert_int_equal(full.n_epochs, 2);
	assert_int_equal(full.n_pending_epochs, 0);
	assert_memory_equal(fast.root, full.root, SHA256_LEN);
}

static void
every_flipped_bit_is_found_where_it_is(void **state)
{
	struct sample *s = *state;
	struct log_verdict v;

	for (int i = 0; i < 500; i++) {
		size_t n = (size_t)rand_r(&s->seed) % N_SEGMENTS;
		size_t at = (size_t)rand_r(&s->seed) % s->ends[n][s->n_groups[n]];
		enum err e;

		if (i % 10 == 0) /* the last group of a segment has nothing behind it */
			at = s->ends[n][s->n_groups[n]] - 1 - at % 150;
		s->bytes[n][at] ^= (uint8_t)(1 << i % 8);
		write_segment(s, n);
		e = verify(s, i % 2 == 0, &v);
		s->bytes[n][at] ^= (uint8_t)(1 << i % 8);
		write_segment(s, n);
		if (e != OK || v.valid)
			fail_msg("a flip at %zu of segment %zu was not found: %s", at, n + 1, err_code(e));
		assert_true(v.reason[0] != '\0');
		if (v.bad_index != first_of(s, n, at))
			/* In a signature that a later commit vouches for, the next group shows it. */
			assert_true(i % 2 == 1 && v.bad_index > first_of(s, n, at));
	}
	assert_int_equal(verify(s, true, &v), OK);
	assert_true(v.valid);
}

/* Around the end of what is read at once, too. */
static void
a_later_group_is_found_anywhere_in_a_long_tail(void **state)
{
	static uint8_t image[5 << 20];
	struct sample *s = *state;
	struct segment_header h = { .library = s->rig.settings.library, .number = 1, .bytes = sizeof image };
	struct log_commit c = { .first = 5, .count = 1, .size = 6 };
	struct log_verdict v;
	char path[192];

	log_rig_remove(s->rig.dir);
	assert_int_equal(mkdir(s->rig.dir, 0700), 0);
	log_rig_ready(&s->rig);
	log_close(&s->rig.log);
	log_rig_path(&s->rig, "anchor", path);
	assert_int_equal(unlink(path), 0);
	log_rig_segment_path(&s->rig, 0, path);
	for (size_t at = (2 << 20) - 240; at < (2 << 20) + 20; at += 20) {
		struct wire_out o = wire_out(image, sizeof image);

		memset(image, 0, sizeof image);
		segment_header_put(&o, &h);
		o.len = at;
		log_frame_put_commit(&o, &c);
		log_rig_write_file(path, image, sizeof image);
		assert_int_equal(verify(s, false, &v), OK);
		assert_false(v.valid);
		assert_int_equal(v.bad_index, 0);
	}
}

static void
a_missing_segment_is_invalid(void **state)
{
	struct sample *s = *state;
	struct log_verdict v;
	char path[192];

	log_rig_segment_path(&s->rig, 1, path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(verify(s, false, &v), OK);
	assert_false(v.valid);
	assert_int_equal(v.bad_index, first_of(s, 1, 0));
	assert_string_equal(v.reason, "a segment is missing");
}

static void
exchanged_segments_are_invalid(void **state)
{
	struct sample *s = *state;
	char a[192], b[192], aside[192];
	struct log_verdict v;

	log_rig_segment_path(&s->rig, 0, a);
	log_rig_segment_path(&s->rig, 1, b);
	log_rig_path(&s->rig, "seg/aside", aside);
	assert_int_equal(rename(a, aside), 0);
	assert_int_equal(rename(b, a), 0);
	assert_int_equal(rename(aside, b), 0);
	assert_int_equal(verify(s, false, &v), OK);
	assert_false(v.valid);
	assert_int_equal(v.bad_index, 0);
}

static void
a_segment_of_another_log_is_invalid(void **state)
{
	struct sample *s = *state;
	struct log_rig other;
	struct log_verdict v;
	char path[192];

	log_rig_start(&other, 64 << 10, 64 << 10);
	log_rig_ready(&other);
	log_rig_path(&other, "seg/0000000001.seg", path);
	{
		size_t len;
		uint8_t *bytes = log_rig_read_file(path, &len);

		log_rig_segment_path(&s->rig, 0, path);
		log_rig_write_file(path, bytes, len);
		free(bytes);
	}
	log_rig_end(&other);
	assert_int_equal(verify(s, false, &v), OK);
	assert_false(v.valid);
	assert_string_equal(v.reason, "a segment is of another library's log");
}

static void
a_log_rolled_back_is_behind_its_anchor(void **state)
{
	struct sample *s = *state;
	struct log_verdict v;
	size_t to = s->ends[2][3];

	memset(s->bytes[2] + to, 0, s->len[2] - to);
	write_segment(s, 2);
	assert_int_equal(verify(s, false, &v), ERR_AUDIT_DIVERGED);
	assert_true(v.valid);
	assert_true(v.size < s->size);
	assert_int_equal(log_rig_open(&s->rig), ERR_AUDIT_TAMPERED);
}

static void
a_log_without_segments_is_behind_its_anchor_while_that_is_left(void **state)
{
	struct sample *s = *state;
	struct log_verdict v;
	char path[192];

	for (size_t i = 0; log_rig_segment_path(&s->rig, i, path), access(path, F_OK) == 0; i++)
		assert_int_equal(unlink(path), 0);
	assert_int_equal(verify(s, false, &v), ERR_AUDIT_DIVERGED);
	log_rig_path(&s->rig, "anchor", path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(verify(s, false, &v), ERR_NOT_FOUND);
	log_rig_path(&s->rig, "checkpoint", path);
	assert_int_equal(mkdir(path, 0700), 0);
	write_segment(s, 0);
	assert_int_equal(verify(s, false, &v), OK);
	assert_false(v.valid);
	assert_string_equal(v.reason, "the checkpoint does not have its form");
}

static void
a_log_of_another_past_is_beside_its_anchor(void **state)
{
	struct sample *s = *state;
	char path[192], copy[192];
	struct log_verdict v;
	uint8_t *bytes;
	size_t len;

	/* Two ways to go on from here; the anchor of one, the log of the other. */
	log_rig_path(&s->rig, "anchor", path);
	log_rig_segment_path(&s->rig, 2, copy);
	log_rig_ready(&s->rig);
	log_close(&s->rig.log);
	bytes = log_rig_read_file(path, &len);
	write_segment(s, 2);
	assert_int_equal(unlink(path), 0);
	log_rig_ready(&s->rig);
	log_close(&s->rig.log);
	log_rig_write_file(path, bytes, len);
	free(bytes);
	assert_int_equal(verify(s, false, &v), ERR_AUDIT_DIVERGED);
	assert_true(v.valid);
	assert_int_equal(log_rig_open(&s->rig), ERR_AUDIT_TAMPERED);
}

static void
an_anchor_that_somebody_wrote_to_is_a_change_from_outside(void **state)
{
	struct sample *s = *state;
	struct log_verdict v;
	uint8_t *bytes;
	char path[192];
	size_t len;

	log_rig_path(&s->rig, "anchor", path);
	bytes = log_rig_read_file(path, &len);
	bytes[7] ^= 1;
	log_rig_write_file(path, bytes, len);
	assert_int_equal(verify(s, false, &v), ERR_AUDIT_DIVERGED);
	assert_true(v.valid);
	assert_int_equal(log_rig_open(&s->rig), ERR_AUDIT_TAMPERED);
	bytes[7] ^= 1;
	log_rig_write_file(path, bytes, len + 1);
	assert_int_equal(verify(s, false, &v), ERR_AUDIT_DIVERGED);
	assert_int_equal(log_rig_open(&s->rig), ERR_AUDIT_TAMPERED);
	log_rig_write_file(path, bytes, len);
	free(bytes);
	assert_int_equal(log_rig_open(&s->rig), OK);
}

/* A crash can leave these where the first anchor was to be; the next one is written there all the same. */
static void
an_empty_anchor_and_one_of_zeros_are_none(void **state)
{
	struct sample *s = *state;
	static const uint8_t zeros[LOG_ANCHOR_LEN];
	struct log_anchor a;
	char path[192];

	log_rig_path(&s->rig, "anchor", path);
	for (size_t len = 0; len <= sizeof zeros; len += sizeof zeros) {
		int fd;

		log_rig_write_file(path, zeros, len);
		assert_int_equal(log_rig_open(&s->rig), OK);
		log_close(&s->rig.log);
		fd = open(s->rig.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_int_equal(log_anchor_look(fd, &a), LOG_ANCHOR_GOOD);
		close(fd);
	}
}

static void
another_key_does_not_verify_the_log(void **state)
{
	struct sample *s = *state;
	struct log_verify_options o = { .dir = s->rig.dir };
	char path[192], own[192], origin[64];
	uint8_t key[SIGN_PUBLIC_LEN];
	struct log_rig other;
	struct log_verdict v;

	log_rig_path(&s->rig, "key.pub", own);
	assert_int_equal(log_key_read(own, origin, key), OK);
	assert_memory_equal(key, signer_public(s->rig.log_key), sizeof key);
	log_rig_start(&other, 0, 0);
	other.settings.library = s->rig.settings.library;
	other.settings.first_segment_bytes = 64 << 10;
	log_rig_ready(&other);
	log_rig_path(&other, "key.pub", path);
	o.key_file = path;
	assert_int_equal(log_verify(&o, &v), OK);
	assert_false(v.valid);
	assert_string_equal(v.reason, "the certificate of an epoch does not hold");
	assert_int_equal(v.bad_index, 1);
	o.key_file = own;
	assert_int_equal(log_verify(&o, &v), OK);
	assert_true(v.valid);
	o.key_file = "/dev/null";
	assert_int_equal(log_verify(&o, &v), ERR_INVALID_CONTENT);
	o.key_file = "/nowhere/key.pub";
	assert_int_equal(log_verify(&o, &v), ERR_FILE_UNREADABLE);
	log_rig_end(&other);
}

static void
what_is_no_log_is_not_found(void **state)
{
	struct log_verify_options o = { .dir = "/nowhere" };
	struct log_verdict v;

	(void)state;
	assert_int_equal(log_verify(&o, &v), ERR_NOT_FOUND);
}

static void
a_log_without_records_is_valid_and_empty(void **state)
{
	struct sample *s = *state;
	struct log_verdict v;
	uint8_t empty[SHA256_LEN];
	char path[192];

	log_rig_path(&s->rig, "anchor", path);
	unlink(path);
	for (size_t i = 0; i < N_SEGMENTS; i++) {
		memset(s->bytes[i], 0, s->len[i]);
		write_segment(s, i);
	}
	assert_int_equal(verify(s, false, &v), OK);
	assert_true(v.valid);
	assert_int_equal(v.size, 0);
	sha256("", 0, empty);
	assert_memory_equal(v.root, empty, sizeof empty);
}

static void
assert_refused_as_no_file(struct sample *s)
{
	struct log_verdict v;

	assert_int_equal(verify(s, false, &v), OK);
	assert_false(v.valid);
	assert_string_equal(v.reason, "a segment is no regular file");
	assert_int_equal(log_rig_open(&s->rig), ERR_AUDIT_TAMPERED);
}

static void
things_that_are_no_segments_are_refused(void **state)
{
	struct sample *s = *state;
	struct log_verdict v;
	char path[192];

	log_rig_segment_path(&s->rig, 1, path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refused_as_no_file(s);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_refused_as_no_file(s);
	assert_int_equal(unlink(path), 0);
	log_rig_write_file(path, "", 0);
	assert_int_equal(truncate(path, (off_t)1 << 40), 0);
	assert_int_equal(verify(s, false, &v), OK);
	assert_false(v.valid);
	assert_int_equal(log_rig_open(&s->rig), ERR_AUDIT_TAMPERED);
}

static void
a_log_can_be_verified_while_it_is_written(void **state)
{
	struct sample *s = *state;

	log_rig_ready(&s->rig);
	for (int i = 0; i < 30; i++) {
		log_rig_group(&s->rig, 5);
		log_rig_assert_valid(s->rig.dir, log_size(s->rig.log));
	}
}

struct seen {
	uint64_t next;
	uint64_t n;
	uint64_t stop_after;
};

static bool
see(void *arg, const struct log_record *r)
{
	struct seen *seen = arg;

	if (r->index != seen->next)
		return false;
	seen->next++;
	return ++seen->n < seen->stop_after;
}

static void
a_walk_gives_the_records_from_the_first_on(void **state)
{
	struct sample *s = *state;
	struct seen seen;

	for (uint64_t first = 0; first <= s->size; first += 13) {
		seen = (struct seen){ .next = first, .stop_after = UINT64_MAX };
		assert_int_equal(log_walk(s->rig.dir, first, see, &seen), OK);
		assert_int_equal(seen.n, s->size - first);
	}
	seen = (struct seen){ .next = s->size + 5, .stop_after = UINT64_MAX };
	assert_int_equal(log_walk(s->rig.dir, s->size + 5, see, &seen), OK);
	assert_int_equal(seen.n, 0);
	assert_int_equal(log_walk("/nowhere", 0, see, &seen), ERR_NOT_FOUND);
}

static void
a_walk_stops_when_it_is_told_to(void **state)
{
	struct sample *s = *state;
	struct seen seen = { .next = 10, .stop_after = 3 };

	assert_int_equal(log_walk(s->rig.dir, 10, see, &seen), OK);
	assert_int_equal(seen.n, 3);
}

static void
a_walk_stops_before_what_does_not_hold(void **state)
{
	struct sample *s = *state;
	struct seen seen = { .stop_after = UINT64_MAX };
	size_t at = s->ends[1][2] + 20;

	s->bytes[1][at] ^= 4;
	write_segment(s, 1);
	assert_int_equal(log_walk(s->rig.dir, 0, see, &seen), ERR_AUDIT_TAMPERED);
	assert_int_equal(seen.n, first_of(s, 1, at));
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, start, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(a_whole_log_is_valid),
		RUN(every_flipped_bit_is_found_where_it_is),
		RUN(a_later_group_is_found_anywhere_in_a_long_tail),
		RUN(a_missing_segment_is_invalid),
		RUN(exchanged_segments_are_invalid),
		RUN(a_segment_of_another_log_is_invalid),
		RUN(a_log_rolled_back_is_behind_its_anchor),
		RUN(a_log_without_segments_is_behind_its_anchor_while_that_is_left),
		RUN(a_log_of_another_past_is_beside_its_anchor),
		RUN(an_anchor_that_somebody_wrote_to_is_a_change_from_outside),
		RUN(an_empty_anchor_and_one_of_zeros_are_none),
		RUN(another_key_does_not_verify_the_log),
		RUN(what_is_no_log_is_not_found),
		RUN(a_log_without_records_is_valid_and_empty),
		RUN(things_that_are_no_segments_are_refused),
		RUN(a_log_can_be_verified_while_it_is_written),
		RUN(a_walk_gives_the_records_from_the_first_on),
		RUN(a_walk_stops_when_it_is_told_to),
		RUN(a_walk_stops_before_what_does_not_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
