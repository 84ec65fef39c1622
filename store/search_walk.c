#include <string.h>

#include "escrow/secret.h"
#include "store/search_units.h"
#include "store/search_walk.h"

#define KEPT_MAX  ((uint32_t)64 << 10) /* entries that a walk leaves room for; what is larger is given back */
#define FIELD_GAP SEARCH_SPAN_MAX      /* positions: no phrase reaches over it */
#define AHEAD     8                    /* tokens whose slots are on their way from memory */

struct search_seen {
	uint32_t hash;
	uint32_t position;
	uint32_t at;   /* its bytes */
	uint32_t next; /* the same term's next, as its number from 1; 0: none */
	uint8_t  kind;
	uint8_t  len;
};

/* Makes room for n entries of size in the array. False: out of memory. */
static bool
fit(struct search_memory *m, void *array, uint32_t *cap, uint64_t n, size_t size)
{
	void *old, *grown;
	uint32_t want = *cap < 1024 ? 1024 : *cap;

	if (n <= *cap)
		return true;
	while (want < n)
		want *= 2;
	memcpy(&old, array, sizeof old);
	if ((grown = search_memory_grow(m, old, *cap * size, want * size)) == NULL)
		return false;
	memcpy(array, &grown, sizeof grown);
	*cap = want;
	return true;
}

struct field_walk {
	struct search_walk *w;
	uint64_t            seed;
};

static bool
on_token(void *arg, const struct search_token *t)
{
	struct field_walk *f = arg;
	struct search_walk *w = f->w;

	if (!fit(w->memory, &w->seen, &w->seen_cap, (uint64_t)w->n_seen + 1, sizeof *w->seen) ||
	    !fit(w->memory, &w->bytes, &w->bytes_cap, (uint64_t)w->n_bytes + t->term_len, 1)) {
		w->failed = true;
		return false;
	}
	w->seen[w->n_seen++] = (struct search_seen){ .hash = search_term_hash(f->seed, t->term, t->term_len),
		.position = t->position, .at = w->n_bytes, .kind = (uint8_t)t->kind, .len = (uint8_t)t->term_len };
	memcpy(w->bytes + w->n_bytes, t->term, t->term_len);
	w->n_bytes += (uint32_t)t->term_len;
	return true;
}

static void
see(struct search_walk *w, uint64_t seed, struct search_doc *doc)
{
	struct field_walk f = { .w = w, .seed = seed };
	uint32_t position = 0, end;

	for (uint32_t i = 0; i < doc->n_fields && !w->failed; i++) {
		end = search_tokens(search_doc_text(doc, &doc->fields[i]), position, on_token, &f);
		if (i == 0 && doc->fields[i].part == SEARCH_TITLE)
			doc->title_end = end;
		doc->n_positions += end - position;
		position = end + FIELD_GAP;
	}
}

/* A mark left by an earlier walk points nowhere, or at another term. */
static struct search_told *
told_of(struct search_walk *w, const struct search_term *term)
{
	if (term->mark == 0 || term->mark > w->n_told || w->told[term->mark - 1].term != term)
		return NULL;
	return &w->told[term->mark - 1];
}

static bool
tell(struct search_walk *w, struct search_terms *terms, uint32_t i, uint32_t title_end)
{
	const struct search_seen *s = &w->seen[i];
	struct search_told *told;
	struct search_term *term;

	term = search_terms_add(terms, (enum search_token_kind)s->kind, s->hash, w->bytes + s->at, s->len);
	if (term == NULL)
		return false;
	if ((told = told_of(w, term)) != NULL) {
		w->seen[told->last].next = i + 1;
		told->last = i;
		told->n++;
		return true;
	}
	if (!fit(w->memory, &w->told, &w->told_cap, (uint64_t)w->n_told + 1, sizeof *w->told)) {
		if (term->postings.n_docs == 0)
			search_terms_remove(terms, term);
		return false;
	}
	w->told[w->n_told++] = (struct search_told){ .term = term, .n = 1, .first = i, .last = i,
		.in_title = s->position < title_end };
	term->mark = w->n_told;
	return true;
}

bool
search_walk_doc(struct search_walk *w, struct search_terms *terms, struct search_doc *doc)
{
	see(w, terms->seed, doc);
	for (uint32_t i = 0; i < w->n_seen && !w->failed; i++) {
		if (i + AHEAD < w->n_seen)
			search_terms_prefetch(terms, w->seen[i + AHEAD].hash);
		w->failed = !tell(w, terms, i, doc->title_end);
	}
	return !w->failed;
}

const uint32_t *
search_walk_positions(struct search_walk *w, const struct search_told *told)
{
	uint32_t n = 0;

	if (!fit(w->memory, &w->positions, &w->positions_cap, told->n, sizeof *w->positions))
		return NULL;
	for (uint32_t i = told->first + 1; i != 0; i = w->seen[i - 1].next)
		w->positions[n++] = w->seen[i - 1].position;
	return w->positions;
}

static void
end(struct search_memory *m, void *array, uint32_t *cap, uint32_t n, size_t size)
{
	void *p;

	memcpy(&p, array, sizeof p);
	if (*cap <= KEPT_MAX) {
		if (n > 0)
			wipe(p, n * size);
		return;
	}
	search_memory_give(m, p, *cap * size);
	p = NULL;
	memcpy(array, &p, sizeof p);
	*cap = 0;
}

void
search_walk_end(struct search_walk *w)
{
	end(w->memory, &w->seen, &w->seen_cap, w->n_seen, sizeof *w->seen);
	end(w->memory, &w->bytes, &w->bytes_cap, w->n_bytes, 1);
	end(w->memory, &w->told, &w->told_cap, w->n_told, sizeof *w->told);
	end(w->memory, &w->positions, &w->positions_cap, w->n_told > 0 ? w->positions_cap : 0, sizeof *w->positions);
	w->n_seen = w->n_bytes = w->n_told = 0;
	w->failed = false;
}
