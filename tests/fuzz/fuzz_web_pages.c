/* Any bytes as a stranger's words on a page: no page gets more tags or quotation marks by them. */
#include <stdlib.h>

#include "gateway/span.h"
#include "gateway/web_pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct marks {
	size_t tags, quotes;
};

static struct marks
count(struct secret *page)
{
	struct marks m = { 0, 0 };

	for (size_t i = 0; i < secret_len(page); i++) {
		m.tags += secret_view(page)[i] == '<' || secret_view(page)[i] == '>';
		m.quotes += secret_view(page)[i] == '"' || secret_view(page)[i] == '\'';
	}
	secret_free(&page);
	return m;
}

static struct marks
write_page(unsigned which, struct span words)
{
	struct web_consent consent = { .csrf = "c", .tx = "t", .name = words, .redirect = span_of("https://a.example/"),
	    .scopes = SCOPES_ALL };
	struct web_error error = { "x", words, words };
	struct secret *page = NULL;
	enum err e;

	if (which == 0)
		e = web_consent_page(WEB_EN, &consent, &page);
	else if (which == 1)
		e = web_notice_page(WEB_ZH, WEB_MAINTENANCE, words, &page);
	else
		e = web_error_page(WEB_EN, &error, &page);
	if (e != OK)
		abort();
	return count(page);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (secret_init(true) != OK)
		abort();
	web_language_of((struct span){ data, len });
	if (len == 0 || len > 1200)
		return 0;
	for (unsigned which = 0; which < 3; which++) {
		struct marks with = write_page(which, (struct span){ data, len }), without = write_page(which, span_of("a"));

		if (with.tags != without.tags || with.quotes != without.quotes)
			abort();
	}
	return 0;
}
