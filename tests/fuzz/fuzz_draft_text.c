/* Any bytes as an edited memory: what is taken is content, and its own draft gives the same content back. */
#include <stdlib.h>
#include <string.h>

#include "gateway/draft_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
content_of(struct span text, struct json_writer *w)
{
	char reason[DRAFT_REASON_MAX];
	struct draft d;

	if (draft_text_take(text, &d, reason) != OK || content_memory(&d.labels, d.body, w) != OK)
		abort();
	draft_free(&d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static bool ready;
	char reason[DRAFT_REASON_MAX] = "";
	struct json_writer first = { 0 }, second = { 0 };
	struct secret *again = NULL;
	struct span a, b;
	struct draft d;

	if (!ready && secret_init(true) != OK)
		abort();
	ready = true;
	if (draft_text_take((struct span){ data, len }, &d, reason) != OK) {
		if (reason[0] == '\0')
			abort();
		return 0;
	}
	draft_free(&d);
	content_of((struct span){ data, len }, &first);
	if (json_write_done(&first, &a) != OK || draft_text_of(KIND_MEMORY, "a note", a, &again) != OK)
		abort();
	content_of(secret_span(again), &second);
	if (json_write_done(&second, &b) != OK || a.len != b.len || memcmp(a.p, b.p, a.len) != 0)
		abort();
	json_write_free(&first);
	json_write_free(&second);
	secret_free(&again);
	return 0;
}
