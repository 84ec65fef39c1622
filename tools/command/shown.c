#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escrow/terminal.h"
#include "gateway/visible.h"
#include "tools/command/command.h"
#include "tools/command/shown.h"

static void
add(struct shown *s, const char *p, size_t len)
{
	size_t cap = s->cap;
	char *grown;

	while (cap < s->len + len + 1)
		cap = cap == 0 ? 4096 : 2 * cap;
	if (cap != s->cap) {
		if ((grown = malloc(cap)) == NULL) {
			s->failed = true;
			return;
		}
		if (s->p != NULL) {
			memcpy(grown, s->p, s->len);
			wipe(s->p, s->cap);
			free(s->p);
		}
		s->p = grown;
		s->cap = cap;
	}
	memcpy(s->p + s->len, p, len);
	s->len += len;
	s->p[s->len] = '\0';
}

void
shown_line(struct shown *s, const char *format, ...)
{
	char text[1025];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (n > 0)
		add(s, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void
shown_safe(struct shown *s, struct span text)
{
	char one[VISIBLE_MAX];
	size_t len;

	for (size_t i = 0; i < text.len && !s->failed;) {
		i += visible_next(text.p + i, text.len - i, one, &len);
		add(s, one, len);
	}
}

void
shown_safe_lines(struct shown *s, const char *mark, struct span text)
{
	const uint8_t *end;
	size_t len;

	do {
		end = text.len > 0 ? memchr(text.p, '\n', text.len) : NULL;
		len = end != NULL ? (size_t)(end - text.p) : text.len;
		add(s, mark, strlen(mark));
		shown_safe(s, (struct span){ text.p, len });
		add(s, "\n", 1);
		text.p += len + (end != NULL);
		text.len -= len + (end != NULL);
	} while (end != NULL && text.len > 0);
}

enum err
shown_print(const struct shown *s)
{
	if (s->failed)
		return ERR_NO_MEMORY;
	return s->len == 0 ? OK : print_bytes((struct span){ (const uint8_t *)s->p, s->len });
}

enum err
shown_on_terminal(const struct shown *s)
{
	if (s->failed)
		return ERR_NO_MEMORY;
	return s->len == 0 ? OK : terminal_warn(s->p);
}

void
shown_free(struct shown *s)
{
	if (s->p != NULL)
		wipe(s->p, s->cap);
	free(s->p);
	*s = (struct shown){ .p = NULL };
}
