/* A segment seen through the window: nothing that somebody looks for is cut at its edge. */
#include "store/log_window.h"
#include "tests/store/log_rig.h"

#define EDGE     (2 * LOG_WINDOW_BLOCK)
#define FILE_LEN (2 * EDGE)

static const uint8_t word[] = { 'A', 'C', 'M', '1', 0xff };

static bool
is_seen(struct log_window *w)
{
	struct span bytes;
	bool seen = false;

	for (uint64_t at = 0; at < w->bytes;) {
		assert_int_equal(log_window_next(w, &at, sizeof word, &bytes), OK);
		seen = seen || memmem(bytes.p, bytes.len, word, sizeof word) != NULL;
	}
	return seen;
}

static void
what_lies_across_the_edge_of_a_window_is_seen_whole(void **state)
{
	static uint8_t bytes[FILE_LEN];
	const struct log_rig *rig = *state;
	struct log_window w = LOG_WINDOW_NONE;
	char path[192];
	int seg_fd;

	log_rig_path(rig, "0000000001.seg", path);
	seg_fd = open(rig->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t at = EDGE - sizeof word; at <= EDGE; at++) {
		memset(bytes, 0, sizeof bytes);
		memcpy(bytes + at, word, sizeof word);
		log_rig_write_file(path, bytes, sizeof bytes);
		w.most = EDGE;
		assert_int_equal(log_window_open(&w, seg_fd, 1, false), OK);
		assert_true(is_seen(&w));
		log_window_close(&w);
	}
	log_window_end(&w);
	close(seg_fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_lies_across_the_edge_of_a_window_is_seen_whole, log_rig_setup, log_rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
