/*
 * Every block that json and json_write give back is looked at just before it
 * is freed: none may still hold the marker.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/json.h"
#include "gateway/json_write.h"
#include "tests/support/check.h"

#define MARKER "Xq7-marker-Xq7"

#ifndef MEMORIES_SANITIZED
extern void __libc_free(void *p);

static volatile unsigned n_leaks, n_frees;

void free(void *p);

void
free(void *p)
{
	if (p != NULL) {
		n_frees++;
		n_leaks += memmem(p, malloc_usable_size(p), MARKER, strlen(MARKER)) != NULL;
	}
	__libc_free(p);
}

/* Under valgrind free is not ours, and there is nothing to see. */
static void
start_looking(void)
{
	unsigned before = n_frees;
	void *volatile p = malloc(1);

	free(p);
	if (n_frees == before)
		skip();
	n_leaks = 0;
}

static void
a_parsed_document_is_wiped(void **state)
{
	static const char text[] = "{\"" MARKER "\":[\"" MARKER "\",{\"a\":\"" MARKER "\"}]}";
	struct json *root = NULL;
	unsigned before;

	(void)state;
	start_looking();
	before = n_frees;
	assert_int_equal(json_parse((struct span){ (const uint8_t *)text, strlen(text) }, &root), OK);
	json_free(&root);
	assert_true(n_frees - before >= 8);
	assert_int_equal(n_leaks, 0);
}

static void
a_writer_is_wiped_when_it_grows_and_when_it_is_freed(void **state)
{
	struct json_writer w = { 0 };

	(void)state;
	start_looking();
	json_write_array(&w);
	for (int i = 0; i < 1000; i++)
		json_write_text(&w, MARKER);
	json_write_end(&w);
	json_write_free(&w);
	assert_int_equal(n_leaks, 0);
}

static void
a_cleared_writer_holds_nothing(void **state)
{
	struct json_writer w = { 0 };

	(void)state;
	json_write_text(&w, MARKER);
	json_write_clear(&w);
	assert_null(memmem(w.p, strlen(MARKER) + 2, MARKER, strlen(MARKER)));
	json_write_free(&w);
}
#endif

int
main(void)
{
#ifndef MEMORIES_SANITIZED
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_parsed_document_is_wiped),
		cmocka_unit_test(a_writer_is_wiped_when_it_grows_and_when_it_is_freed),
		cmocka_unit_test(a_cleared_writer_holds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
#else
	return 0;
#endif
}
