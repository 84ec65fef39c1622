#include "tests/store/log_rig.h"

struct place {
	char dir[128];
	int  fd;
};

static int
start(void **state)
{
	struct place *p = calloc(1, sizeof *p);
	const char *tmp = getenv("TMPDIR");

	snprintf(p->dir, sizeof p->dir, "%s/memories-segment-XXXXXX", tmp != NULL ? tmp : "/tmp");
	assert_non_null(mkdtemp(p->dir));
	p->fd = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(p->fd >= 0);
	*state = p;
	return 0;
}

static int
end(void **state)
{
	struct place *p = *state;

	log_io_replace(NULL);
	close(p->fd);
	log_rig_remove(p->dir);
	free(p);
	return 0;
}

static struct segment_header
sample_header(void)
{
	struct segment_header h = { .number = 3, .first = 1000, .bytes = 65536 };

	memset(h.library.b, 0x11, UUID_LEN);
	memset(h.previous, 0x22, sizeof h.previous);
	return h;
}

static void
a_header_round_trips(void **state)
{
	struct segment_header h = sample_header(), found;
	uint8_t buf[SEGMENT_HEADER_LEN + 10];
	struct wire_out o = wire_out(buf, sizeof buf);

	(void)state;
	memset(buf, 0xee, sizeof buf);
	segment_header_put(&o, &h);
	assert_int_equal(o.len, SEGMENT_HEADER_LEN);
	assert_int_equal(segment_header_take((struct span){ buf, sizeof buf }, &found), SEGMENT_GOOD);
	assert_true(uuid_equal(found.library, h.library));
	assert_int_equal(found.number, 3);
	assert_int_equal(found.first, 1000);
	assert_int_equal(found.bytes, 65536);
	assert_memory_equal(found.previous, h.previous, sizeof h.previous);
}

static void
a_header_with_any_bit_flipped_or_cut_is_torn(void **state)
{
	struct segment_header h = sample_header(), found;
	uint8_t buf[SEGMENT_HEADER_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);

	(void)state;
	segment_header_put(&o, &h);
	for (size_t bit = 0; bit < 8 * sizeof buf; bit++) {
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(segment_header_take((struct span){ buf, sizeof buf }, &found), SEGMENT_TORN);
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	for (size_t len = 1; len < sizeof buf; len++)
		assert_int_equal(segment_header_take((struct span){ buf, len }, &found), SEGMENT_TORN);
}

static void
zeros_are_a_blank_header(void **state)
{
	uint8_t buf[SEGMENT_HEADER_LEN + 50] = { 0 };
	struct segment_header found;

	(void)state;
	for (size_t len = 0; len <= sizeof buf; len++)
		assert_int_equal(segment_header_take((struct span){ buf, len }, &found), SEGMENT_BLANK);
	buf[SEGMENT_HEADER_LEN] = 1;
	assert_int_equal(segment_header_take((struct span){ buf, sizeof buf }, &found), SEGMENT_BLANK);
	buf[SEGMENT_HEADER_LEN - 1] = 1;
	assert_int_equal(segment_header_take((struct span){ buf, sizeof buf }, &found), SEGMENT_TORN);
}

static void
names_have_one_form(void **state)
{
	static const char *const bad[] = { "", "1.seg", "0000000001.tmp", "00000000001.seg", "000000000a.seg",
		"-000000001.seg", "0000000001.seg~", "0000000001xseg" };
	char name[SEGMENT_NAME_LEN + 1];

	(void)state;
	segment_name(42, name);
	assert_string_equal(name, "0000000042.seg");
	assert_int_equal(segment_number(name), 42);
	assert_int_equal(segment_number("9999999999.seg"), 9999999999);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(segment_number(bad[i]), 0);
}

static void
a_segment_appears_whole_and_zero(void **state)
{
	struct place *p = *state;
	struct segment_maker m;
	struct segment s;
	bool finished = false;
	char path[192];
	int steps = 0;
	uint8_t *bytes;
	size_t len;

	snprintf(path, sizeof path, "%s/0000000007.seg", p->dir);
	assert_int_equal(segment_make(p->fd, 7, 9 << 20, &m), OK);
	while (!finished) {
		assert_int_not_equal(access(path, F_OK), 0);
		assert_int_equal(segment_make_more(&m, p->fd, &s, &finished), OK);
		steps++;
	}
	assert_int_equal(steps, 3);
	assert_int_equal(m.fd, -1);
	assert_int_equal(segment_intact(&s, p->fd), OK);
	bytes = log_rig_read_file(path, &len);
	assert_int_equal(len, 9 << 20);
	assert_true(bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0);
	free(bytes);
	segment_close(&s);
}

static int synced[2]; /* of the directory and of what is in it; counted in the order of the syncs */
static int n_syncs;

static int
note_sync(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	synced[S_ISDIR(st.st_mode) ? 0 : 1] = ++n_syncs;
	return fsync(fd);
}

static void
a_segment_and_then_its_name_are_synced_before_it_is_used(void **state)
{
	static const struct log_io io = { pread, pwrite, fdatasync, note_sync, fallocate };
	struct segment_maker m = SEGMENT_MAKER_NONE;
	struct segment s = SEGMENT_NONE;
	struct place *p = *state;
	bool finished = false;

	synced[0] = synced[1] = n_syncs = 0;
	log_io_replace(&io);
	assert_int_equal(segment_make(p->fd, 1, 65536, &m), OK);
	while (!finished)
		assert_int_equal(segment_make_more(&m, p->fd, &s, &finished), OK);
	assert_true(synced[1] > 0 && synced[0] > synced[1]);
	segment_close(&s);
}

static void
a_segment_being_made_can_be_given_up(void **state)
{
	struct place *p = *state;
	struct segment_maker m;
	char path[192];

	assert_int_equal(segment_make(p->fd, 7, 65536, &m), OK);
	segment_make_stop(&m, p->fd);
	segment_make_stop(&m, p->fd);
	snprintf(path, sizeof path, "%s/0000000007.tmp", p->dir);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void
a_segment_never_replaces_another(void **state)
{
	struct place *p = *state;
	struct segment_maker m;
	struct segment s = SEGMENT_NONE;
	bool finished = false;
	char path[192];

	snprintf(path, sizeof path, "%s/0000000007.seg", p->dir);
	log_rig_write_file(path, "mine", 4);
	assert_int_equal(segment_make(p->fd, 7, 65536, &m), OK);
	assert_int_equal(segment_make_more(&m, p->fd, &s, &finished), ERR_AUDIT_UNAVAILABLE);
	assert_false(finished);
	assert_int_equal(s.fd, -1);
	assert_int_equal(m.fd, -1);
}

static void
a_segment_that_changed_from_outside_is_not_intact(void **state)
{
	struct place *p = *state;
	char path[192], aside[192];
	struct segment_maker m;
	struct segment s;
	bool finished;

	snprintf(path, sizeof path, "%s/0000000007.seg", p->dir);
	snprintf(aside, sizeof aside, "%s/aside", p->dir);
	assert_int_equal(segment_make(p->fd, 7, 65536, &m), OK);
	assert_int_equal(segment_make_more(&m, p->fd, &s, &finished), OK);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(segment_intact(&s, p->fd), ERR_AUDIT_TAMPERED);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(segment_intact(&s, p->fd), OK);
	assert_int_equal(truncate(path, 65537), 0);
	assert_int_equal(segment_intact(&s, p->fd), ERR_AUDIT_TAMPERED);
	assert_int_equal(truncate(path, 65536), 0);
	assert_int_equal(rename(path, aside), 0);
	assert_int_equal(segment_intact(&s, p->fd), ERR_AUDIT_TAMPERED);
	assert_int_equal(symlink("aside", path), 0);
	assert_int_equal(segment_intact(&s, p->fd), ERR_AUDIT_TAMPERED);
	segment_close(&s);
	assert_int_equal(segment_open(p->fd, 7, &s), ERR_AUDIT_UNAVAILABLE);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, start, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_round_trips),
		cmocka_unit_test(a_header_with_any_bit_flipped_or_cut_is_torn),
		cmocka_unit_test(zeros_are_a_blank_header),
		cmocka_unit_test(names_have_one_form),
		RUN(a_segment_appears_whole_and_zero),
		RUN(a_segment_and_then_its_name_are_synced_before_it_is_used),
		RUN(a_segment_being_made_can_be_given_up),
		RUN(a_segment_never_replaces_another),
		RUN(a_segment_that_changed_from_outside_is_not_intact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
