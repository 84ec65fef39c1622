#include <stdio.h>
#include <string.h>

#include "gateway/reference.h"
#include "tests/support/check.h"

#define V  "01890a5d-ac96-774b-bcce-b302099a8057"
#define C  "01890a5d-ac96-774b-bcce-b302099a8058"
#define C2 "01890a5d-ac96-774b-bcce-b302099a8059"
#define R  "secret://" V "/" C

static struct span
span_of(const char *text)
{
	return (struct span){ (const uint8_t *)text, strlen(text) };
}

/* Where ^ stands, a reference begins or ends; the marks are no part of the text. */
static const struct {
	const char *text, *name;
} found[] = {
	{ "^" R "^", "" },
	{ "the key is ^" R "^.", "" },
	{ "is it ^" R "^?", "" },
	{ "(^" R "^)", "" },
	{ "\"^" R "^\"", "" },
	{ "<^" R "^>", "" },
	{ "`^" R "^`", "" },
	{ "^" R "^, ^" R "^; ^" R "^!", "" },
	{ "^" R "^\n^" R "^", "" },
	{ "a=^" R "^&b=1", "" },
	{ "key:^" R "^#x", "" },
	{ "密钥是^" R "^。", "" },
	{ "密钥是^" R "^，请保管", "" },
	{ "见「^" R "^」和（^" R "^）", "" },
	{ "^" R "^是密码", "" },
	{ "^SECRET://01890A5D-AC96-774B-BCCE-B302099A8057/01890A5D-AC96-774B-BCCE-B302099A8058^", "" },
	{ "^Secret://" V "/" C "^", "" },
	{ "^secret://main/" C "^", "main" },
	{ "^secret://Main/" C "^", "Main" },
	{ "^secret://my-vault_2.0~@:!$&*+,;=/" C "^", "my-vault_2.0~@:!$&*+,;=" },
	{ "^secret://my%20vault/" C "^", "my vault" },
	{ "^secret://a%2Fb%2f%3f/" C "^", "a/b/?" },
	{ "^secret://私人库/" C "^。", "私人库" },
	{ "^secret://%e7%a7%81%E4%BA%BA/" C "^", "私人" },
	{ "^secret://%EF%BC%8C/" C "^", "，" },
	{ "^secret://🔐/" C "^", "🔐" },
	/* Nested and side by side: the one that is whole counts. */
	{ "secret://secret://^" R "^", "" },
	{ "secret://main/^" R "^", "" },
	{ "secret://main ^" R "^", "" },
	{ "/^" R "^", "" },
	{ "^" R "^^" "^", "" },
	/* An id of a vault that is not one of ours is a name. */
	{ "^secret://00000000-0000-0000-0000-000000000000/" C "^", "00000000-0000-0000-0000-000000000000" },
};

static void
a_reference_is_found_where_it_stands(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
		char text[1000];
		size_t marks[10], n_marks = 0, n = 0, from = 0;
		struct reference r;

		for (const char *p = found[i].text; *p != '\0'; p++)
			if (*p == '^')
				marks[n_marks++] = n;
			else
				text[n++] = *p;
		text[n] = '\0';
		for (size_t k = 0; k + 1 < n_marks; k += 2) {
			if (marks[k] == marks[k + 1])
				continue;
			if (!reference_find(span_of(text), from, &r) || r.at != marks[k] || r.at + r.len != marks[k + 1])
				fail_msg("not found as marked: %s", found[i].text);
			assert_string_equal(r.name, found[i].name);
			assert_int_equal(uuid_is_zero(r.vault), r.name[0] != '\0');
			from = r.at + r.len;
		}
		if (reference_find(span_of(text), from, &r))
			fail_msg("one too many in %s", found[i].text);
	}
}

static const char *const plain[] = {
	"",
	"secret://",
	"secret://" V,
	"secret://" V "/",
	"secret://" V "/" "01890a5d-ac96-774b-bcce-b302099a805",
	R "a",
	R "0",
	R "-1",
	R "_",
	R "/",
	R "/username",
	R "%20",
	"topsecret://" V "/" C,
	"x-secret://" V "/" C,
	"9secret://" V "/" C,
	"my.secret://" V "/" C,
	"secret:/" V "/" C,
	"secret//" V "/" C,
	"secret:" V "/" C,
	"secret:// " V "/" C,
	"secret:///" C,
	"secret://my vault/" C,
	"secret://a/b/" C,
	"secret://a?b/" C,
	"secret://(a)/" C,
	"secret://，见/" C,
	"secret://a：b/" C,
	"secret://a\xe2\x80\x8b" "b/" C,
	"secret://a\xc2\xa0" "b/" C,
	"secret://a\xff/" C,
	"secret://%/" C,
	"secret://%zz/" C,
	"secret://%00/" C,
	"secret://%ff/" C,
	"secret://" V "/00000000-0000-0000-0000-000000000000",
	"secret://" V "/main",
	"s\xc3\xa9" "cret://" V "/" C,
};

static void
everything_else_is_plain_text(void **state)
{
	struct reference r;

	(void)state;
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (reference_find(span_of(plain[i]), 0, &r))
			fail_msg("found in: %s", plain[i]);
}

static void
a_text_that_ends_anywhere_is_read_no_further(void **state)
{
	static const char text[] = "x " R;
	struct reference r;

	(void)state;
	for (size_t n = 0; n < sizeof text - 1; n++)
		assert_false(reference_find((struct span){ (const uint8_t *)text, n }, 0, &r));
	assert_true(reference_find((struct span){ (const uint8_t *)text, sizeof text - 1 }, 0, &r));
}

static void
names_up_to_256_bytes_are_names(void **state)
{
	char text[400] = "secret://";
	struct reference r;

	(void)state;
	memset(text + 9, 'n', 256);
	strncat(text, "/" C, 37);
	assert_true(reference_find(span_of(text), 0, &r));
	assert_int_equal(strlen(r.name), 256);
	memset(text + 9, 'n', 257);
	text[266] = '\0';
	strncat(text, "/" C, 37);
	assert_false(reference_find(span_of(text), 0, &r));
}

static void
only_a_text_that_is_nothing_else_is_one(void **state)
{
	struct reference r;

	(void)state;
	assert_true(reference_is(span_of(R), &r));
	assert_false(reference_is(span_of(R "."), &r));
	assert_false(reference_is(span_of(" " R), &r));
	assert_false(reference_is(span_of(R " " R), &r));
	assert_false(reference_is(span_of(""), &r));
}

static void
the_ids_are_those_in_the_text(void **state)
{
	struct uuid v, c;
	struct reference r;

	(void)state;
	assert_int_equal(uuid_parse(V, &v), OK);
	assert_int_equal(uuid_parse(C2, &c), OK);
	assert_true(reference_find(span_of("secret://" V "/" C2), 0, &r));
	assert_true(uuid_equal(r.vault, v));
	assert_true(uuid_equal(r.credential, c));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reference_is_found_where_it_stands),
		cmocka_unit_test(everything_else_is_plain_text),
		cmocka_unit_test(a_text_that_ends_anywhere_is_read_no_further),
		cmocka_unit_test(names_up_to_256_bytes_are_names),
		cmocka_unit_test(only_a_text_that_is_nothing_else_is_one),
		cmocka_unit_test(the_ids_are_those_in_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
