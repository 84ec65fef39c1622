#include <string.h>

#include "mailbox/base64.h"
#include "tests/support/check.h"

static struct span
span_of(const char *s)
{
	return (struct span){ (const uint8_t *)s, strlen(s) };
}

struct spelling {
	const char *bytes, *text;
};

static void
assert_spelled(const struct spelling *v, size_t text_len, void (*encode)(struct span, char *),
    enum err (*decode)(struct span, uint8_t *, size_t *))
{
	struct span in = span_of(v->bytes);
	uint8_t bytes[16];
	char text[16];
	size_t len;

	assert_int_equal(text_len, strlen(v->text));
	encode(in, text);
	assert_memory_equal(text, v->text, text_len);
	assert_int_equal(decode(span_of(v->text), bytes, &len), OK);
	assert_int_equal(len, in.len);
	assert_memory_equal(bytes, in.p, len);
}

static void
the_vectors_of_rfc_4648_hold_without_padding(void **state)
{
	static const struct spelling vectors[] = {
		{ "", "" }, { "f", "Zg" }, { "fo", "Zm8" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg" },
		{ "fooba", "Zm9vYmE" }, { "foobar", "Zm9vYmFy" }, { "\xfb\xff\xbe", "-_--" },
		{ "foobar\xfb\xff", "Zm9vYmFy-_8" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
		assert_spelled(&vectors[i], base64_len(strlen(vectors[i].bytes)), base64_encode, base64_decode);
}

static void
the_vectors_of_rfc_4648_hold_with_padding(void **state)
{
	static const struct spelling vectors[] = {
		{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" }, { "\xfb\xff\xbe", "+/++" },
	};
	static const char *const bad[] = {
		"Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zh==", "Zm9=", "Zm-v", "Zm_v", "Zm9v====", "Zg==Zg==", "Zm9v\n",
	};
	uint8_t bytes[16];
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
		assert_spelled(&vectors[i], BASE64_PADDED_LEN(strlen(vectors[i].bytes)), base64_encode_padded,
		    base64_decode_padded);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(base64_decode_padded(span_of(bad[i]), bytes, &len), ERR_INVALID_CONTENT);
}

static void
bytes_of_every_length_come_back(void **state)
{
	uint8_t in[300], back[300];
	char text[400];
	size_t len, n;

	(void)state;
	for (size_t i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * 167 + 13);
	for (n = 0; n <= sizeof in; n++) {
		memset(text, '!', sizeof text);
		base64_encode((struct span){ in, n }, text);
		if (base64_len(n) < sizeof text)
			assert_int_equal(text[base64_len(n)], '!');
		assert_int_equal(base64_decode((struct span){ (uint8_t *)text, base64_len(n) }, back, &len), OK);
		assert_int_equal(len, n);
		assert_int_equal(base64_decoded_len(base64_len(n)), n);
		assert_memory_equal(back, in, n);
	}
}

static void
only_the_one_spelling_of_some_bytes_is_decoded(void **state)
{
	static const char *const bad[] = {
		"Z", "Zg==", "Zg=", "Zh", "Zm9", "Zm+v", "Zm/v", "Zm9v\n", " Zm9v", "Zm9vY", "Zm 9", "Zm9v=", "\xc3\xa9",
	};
	uint8_t bytes[16];
	size_t len = 99;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(base64_decode(span_of(bad[i]), bytes, &len), ERR_INVALID_CONTENT);
	assert_int_equal(len, 99);
}

static void
of_all_bytes_only_64_are_characters(void **state)
{
	uint8_t text[4] = { 'A', 'A', 'A', 'A' }, bytes[3];
	unsigned n_taken = 0;
	size_t len;

	(void)state;
	for (unsigned at = 0; at < 4; at++) {
		for (unsigned c = 0; c < 256; c++) {
			text[at] = (uint8_t)c;
			n_taken += base64_decode((struct span){ text, 4 }, bytes, &len) == OK;
		}
		text[at] = 'A';
	}
	assert_int_equal(n_taken, 4 * 64);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vectors_of_rfc_4648_hold_without_padding),
		cmocka_unit_test(the_vectors_of_rfc_4648_hold_with_padding),
		cmocka_unit_test(bytes_of_every_length_come_back),
		cmocka_unit_test(only_the_one_spelling_of_some_bytes_is_decoded),
		cmocka_unit_test(of_all_bytes_only_64_are_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
