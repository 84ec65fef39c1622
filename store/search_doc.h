/* search_doc: one document as the index keeps it: its ids, its fields and their text as given. */
#ifndef STORE_SEARCH_DOC_H
#define STORE_SEARCH_DOC_H

#include "store/search_index.h"
#include "store/search_memory.h"

struct search_piece {
	enum search_part part;
	uint16_t         number;
	uint32_t         offset;   /* in the document's text */
	uint32_t         len;
};

struct search_doc {
	struct search_doc  *next_asset; /* store/search_vault.c's */
	struct uuid         asset;
	struct uuid         revision;
	uint64_t            created;
	uint64_t            updated;
	enum kind           kind;
	uint32_t            number;      /* from 1, in its vault */
	uint32_t            n_positions; /* words and characters of runs */
	uint32_t            title_end;   /* the positions before are the title's */
	uint32_t            text_len;
	uint32_t            n_fields;
	struct search_piece fields[];    /* and the text */
};

/* ERR_TOO_LARGE; ERR_NO_MEMORY. */
enum err search_doc_new(struct search_memory *m, const struct search_document *d, struct search_doc **out);

/* Wipes it and gives it back. */
void search_doc_free(struct search_memory *m, struct search_doc *doc);

/* A field's text; borrowed. */
struct span search_doc_text(const struct search_doc *doc, const struct search_piece *field);

/* Borrowed; empty if it has none. */
struct span search_doc_title(const struct search_doc *doc);

#endif
