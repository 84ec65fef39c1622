#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/log_place.h"
#include "store/log_record.h"
#include "store/log_tile_read.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

/* A tree whose tiles lie in a folder. */
struct tiles {
	void             *dir;
	struct log_place  place;
	struct log_tiler *tiler;
	size_t            n_put;
	enum err          answer; /* of the next put */
};

static enum err
put(void *arg, const struct log_tile *t)
{
	struct tiles *tiles = arg;
	char path[LOG_TILE_PATH_MAX];

	if (tiles->answer != OK)
		return tiles->answer;
	tiles->n_put++;
	log_tile_path(t->level, t->index, t->width, path);
	return log_place_put(&tiles->place, path, t->bytes);
}

static void
new_tiler(struct tiles *t, bool entries)
{
	struct log_tiler_settings settings = { entries, put, t };

	log_tiler_free(&t->tiler);
	assert_int_equal(log_tiler_new(&settings, &t->tiler), OK);
}

static int
start(void **state)
{
	struct tiles *t = calloc(1, sizeof *t);

	assert_int_equal(temp_dir_setup(&t->dir), 0);
	t->place.mode = 0644;
	assert_int_equal(log_place_open(&t->place, AT_FDCWD, ((struct temp_dir *)t->dir)->path), OK);
	new_tiler(t, true);
	*state = t;
	return 0;
}

static int
end(void **state)
{
	struct tiles *t = *state;

	log_tiler_free(&t->tiler);
	log_place_close(&t->place);
	temp_dir_teardown(&t->dir);
	free(t);
	return 0;
}

/* The i-th leaf: its number, four times. */
static struct span
leaf(uint64_t i, uint64_t buf[4])
{
	for (size_t j = 0; j < 4; j++)
		buf[j] = i;
	return (struct span){ (const uint8_t *)buf, 4 * sizeof *buf };
}

static void
add_up_to(struct tiles *t, uint64_t size)
{
	uint64_t buf[4];

	while (log_tiler_tree(t->tiler)->size < size)
		assert_int_equal(log_tiler_add(t->tiler, leaf(log_tiler_tree(t->tiler)->size, buf)), OK);
}

static void
tree_of(uint64_t size, uint8_t root[SHA256_LEN])
{
	struct merkle m = { .size = 0 };
	uint64_t buf[4];

	while (m.size < size) {
		merkle_leaf(leaf(m.size, buf), root);
		merkle_add(&m, root);
	}
	merkle_root(&m, root);
}

static off_t
size_of(const struct tiles *t, const char *path)
{
	struct stat st;

	return fstatat(t->place.dir_fd, path, &st, 0) == 0 ? st.st_size : -1;
}

static void
paths_are_those_of_tlog_tiles(void **state)
{
	static const struct { unsigned level, width; uint64_t index; const char *path; } rows[] = {
		{ 0, 256, 0, "tile/0/000" }, { 0, 17, 1234067, "tile/0/x001/x234/067.p/17" },
		{ 1, 255, 999, "tile/1/999.p/255" }, { 2, 256, 1000, "tile/2/x001/000" },
		{ LOG_TILE_ENTRIES, 256, 67, "tile/entries/067" }, { LOG_TILE_ENTRIES, 1, 1000000, "tile/entries/x001/x000/000.p/1" },
		{ 0, 255, UINT64_MAX / 256, "tile/0/x072/x057/x594/x037/x927/935.p/255" },
	};
	char path[LOG_TILE_PATH_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		log_tile_path(rows[i].level, rows[i].index, rows[i].width, path);
		assert_string_equal(path, rows[i].path);
	}
}

/* The example of the format's own page, with a level above. */
static void
a_tree_of_70000_leaves_has_the_files_that_the_format_names(void **state)
{
	struct tiles *t = *state;

	add_up_to(t, 70000);
	assert_int_equal(log_tiler_finish(t->tiler), OK);
	assert_int_equal(t->n_put, 273 + 1 + 1 + 1 + 1 + 273 + 1);
	assert_int_equal(size_of(t, "tile/0/272"), 8192);
	assert_int_equal(size_of(t, "tile/0/273.p/112"), 112 * 32);
	assert_int_equal(size_of(t, "tile/1/000"), 8192);
	assert_int_equal(size_of(t, "tile/1/001.p/17"), 17 * 32);
	assert_int_equal(size_of(t, "tile/2/000.p/1"), 32);
	assert_int_equal(size_of(t, "tile/entries/272"), 256 * 34);
	assert_int_equal(size_of(t, "tile/entries/273.p/112"), 112 * 34);
}

static void
an_empty_tile_is_not_made(void **state)
{
	struct tiles *t = *state;

	assert_int_equal(log_tiler_finish(t->tiler), OK);
	assert_int_equal(t->n_put, 0);
	add_up_to(t, 256);
	assert_int_equal(log_tiler_finish(t->tiler), OK);
	assert_int_equal(size_of(t, "tile/0/000"), 8192);
	assert_int_equal(size_of(t, "tile/1/000.p/1"), 32);
	assert_int_equal(size_of(t, "tile/0/001.p/0"), -1);
	assert_int_equal(t->n_put, 3);
}

static void
a_bundle_holds_the_leaves_behind_their_lengths(void **state)
{
	struct tiles *t = *state;
	uint8_t bytes[2 + 3 + 2], wanted[] = { 0, 3, 'a', 'b', 'c', 0, 0 };
	int fd;

	assert_int_equal(log_tiler_add(t->tiler, (struct span){ (const uint8_t *)"abc", 3 }), OK);
	assert_int_equal(log_tiler_add(t->tiler, (struct span){ (const uint8_t *)"", 0 }), OK);
	assert_int_equal(log_tiler_finish(t->tiler), OK);
	assert_int_equal(size_of(t, "tile/entries/000.p/2"), sizeof bytes);
	fd = openat(t->place.dir_fd, "tile/entries/000.p/2", O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, bytes, sizeof bytes), sizeof bytes);
	close(fd);
	assert_memory_equal(bytes, wanted, sizeof wanted);
}

static void
the_longest_leaves_fill_a_bundle_and_longer_ones_are_refused(void **state)
{
	struct tiles *t = *state;
	static const uint8_t long_leaf[LOG_LEAF_MAX + 1];

	for (size_t i = 0; i < LOG_TILE_WIDTH; i++)
		assert_int_equal(log_tiler_add(t->tiler, (struct span){ long_leaf, LOG_LEAF_MAX }), OK);
	assert_int_equal(size_of(t, "tile/entries/000"), (2 + LOG_LEAF_MAX) * LOG_TILE_WIDTH);
	assert_int_equal(log_tiler_add(t->tiler, (struct span){ long_leaf, LOG_LEAF_MAX + 1 }), ERR_INVALID_CONTENT);
}

static void
nodes_of_tiles_are_the_nodes_of_the_tree(void **state)
{
	static const uint64_t sizes[] = { 1, 255, 256, 257, 511, 512, 1000, 65535, 65536, 65537, 66000 };
	struct tiles *t = *state;
	uint8_t root[SHA256_LEN], found[SHA256_LEN];

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct log_tile_reader reader = { t->place.dir_fd, sizes[i] };
		struct merkle_source s = { log_tile_read_node, &reader };

		add_up_to(t, sizes[i]);
		assert_int_equal(log_tiler_finish(t->tiler), OK);
		tree_of(sizes[i], root);
		merkle_root(log_tiler_tree(t->tiler), found);
		assert_memory_equal(found, root, sizeof root);
		assert_int_equal(merkle_source_root(&s, sizes[i], found), OK);
		assert_memory_equal(found, root, sizeof root);
	}
}

static void
a_resumed_tree_goes_on_as_if_it_had_never_stopped(void **state)
{
	static const uint64_t stops[] = { 256, 512, 65536, 65792, 66048 };
	struct tiles *t = *state;
	uint8_t root[SHA256_LEN], found[SHA256_LEN];

	for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
		add_up_to(t, stops[i] + 3);
		assert_int_equal(log_tiler_finish(t->tiler), OK);
		new_tiler(t, true);
		assert_int_equal(log_tiler_resume(t->tiler, t->place.dir_fd, stops[i]), OK);
		assert_int_equal(log_tiler_tree(t->tiler)->size, stops[i]);
	}
	add_up_to(t, 66400);
	assert_int_equal(log_tiler_finish(t->tiler), OK);
	tree_of(66400, root);
	merkle_root(log_tiler_tree(t->tiler), found);
	assert_memory_equal(found, root, sizeof root);
	assert_int_equal(size_of(t, "tile/1/000"), 8192);
}

static void
what_is_missing_or_short_is_not_resumed(void **state)
{
	struct tiles *t = *state;
	uint8_t hash[SHA256_LEN];
	struct log_tile_reader reader = { t->place.dir_fd, 600 };

	add_up_to(t, 600);
	assert_int_equal(log_tiler_finish(t->tiler), OK);
	assert_int_equal(log_tile_read_node(&reader, 8, 1, hash), OK);
	assert_int_equal(truncate(temp_dir_at(t->dir, "tile/1/000.p/2"), 63), 0);
	assert_int_equal(log_tiler_resume(t->tiler, t->place.dir_fd, 512), ERR_FILE_UNREADABLE);
	assert_int_equal(log_tile_read_node(&reader, 8, 1, hash), ERR_FILE_UNREADABLE);
	assert_int_equal(log_tiler_resume(t->tiler, t->place.dir_fd, 1024), ERR_FILE_UNREADABLE);
	assert_int_equal(log_tiler_resume(t->tiler, t->place.dir_fd, 0), OK);
}

static void
a_tile_that_cannot_be_put_is_told_once(void **state)
{
	struct tiles *t = *state;
	uint64_t buf[4];

	add_up_to(t, 255);
	t->answer = ERR_STORAGE_FULL;
	assert_int_equal(log_tiler_add(t->tiler, leaf(255, buf)), ERR_STORAGE_FULL);
	assert_int_equal(log_tiler_finish(t->tiler), ERR_STORAGE_FULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_those_of_tlog_tiles),
		cmocka_unit_test_setup_teardown(a_tree_of_70000_leaves_has_the_files_that_the_format_names, start, end),
		cmocka_unit_test_setup_teardown(an_empty_tile_is_not_made, start, end),
		cmocka_unit_test_setup_teardown(a_bundle_holds_the_leaves_behind_their_lengths, start, end),
		cmocka_unit_test_setup_teardown(the_longest_leaves_fill_a_bundle_and_longer_ones_are_refused, start, end),
		cmocka_unit_test_setup_teardown(nodes_of_tiles_are_the_nodes_of_the_tree, start, end),
		cmocka_unit_test_setup_teardown(a_resumed_tree_goes_on_as_if_it_had_never_stopped, start, end),
		cmocka_unit_test_setup_teardown(what_is_missing_or_short_is_not_resumed, start, end),
		cmocka_unit_test_setup_teardown(a_tile_that_cannot_be_put_is_told_once, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
