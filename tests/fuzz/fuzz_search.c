/*
 * The search index and what cuts texts and queries. The first line is the
 * query; each further one a document, of which the first byte says whether it
 * is put, taken out, or a title. What is found lies inside its text.
 */
#include <stdlib.h>
#include <string.h>

#include "store/search_fold.h"
#include "store/search_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct span
next_line(struct span *rest)
{
	const uint8_t *end = rest->len == 0 ? NULL : memchr(rest->p, '\n', rest->len);
	struct span line = { rest->p, end == NULL ? rest->len : (size_t)(end - rest->p) };

	rest->p += line.len + (end != NULL);
	rest->len -= line.len + (end != NULL);
	return line;
}

static void
must(bool so)
{
	if (!so)
		abort();
}

static void
change(struct search_index *ix, struct span line)
{
	struct uuid vault = { { 1 } }, asset = { { (uint8_t)(line.p[0] % 8) } };
	struct search_field field = { line.p[0] & 64 ? SEARCH_TITLE : SEARCH_BODY, 0, { line.p + 1, line.len - 1 } };
	struct search_document d = { .vault = vault, .asset = asset, .kind = KIND_MEMORY, .fields = &field, .n_fields = 1 };

	if (line.p[0] & 128)
		search_index_remove(ix, vault, asset);
	else
		must(search_index_put(ix, &d) == OK);
}

static void
ask(struct search_index *ix, struct span text, size_t text_max)
{
	static struct search_hit hits[10];
	struct search_query q = { .text = text, .limit = 10 };
	struct search_found found;

	if (search_index_find(ix, &q, hits, &found) != OK)
		return;
	for (uint32_t i = 0; i < found.n_hits; i++) {
		must(hits[i].length > 0 && hits[i].offset + hits[i].length <= text_max);
		must(hits[i].excerpt_len <= SEARCH_EXCERPT_MAX);
		must(hits[i].match_offset + hits[i].match_length <= hits[i].excerpt_len);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct span rest = { data, len }, query = next_line(&rest), line;
	struct search_index *ix;
	struct search_stats stats;
	struct secret *folded;

	must(secret_init(true) == OK && search_index_new(0, &ix) == OK);
	while (rest.len > 0)
		if ((line = next_line(&rest)).len > 0)
			change(ix, line);
	ask(ix, query, len);
	for (uint8_t i = 0; i < 8; i++)
		search_index_remove(ix, (struct uuid){ { 1 } }, (struct uuid){ { i } });
	search_index_stats(ix, &stats);
	must(stats.n_documents == 0 && stats.n_terms == 0 && stats.text_bytes == 0);
	search_index_free(&ix);
	must(search_fold(query, &folded) == OK);
	secret_free(&folded);
	return 0;
}
