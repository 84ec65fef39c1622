#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "escrow/secret.h"
#include "store/search_memory.h"
#include "tests/store/search_rig.h"

#define HIDDEN 0x5a /* what a canary is xored with where it must not be found */

/* One word of lower-case letters, so that its folded form is the same bytes. */
static const uint8_t hidden[] = { 0x20, 0x2b, 0x2d, 0x22, 0x31, 0x2c, 0x30, 0x20, 0x2b, 0x2a, 0x2d, 0x31, 0x22, 0x2c, 0x20, 0x2b };

/* Sanitizers map terabytes, and lock nothing. */
static void
skip_where_memory_is_not_ours(void)
{
#ifdef MEMORIES_SANITIZED
	skip();
#endif
}

static unsigned
count_in(const uint8_t *p, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i + sizeof hidden <= len; i++) {
		size_t j = 0;

		while (j < sizeof hidden && (p[i + j] ^ HIDDEN) == hidden[j])
			j++;
		n += j == sizeof hidden;
	}
	return n;
}

/* In all of this process's memory that can be written. */
static unsigned
count_canaries(void)
{
	FILE *maps = fopen("/proc/self/maps", "r"), *mem = fopen("/proc/self/mem", "r");
	unsigned long from, to;
	uint8_t *copy;
	unsigned n = 0;
	char line[512], mode[5];

	assert_non_null(maps);
	assert_non_null(mem);
	while (fgets(line, sizeof line, maps) != NULL) {
		if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) != 3 || mode[1] != 'w')
			continue;
		copy = mmap(NULL, to - from, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(copy != MAP_FAILED);
		setvbuf(mem, NULL, _IONBF, 0);
		if (fseek(mem, (long)from, SEEK_SET) == 0 && fread(copy, 1, to - from, mem) == to - from)
			n += count_in(copy, to - from);
		munmap(copy, to - from);
	}
	fclose(maps);
	fclose(mem);
	return n;
}

static void
put_canary(struct search_rig *r, uint32_t asset)
{
	char *text = malloc(64);

	assert_non_null(text);
	for (size_t i = 0; i < sizeof hidden; i++)
		text[i] = (char)(hidden[i] ^ HIDDEN);
	snprintf(text + sizeof hidden, 16, " and more");
	search_rig_add(r, asset, "title", text);
	wipe(text, 64);
	free(text);
}

static void
what_is_taken_out_is_in_memory_no_more(void **state)
{
	struct search_rig r;

	(void)state;
	skip_where_memory_is_not_ours();
	search_rig_open(&r);
	search_rig_add(&r, 1, "other", "text");
	assert_int_equal(count_canaries(), 0);
	put_canary(&r, 2);
	assert_true(count_canaries() >= 2); /* the text and the term */
	assert_int_equal(search_rig_ask(&r, "more"), 1);
	memset(r.hits, 0, sizeof r.hits);
	search_index_remove(r.ix, search_rig_vault(1), search_rig_asset(2));
	assert_int_equal(count_canaries(), 0);
	put_canary(&r, 1);
	search_rig_add(&r, 1, "other", "text");
	assert_int_equal(count_canaries(), 0);
	put_canary(&r, 3);
	search_index_remove_vault(r.ix, search_rig_vault(1));
	assert_int_equal(count_canaries(), 0);
	put_canary(&r, 4);
	search_rig_close(&r);
	assert_int_equal(count_canaries(), 0);
}

/* The line VmFlags of the mapping that holds p. */
static void
flags_of(const void *p, char *out, size_t cap)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long from, to;
	int inside = 0;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof line, f) != NULL) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2 && line[0] != 'V')
			inside = (uintptr_t)p >= from && (uintptr_t)p < to;
		else if (inside && strncmp(line, "VmFlags:", 8) == 0)
			break;
	}
	snprintf(out, cap, "%s", line);
	fclose(f);
}

static void
text_is_left_out_of_core_files_and_of_children(void **state)
{
	struct search_stats stats;
	struct search_rig r;
	char flags[512];

	(void)state;
	skip_where_memory_is_not_ours();
	search_rig_open(&r);
	search_rig_add(&r, 1, "title", "text");
	assert_int_equal(search_rig_ask(&r, "text"), 1);
	flags_of(r.hits[0].title.p, flags, sizeof flags);
	assert_non_null(strstr(flags, " dd"));
	assert_non_null(strstr(flags, " dc"));
	search_index_stats(r.ix, &stats);
	assert_true(stats.locked_bytes <= stats.bytes);
	if (stats.locked_bytes == stats.bytes)
		assert_non_null(strstr(flags, " lo"));
	search_rig_close(&r);
}

static void
room_that_was_given_back_is_zero_and_used_again(void **state)
{
	struct search_bill bill = { .max = 1 << 20 };
	struct search_memory *m = search_memory_new(&bill, false);
	uint8_t *p;

	(void)state;
	assert_non_null(m);
	for (size_t len = 1; len < 200000; len += len / 3 + 1) {
		for (unsigned i = 0; i < 200; i++) {
			p = search_memory_take(m, len);
			assert_non_null(p);
			assert_int_equal((uintptr_t)p % 16, 0);
			for (size_t j = 0; j < len; j++)
				assert_int_equal(p[j], 0);
			memset(p, 0xff, len);
			search_memory_give(m, p, len);
		}
	}
	assert_null(search_memory_take(m, 1 << 20));
	search_memory_free(&m);
	assert_int_equal(bill.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_taken_out_is_in_memory_no_more),
		cmocka_unit_test(text_is_left_out_of_core_files_and_of_children),
		cmocka_unit_test(room_that_was_given_back_is_zero_and_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
