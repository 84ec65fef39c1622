#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>

#include "gateway/visible.h"
#include "mailbox/utf8.h"
#include "tools/command/command.h"

/* Once something could not be said, the command has failed, whatever it did besides. */
static bool failed;

bool
print_failed(void)
{
	return failed;
}

enum err
print_bytes(struct span bytes)
{
	/* Past stdio, whose buffer nobody would wipe. */
	if (fflush(stdout) != 0)
		return ERR_FILE_UNWRITABLE;
	while (bytes.len > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes.p, bytes.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			failed = true;
			return ERR_FILE_UNWRITABLE;
		}
		bytes.p += n;
		bytes.len -= (size_t)n;
	}
	return OK;
}

enum err
print_json(struct json_writer *w)
{
	struct span text;
	enum err e = json_write_done(w, &text);

	if (e == OK && (e = print_bytes(text)) == OK)
		e = print_bytes((struct span){ (const uint8_t *)"\n", 1 });
	json_write_free(w);
	return e;
}

enum err
print_line(const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vprintf(format, args);
	va_end(args);
	failed = failed || n < 0 || fflush(stdout) != 0;
	return failed ? ERR_FILE_UNWRITABLE : OK;
}

void
hash_text(const uint8_t hash[SHA256_LEN], char out[HASH_TEXT_LEN + 1])
{
	for (size_t i = 0; i < SHA256_LEN; i++)
		snprintf(out + 2 * i, 3, "%02x", hash[i]);
}

void
member_hash(struct json_writer *w, const char *name, const uint8_t hash[SHA256_LEN])
{
	char text[HASH_TEXT_LEN + 1];

	hash_text(hash, text);
	json_member_text(w, name, text);
}

void
member_head(struct json_writer *w, const char *name, uint64_t size, const uint8_t root[SHA256_LEN])
{
	json_write_key(w, name);
	json_write_object(w);
	json_member_u64(w, "size", size);
	member_hash(w, "root", root);
	json_write_end(w);
}

void
print_safe(struct span text)
{
	char buf[256];
	size_t n = 0, len;

	for (size_t i = 0; i < text.len; n += len) {
		if (n + VISIBLE_MAX > sizeof buf) {
			(void)print_bytes((struct span){ (const uint8_t *)buf, n });
			n = 0;
		}
		i += visible_next(text.p + i, text.len - i, buf + n, &len);
	}
	(void)print_bytes((struct span){ (const uint8_t *)buf, n });
	wipe(buf, sizeof buf);
}

/* Of a character that is shown as it is: 0 of one that joins another, 2 of most in East Asia. */
static size_t
columns_of(uint32_t point)
{
	static locale_t utf8;
	locale_t before;
	int n;

	if (utf8 == (locale_t)0)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (utf8 == (locale_t)0)
		return 1;
	before = uselocale(utf8);
	n = wcwidth((wchar_t)point);
	uselocale(before);
	return n < 0 ? 1 : (size_t)n;
}

size_t
print_safe_columns(struct span text)
{
	size_t n = 0, len, shown;
	char buf[VISIBLE_MAX];
	uint32_t point;

	for (size_t i = 0; i < text.len; i += len) {
		len = utf8_take(text.p + i, text.len - i, &point);
		if (len > 0 && !visible_hidden(point)) {
			n += columns_of(point);
			continue;
		}
		len = visible_next(text.p + i, text.len - i, buf, &shown);
		/* Its brackets are three bytes each, and one column. */
		n += shown - 4;
	}
	return n;
}
