#include <stdlib.h>
#include <string.h>

#include "escrow/random.h"
#include "store/search_excerpt.h"
#include "store/search_rank.h"

struct search_index {
	struct search_bill    bill;
	uint64_t              seed;
	struct search_walk    walk;
	struct search_vault **vaults;
	size_t                n_vaults;
	size_t                vaults_cap;
};

enum err
search_index_new(size_t max_bytes, struct search_index **out)
{
	struct search_index *ix = calloc(1, sizeof *ix);

	if (ix == NULL)
		return ERR_NO_MEMORY;
	ix->bill.max = max_bytes;
	random_bytes(&ix->seed, sizeof ix->seed);
	if ((ix->walk.memory = search_memory_new(&ix->bill, true)) == NULL) {
		free(ix);
		return ERR_NO_MEMORY;
	}
	*out = ix;
	return OK;
}

void
search_index_free(struct search_index **ix)
{
	if (*ix == NULL)
		return;
	for (size_t i = 0; i < (*ix)->n_vaults; i++)
		search_vault_free((*ix)->vaults[i]);
	free((*ix)->vaults);
	search_memory_free(&(*ix)->walk.memory);
	free(*ix);
	*ix = NULL;
}

/* The vault's place; n_vaults if it is not known. */
static size_t
place_of(const struct search_index *ix, struct uuid vault)
{
	size_t i = 0;

	while (i < ix->n_vaults && !uuid_equal(ix->vaults[i]->id, vault))
		i++;
	return i;
}

enum err
search_index_add_vault(struct search_index *ix, struct uuid vault)
{
	size_t cap = ix->vaults_cap == 0 ? 8 : 2 * ix->vaults_cap;
	struct search_vault **wider;

	if (place_of(ix, vault) < ix->n_vaults)
		return OK;
	if (ix->n_vaults == ix->vaults_cap) {
		if ((wider = realloc(ix->vaults, cap * sizeof *wider)) == NULL)
			return ERR_NO_MEMORY;
		ix->vaults = wider;
		ix->vaults_cap = cap;
	}
	if ((ix->vaults[ix->n_vaults] = search_vault_new(&ix->bill, ix->seed, vault)) == NULL)
		return ERR_NO_MEMORY;
	ix->n_vaults++;
	return OK;
}

enum err
search_index_put(struct search_index *ix, const struct search_document *d)
{
	enum err e = search_index_add_vault(ix, d->vault);

	return e != OK ? e : search_vault_put(ix->vaults[place_of(ix, d->vault)], &ix->walk, d);
}

void
search_index_remove(struct search_index *ix, struct uuid vault, struct uuid asset)
{
	size_t i = place_of(ix, vault);

	if (i < ix->n_vaults)
		search_vault_remove(ix->vaults[i], asset);
}

void
search_index_remove_vault(struct search_index *ix, struct uuid vault)
{
	size_t i = place_of(ix, vault);

	if (i == ix->n_vaults)
		return;
	search_vault_free(ix->vaults[i]);
	ix->vaults[i] = ix->vaults[--ix->n_vaults];
}

void
search_index_stats(const struct search_index *ix, struct search_stats *out)
{
	*out = (struct search_stats){ .n_vaults = ix->n_vaults, .bytes = ix->bill.bytes, .locked_bytes = ix->bill.locked };
	for (size_t i = 0; i < ix->n_vaults; i++) {
		out->n_documents += ix->vaults[i]->n_docs;
		out->n_terms += ix->vaults[i]->terms.n_terms;
		out->text_bytes += ix->vaults[i]->text_bytes;
	}
}

static bool
is_in_scope(const struct search_query *q, struct uuid vault)
{
	if (q->vaults == NULL)
		return true;
	for (size_t i = 0; i < q->n_vaults; i++)
		if (uuid_equal(q->vaults[i], vault))
			return true;
	return false;
}

static void
fill(const struct search_ranking *r, const struct search_ranked *from, struct search_hit *hit)
{
	const struct search_doc *doc = from->doc;

	*hit = (struct search_hit){ .vault = from->vault->id, .asset = doc->asset, .revision = doc->revision, .kind = doc->kind,
		.created = doc->created, .updated = doc->updated, .score = from->score, .title = search_doc_title(doc) };
	search_excerpt(r->units, r->weights, doc, hit);
}

/* With all of memory's in one: units, vaults in scope, what ranking takes. */
static enum err
find(const struct search_index *ix, const struct search_query *q, struct search_memory *scratch, struct search_hit *hits,
    struct search_found *found)
{
	struct search_units *units = search_memory_take(scratch, sizeof *units);
	struct search_vault **vaults = search_memory_take(scratch, (ix->n_vaults + 1) * sizeof *vaults);
	struct search_ranking r = { .scratch = scratch, .vaults = vaults, .units = units, .kinds = q->kinds };
	size_t wanted = (size_t)q->offset + q->limit;
	enum err e;

	if (units == NULL || vaults == NULL)
		return ERR_NO_MEMORY;
	for (size_t i = 0; i < ix->n_vaults; i++)
		if (is_in_scope(q, ix->vaults[i]->id))
			vaults[r.n_vaults++] = ix->vaults[i];
	search_units_parse(units, ix->seed, q->text);
	r.n_best = wanted;
	if ((e = search_rank(&r)) != OK)
		return e;
	if (r.total == 0 && !q->strict) {
		search_units_loosen(units);
		r.any = true;
		r.n_best = wanted;
		if ((e = search_rank(&r)) != OK)
			return e;
	}
	*found = (struct search_found){ .total = r.total, .relaxed = r.any && r.total > 0 };
	for (size_t i = q->offset; i < r.n_best && found->n_hits < q->limit; i++)
		fill(&r, &r.best[i], &hits[found->n_hits++]);
	return OK;
}

enum err
search_index_find(struct search_index *ix, const struct search_query *q, struct search_hit *hits, struct search_found *found)
{
	struct search_bill bill = { .max = 0 };
	struct search_memory *scratch;
	enum err e;

	if (q->text.len > SEARCH_QUERY_MAX || q->limit < 1 || q->limit > SEARCH_LIMIT_MAX)
		return ERR_INVALID_ARGUMENT;
	if ((scratch = search_memory_new(&bill, false)) == NULL)
		return ERR_NO_MEMORY;
	e = find(ix, q, scratch, hits, found);
	search_memory_free(&scratch);
	return e;
}
