#include <stdio.h>
#include <string.h>

#include "actors/http_closed.h"

#define PAGE_MAX 8192

struct words {
	const char *zh, *en;
};

static struct words
words_of(enum http_phase phase)
{
	switch (phase) {
	case HTTP_LOCKED:
		return (struct words){ "主人的资料库已锁定。请主人先解锁，再试一次。", "The library is locked. Its owner has to unlock it; then try again." };
	case HTTP_MAINTENANCE:
		return (struct words){ "正在维护，请稍后再试。", "This is under maintenance. Try again later." };
	case HTTP_OFF:
	case HTTP_SERVES:
	case HTTP_NEVER:
		break;
	}
	return (struct words){ "远程资料未启用。", "The remote profile is not enabled." };
}

static const char *
escape_of(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* What does not fit whole is left out. */
static void
escape(const char *text, char *out, size_t size)
{
	size_t n = 0;

	for (; *text != '\0'; text++) {
		const char *escaped = escape_of(*text);
		size_t len = escaped == NULL ? 1 : strlen(escaped);

		if (n + len >= size)
			break;
		memcpy(out + n, escaped == NULL ? text : escaped, len);
		n += len;
	}
	out[n] = '\0';
}

void
http_closed_page(struct http_response *r, enum http_phase phase, const char *message)
{
	struct words words = words_of(phase);
	char owners[6 * 1200 + 1] = "", page[PAGE_MAX];

	if (phase == HTTP_MAINTENANCE)
		escape(message, owners, sizeof owners);
	snprintf(page, sizeof page, "<!doctype html>\n<html lang=\"zh\"><head><meta charset=\"utf-8\">"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Memories</title></head><body>"
	    "<p>%s</p><p lang=\"en\">%s</p>%s%s%s</body></html>\n", words.zh, words.en, owners[0] != '\0' ? "<p>" : "", owners,
	    owners[0] != '\0' ? "</p>" : "");
	http_response_text(r, "text/html; charset=utf-8", page);
}
