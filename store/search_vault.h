/* search_vault: the index of one vault: its documents, and the terms they are made of. */
#ifndef STORE_SEARCH_VAULT_H
#define STORE_SEARCH_VAULT_H

#include "store/search_doc.h"
#include "store/search_terms.h"
#include "store/search_walk.h"

/* What ranking wants of each document, side by side. */
struct search_numbered {
	struct search_doc *doc; /* NULL: taken out */
	uint32_t           n_positions;
	uint32_t           title_end;
};

struct search_vault {
	struct uuid           id;
	struct search_memory *memory; /* owned: what the vault says lies there and nowhere else */
	struct search_terms   terms;
	struct search_numbered *docs; /* by number, 0 unused */
	uint32_t              n_numbers; /* the next one */
	uint32_t              docs_cap;
	struct search_doc   **assets; /* a power of two of lists, by the asset's hash */
	uint32_t              n_assets;
	uint32_t              n_docs;
	uint64_t              n_positions; /* of all documents */
	uint64_t              text_bytes;
};

/* NULL: out of memory. */
struct search_vault *search_vault_new(struct search_bill *bill, uint64_t seed, struct uuid id);

/* Wipes all of it. */
void search_vault_free(struct search_vault *v);

/* As search_index_put says. w is ready and is so again afterwards. */
enum err search_vault_put(struct search_vault *v, struct search_walk *w, const struct search_document *d);

/* As search_index_remove says. */
void search_vault_remove(struct search_vault *v, struct uuid asset);

#endif
