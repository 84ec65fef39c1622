/* Any bytes as an edited fact: what is taken is within its lengths, and written anew it is taken again as it was. */
#include <stdlib.h>
#include <string.h>

#include "gateway/fact_form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool
same(struct span a, struct span b)
{
	return (a.p == NULL) == (b.p == NULL) && a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static bool ready;
	char reason[DRAFT_REASON_MAX] = "";
	struct fact_form f, again;
	struct secret *text = NULL;

	if (!ready && secret_init(true) != OK)
		abort();
	ready = true;
	if (fact_form_take((struct span){ data, len }, &f, reason) != OK) {
		if (reason[0] == '\0')
			abort();
		return 0;
	}
	if (!fact_form_good(&f, reason) || fact_form_text("note", &f, &text) != OK ||
	    fact_form_take(secret_span(text), &again, reason) != OK)
		abort();
	if (f.has_category != again.has_category || (f.has_category && f.category != again.category) ||
	    f.has_uncertain != again.has_uncertain || !same(f.label, again.label) || !same(f.value, again.value) ||
	    !same(f.evidence, again.evidence))
		abort();
	secret_free(&text);
	return 0;
}
