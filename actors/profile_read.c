/* What a connection reads: overview, pages, and what a search finds among what it sees. */
#include <stdlib.h>
#include <string.h>

#include "actors/profile_state.h"
#include "store/search_tokens.h"

/* Keeps what was written as the overview of this reader. */
static enum err
keep_overview(struct profile *p, struct profile_reader *r, const struct profile_asking *a)
{
	struct span text;
	enum err e;

	if ((e = json_write_done(&a->w, &text)) != OK)
		return e;
	if ((r->overview = search_memory_take(p->memory, text.len)) == NULL)
		return ERR_NO_MEMORY;
	memcpy(r->overview, text.p, text.len);
	r->overview_len = text.len;
	r->shown = a->shown;
	return OK;
}

static enum err
read_overview(struct profile *p, struct profile_reader *r, struct profile_asking *a)
{
	enum err e;

	if (r->overview == NULL && ((e = profile_page_write(&r->view, 0, &a->w, &a->shown)) != OK ||
	    (e = keep_overview(p, r, a)) != OK))
		return e;
	a->text = (struct span){ r->overview, r->overview_len };
	a->shown = r->shown;
	return OK;
}

enum err
profile_do_read(struct profile *p, struct profile_asking *a)
{
	struct profile_reader *r;
	enum err e;

	if (a->ruling->ask.offset != a->request.offset || a->ruling->ask.limit < PROFILE_OVERVIEW_MAX)
		return ERR_INVALID_ARGUMENT;
	if ((e = profile_reader_of(p, a->connection, a->ruling->categories, &r)) != OK)
		return e;
	if (a->request.what == PROFILE_CONTEXT)
		return read_overview(p, r, a);
	if (memcmp(a->request.hash, r->view.version, PROFILE_VERSION_LEN) != 0)
		return ERR_CONFLICT;
	return profile_page_write(&r->view, a->request.offset, &a->w, &a->shown);
}

static int
by_fact(const void *a, const void *b)
{
	return uuid_compare(((const struct profile_ref *)a)->fact, ((const struct profile_ref *)b)->fact);
}

static bool
has_ref(const struct profile_ref *refs, size_t n, const struct profile_ref *ref)
{
	const struct profile_ref *at = n == 0 ? NULL : bsearch(ref, refs, n, sizeof *refs, by_fact);

	return at != NULL && uuid_equal(at->revision, ref->revision);
}

static enum err
put_document(struct profile *p, struct uuid connection, const struct profile_fact *f)
{
	struct search_field fields[] = { { .part = SEARCH_TITLE, .text = f->label }, { .part = SEARCH_BODY, .text = f->value } };
	struct search_document d = { .vault = connection, .asset = f->fact, .revision = f->revision, .kind = KIND_MEMORY,
		.created = f->created.ms, .updated = f->updated.ms, .fields = fields, .n_fields = 2 };

	return search_index_put(p->index, &d);
}

/* Takes out of the index what is not seen any more or has changed, and puts in what is new. */
static enum err
put_differences(struct profile *p, struct profile_reader *r, const struct profile_ref *seen)
{
	enum err e;

	for (size_t i = 0; i < r->n_indexed; i++)
		if (!has_ref(seen, r->view.n, &r->indexed[i]))
			search_index_remove(p->index, r->connection, r->indexed[i].fact);
	for (size_t i = 0; i < r->view.n; i++) {
		const struct profile_fact *f = r->view.facts[i];
		struct profile_ref ref = { f->fact, f->revision };

		if (!has_ref(r->indexed, r->n_indexed, &ref) && (e = put_document(p, r->connection, f)) != OK)
			return e;
	}
	return OK;
}

/* The index as the view is. After an error it has nothing of this connection. */
static enum err
bring_up(struct profile *p, struct profile_reader *r)
{
	struct profile_ref *seen;
	enum err e;

	if (r->is_indexed)
		return OK;
	if ((seen = calloc(r->view.n + 1, sizeof *seen)) == NULL)
		return ERR_NO_MEMORY;
	for (size_t i = 0; i < r->view.n; i++)
		seen[i] = (struct profile_ref){ r->view.facts[i]->fact, r->view.facts[i]->revision };
	qsort(seen, r->view.n, sizeof *seen, by_fact);
	if ((e = search_index_add_vault(p->index, r->connection)) == OK)
		e = put_differences(p, r, seen);
	/* The others' make room for it; they are built again when they are asked. */
	if (e == ERR_NO_MEMORY) {
		profile_readers_unindex(p);
		e = put_differences(p, r, seen);
	}
	free(r->indexed);
	r->indexed = seen;
	r->n_indexed = r->view.n;
	r->is_indexed = e == OK;
	if (e != OK) {
		search_index_remove_vault(p->index, r->connection);
		r->n_indexed = 0;
	}
	return e;
}

static bool
count_token(void *arg, const struct search_token *t)
{
	(void)t;
	++*(size_t *)arg;
	return false;
}

static enum err
search(struct profile *p, const struct profile_reader *r, const struct profile_request *q, struct search_hit *hits,
    struct profile_hits *out)
{
	struct search_query query = { .vaults = &r->connection, .n_vaults = 1, .text = q->query, .offset = (uint32_t)q->offset,
		.limit = q->limit };
	struct search_found found;
	enum err e;

	if ((e = search_index_find(p->index, &query, hits, &found)) != OK)
		return e;
	*out = (struct profile_hits){ .n = found.n_hits, .offset = q->offset, .total = found.total,
		.window = PROFILE_SEARCH_OFFSET_MAX };
	for (size_t i = 0; i < found.n_hits; i++)
		if ((out->facts[i] = profile_book_fact(profile_db_book(p->db), hits[i].asset)) == NULL)
			return ERR_INTERNAL;
	return OK;
}

enum err
profile_do_find(struct profile *p, struct profile_asking *a)
{
	const struct profile_request *q = &a->request;
	struct profile_reader *r;
	struct profile_hits hits;
	struct secret *room = NULL;
	size_t n_tokens = 0;
	enum err e;

	if (a->ruling->ask.offset != q->offset || a->ruling->ask.limit != q->limit)
		return ERR_INVALID_ARGUMENT;
	(void)search_tokens(q->query, 0, count_token, &n_tokens);
	if (n_tokens == 0)
		return ERR_QUERY_EMPTY;
	if ((e = profile_reader_of(p, a->connection, a->ruling->categories, &r)) != OK || (e = bring_up(p, r)) != OK ||
	    (e = secret_new(PROFILE_SEARCH_LIMIT_MAX * sizeof(struct search_hit), &room)) != OK)
		return e;
	if ((e = search(p, r, q, (struct search_hit *)(void *)secret_bytes(room), &hits)) == OK)
		e = profile_hits_write(&r->view, &hits, &a->w, &a->shown);
	secret_free(&room);
	return e;
}
