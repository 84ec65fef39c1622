#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

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

/* Controls could move the cursor or change colours: they are shown, not obeyed. */
void
print_safe(struct span text)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t buf[256];
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.p[i];

		if (n + 4 > sizeof buf) {
			(void)print_bytes((struct span){ buf, n });
			n = 0;
		}
		if (c >= 0x20 && c != 0x7f) {
			buf[n++] = c;
			continue;
		}
		buf[n++] = '\\';
		buf[n++] = 'x';
		buf[n++] = (uint8_t)digits[c >> 4];
		buf[n++] = (uint8_t)digits[c & 0xf];
	}
	(void)print_bytes((struct span){ buf, n });
	wipe(buf, sizeof buf);
}
