#include <string.h>

#include "tests/support/check.h"
#include "tests/support/hex.h"

#define LINE_MAX_BYTES 4096
#define KEYS_MAX 2048

static int
value_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = strchr(digits, c);

	return at != NULL && c != '\0' ? (int)(at - digits) : -1;
}

size_t
hex_take(const char *text, void *out, size_t cap)
{
	uint8_t *p = out;
	size_t n = 0;

	for (; *text != '\0'; text++) {
		if (*text == ' ' || *text == '\n')
			continue;
		assert_true(n / 2 < cap);
		assert_true(value_of(*text) >= 0);
		p[n / 2] = (uint8_t)(n % 2 == 0 ? value_of(*text) << 4 : p[n / 2] | value_of(*text));
		n++;
	}
	assert_int_equal(n % 2, 0);
	return n / 2;
}

void
hex_bytes(const char *text, void *out, size_t len)
{
	assert_int_equal(hex_take(text, out, len), len);
}

struct key *
hex_key(const char *text)
{
	struct key *k = NULL;
	uint8_t b[KEY_LEN];

	hex_bytes(text, b, sizeof b);
	assert_int_equal(key_of(b, &k), OK);
	return k;
}

void
hex_expect(const void *p, size_t len, const char *text)
{
	uint8_t want[LINE_MAX_BYTES];

	assert_int_equal(hex_take(text, want, sizeof want), len);
	assert_memory_equal(p, want, len);
}

size_t
keys_left(void)
{
	static struct key *taken[KEYS_MAX];
	size_t n = 0;

	while (n < KEYS_MAX && key_new(&taken[n]) == OK)
		n++;
	for (size_t i = 0; i < n; i++)
		key_free(&taken[i]);
	return n;
}
