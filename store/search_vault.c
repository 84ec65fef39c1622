#include <stdlib.h>

#include "store/search_vault.h"

#define DOCS_MIN    256U
#define TAKEN_OUT   0x80000000U /* in a term's mark, with the number of the document that it was taken out of */
#define NUMBERS_MAX 0x7fffffffU

struct search_vault *
search_vault_new(struct search_bill *bill, uint64_t seed, struct uuid id)
{
	struct search_vault *v = calloc(1, sizeof *v);

	if (v == NULL)
		return NULL;
	if ((v->memory = search_memory_new(bill, true)) == NULL) {
		free(v);
		return NULL;
	}
	v->id = id;
	v->n_numbers = 1;
	v->terms = (struct search_terms){ .memory = v->memory, .seed = seed };
	return v;
}

void
search_vault_free(struct search_vault *v)
{
	search_memory_free(&v->memory);
	free(v);
}

static struct search_doc **
assets_like(const struct search_vault *v, struct uuid asset)
{
	return &v->assets[search_term_hash(v->terms.seed, asset.b, UUID_LEN) & (v->n_assets - 1)];
}

static struct search_doc *
find(const struct search_vault *v, struct uuid asset)
{
	struct search_doc *d = v->n_assets == 0 ? NULL : *assets_like(v, asset);

	while (d != NULL && !uuid_equal(d->asset, asset))
		d = d->next_asset;
	return d;
}

/* One list a document, and the next number. */
static bool
make_room(struct search_vault *v)
{
	uint32_t want = v->n_assets == 0 ? DOCS_MIN : 2 * v->n_assets, cap = v->docs_cap == 0 ? DOCS_MIN : 2 * v->docs_cap;
	struct search_numbered *longer;
	struct search_doc **wider;

	if (v->n_numbers == v->docs_cap || v->docs_cap == 0) {
		if (v->n_numbers >= NUMBERS_MAX / 2 || (longer = search_memory_grow(v->memory, v->docs,
		    v->docs_cap * sizeof *longer, cap * sizeof *longer)) == NULL)
			return false;
		v->docs = longer;
		v->docs_cap = cap;
	}
	if (v->n_docs < v->n_assets)
		return true;
	if ((wider = search_memory_take(v->memory, want * sizeof *wider)) == NULL)
		return false;
	search_memory_give(v->memory, v->assets, v->n_assets * sizeof *wider);
	v->assets = wider;
	v->n_assets = want;
	for (uint32_t i = 1; i < v->n_numbers; i++) {
		struct search_doc *doc = v->docs[i].doc;

		if (doc == NULL)
			continue;
		doc->next_asset = *assets_like(v, doc->asset);
		*assets_like(v, doc->asset) = doc;
	}
	return true;
}

/* Of what was told, the first n have the document; it is taken out of them, and terms without any go. */
static void
undo(struct search_vault *v, struct search_walk *w, uint32_t n, uint32_t number)
{
	for (uint32_t i = 0; i < w->n_told; i++) {
		struct search_term *t = w->told[i].term;

		if (i < n)
			search_postings_remove(v->memory, &t->postings, number, search_term_has_positions(t));
		if (t->postings.n_docs == 0)
			search_terms_remove(&v->terms, t);
	}
}

static bool
add_postings(struct search_vault *v, struct search_walk *w, uint32_t number)
{
	for (uint32_t i = 0; i < w->n_told; i++) {
		const struct search_told *told = &w->told[i];
		struct search_posting p = { .doc = number, .n = told->n, .in_title = told->in_title };

		if ((search_term_has_positions(told->term) && (p.positions = search_walk_positions(w, told)) == NULL) ||
		    !search_postings_add(v->memory, &told->term->postings, &p)) {
			undo(v, w, i, number);
			return false;
		}
	}
	return true;
}

struct taking_out {
	struct search_vault     *v;
	const struct search_doc *doc;
};

static bool
take_out_token(void *arg, const struct search_token *token)
{
	struct taking_out *o = arg;
	struct search_terms *terms = &o->v->terms;
	struct search_term *t;

	t = search_terms_find(terms, search_term_hash(terms->seed, token->term, token->term_len), token->term, token->term_len);
	if (t == NULL || t->mark == (TAKEN_OUT | o->doc->number))
		return true;
	t->mark = TAKEN_OUT | o->doc->number;
	search_postings_remove(o->v->memory, &t->postings, o->doc->number, search_term_has_positions(t));
	if (t->postings.n_docs == 0)
		search_terms_remove(terms, t);
	return true;
}

static void
take_out(struct search_vault *v, struct search_doc *doc)
{
	struct taking_out o = { .v = v, .doc = doc };
	struct search_doc **at;

	for (uint32_t i = 0; i < doc->n_fields; i++)
		(void)search_tokens(search_doc_text(doc, &doc->fields[i]), 0, take_out_token, &o);
	for (at = assets_like(v, doc->asset); *at != doc; at = &(*at)->next_asset)
		;
	*at = doc->next_asset;
	v->docs[doc->number] = (struct search_numbered){ .doc = NULL };
	v->n_docs--;
	v->n_positions -= doc->n_positions;
	v->text_bytes -= doc->text_len;
	search_doc_free(v->memory, doc);
}

enum err
search_vault_put(struct search_vault *v, struct search_walk *w, const struct search_document *d)
{
	struct search_doc *old, *doc;
	bool added = false;
	enum err e;

	if (!make_room(v))
		return ERR_NO_MEMORY;
	if ((e = search_doc_new(v->memory, d, &doc)) != OK)
		return e;
	doc->number = v->n_numbers;
	if (search_walk_doc(w, &v->terms, doc))
		added = add_postings(v, w, doc->number);
	else
		undo(v, w, 0, doc->number);
	search_walk_end(w);
	if (!added) {
		search_doc_free(v->memory, doc);
		return ERR_NO_MEMORY;
	}
	if ((old = find(v, d->asset)) != NULL)
		take_out(v, old);
	v->docs[v->n_numbers++] = (struct search_numbered){ doc, doc->n_positions, doc->title_end };
	doc->next_asset = *assets_like(v, doc->asset);
	*assets_like(v, doc->asset) = doc;
	v->n_docs++;
	v->n_positions += doc->n_positions;
	v->text_bytes += doc->text_len;
	return OK;
}

void
search_vault_remove(struct search_vault *v, struct uuid asset)
{
	struct search_doc *doc = find(v, asset);

	if (doc != NULL)
		take_out(v, doc);
}
