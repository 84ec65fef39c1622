/*
 * search_index: what the owner's ordinary memories and cards say, findable.
 *
 * In memory only, and for nothing but that: all text, words and places lie in
 * mappings that are left out of core files and of forked children, locked as
 * far as the limit goes, and wiped when a document, a vault or the whole is
 * taken out. Each vault is an index of its own, so a search in some vaults
 * reads nothing of the others, and what is rare or frequent is counted over
 * the vaults searched and no others.
 *
 * Words as store/search_tokens.h makes them. Not for two threads at once.
 * Needs mmap, munmap, mremap, madvise, mlock and no file.
 */
#ifndef STORE_SEARCH_INDEX_H
#define STORE_SEARCH_INDEX_H

#include <stdbool.h>

#include "mailbox/err.h"
#include "mailbox/uuid.h"
#include "mailbox/wire.h"
#include "mailbox/words.h"

#define SEARCH_FIELDS_MAX  4096          /* of one document */
#define SEARCH_TEXT_MAX    (4U << 20)    /* bytes of all fields of one document */
#define SEARCH_QUERY_MAX   1024          /* bytes; who asks may be held to less */
#define SEARCH_LIMIT_MAX   100
#define SEARCH_EXCERPT_MAX 240           /* bytes */

/* What a piece of text is in its document. */
enum search_part {
	SEARCH_TITLE = 1,
	SEARCH_BODY,
	SEARCH_FIELD_NAME,  /* of a card's field `number` */
	SEARCH_FIELD_VALUE,
	SEARCH_TAG,         /* the tag `number` */
};

struct search_field {
	enum search_part part;
	uint16_t         number; /* from 0; of a title and a body 0 */
	struct span      text;   /* any bytes; what is no UTF-8 parts words */
};

struct search_document {
	struct uuid                vault;
	struct uuid                asset;
	struct uuid                revision;
	enum kind                  kind;
	uint64_t                   created; /* as the caller counts time; kept and given back */
	uint64_t                   updated;
	const struct search_field *fields;  /* borrowed */
	size_t                     n_fields; /* at most SEARCH_FIELDS_MAX; a title first, if there is one */
};

struct search_index;

/* An empty index whose documents never take more than max_bytes (0: no such limit). ERR_NO_MEMORY. */
enum err search_index_new(size_t max_bytes, struct search_index **out);

/* Wipes and unmaps everything. Sets the pointer to NULL; accepts NULL inside. */
void search_index_free(struct search_index **ix);

/* Makes the vault known, with no document yet. Does nothing to one that is known. ERR_NO_MEMORY. */
enum err search_index_add_vault(struct search_index *ix, struct uuid vault);

/*
 * Adds the document, in the place of what the index has of that asset. The
 * vault becomes known.
 *
 * ERR_TOO_LARGE: fields or text beyond the limits above. ERR_NO_MEMORY.
 * After an error what was there before is still there.
 */
enum err search_index_put(struct search_index *ix, const struct search_document *d);

/* Takes out and wipes what the index has of that asset, if anything. */
void search_index_remove(struct search_index *ix, struct uuid vault, struct uuid asset);

/* Takes out and wipes the whole vault, if it is known. */
void search_index_remove_vault(struct search_index *ix, struct uuid vault);

struct search_stats {
	uint64_t n_documents;
	uint64_t n_vaults;
	uint64_t n_terms;
	uint64_t text_bytes;   /* of the documents, as given */
	uint64_t bytes;        /* mapped in all */
	uint64_t locked_bytes; /* of these, how many are locked into memory */
};

void search_index_stats(const struct search_index *ix, struct search_stats *out);

/*
 * What is looked for. The query is cut into
 *
 *   words               Latin and others with spaces between: matched whole; the
 *                       last one, of two characters or more and not followed by
 *                       anything, also as a beginning, ranked lower
 *   runs                of Han, kana and Hangul: matched as they stand, anywhere
 *   "quoted phrases"    words and runs one right after the other (a run of a
 *                       single character in it need only be somewhere)
 *   joined words        user@example.com, 3.14, well-known: as if quoted
 *
 * Documents that match all of them are hits. If there are none, those that
 * match any are (`relaxed`); then of runs of five characters or more any two
 * neighbours count, and the halves of one of four may stand apart, in their
 * order. At most 32 different ones are looked at, and of a run 64 characters
 * are taken together.
 */
struct search_query {
	const struct uuid *vaults;   /* borrowed; NULL: all that are known */
	size_t             n_vaults; /* those that are not known hold nothing */
	unsigned           kinds;    /* 1u << KIND_x of those wanted; 0: all */
	struct span        text;     /* at most SEARCH_QUERY_MAX bytes, any */
	uint32_t           offset;   /* that many of the best are passed over */
	uint32_t           limit;    /* 1 .. SEARCH_LIMIT_MAX */
	bool               strict;   /* never relaxed */
};

struct search_hit {
	struct uuid      vault;
	struct uuid      asset;
	struct uuid      revision;
	enum kind        kind;
	uint64_t         created;
	uint64_t         updated;
	double           score;
	struct span      title;  /* borrowed, as given; until the index changes */
	enum search_part part;   /* where the best match stands: */
	uint16_t         number;
	uint32_t         offset; /* bytes, in that field's text as given */
	uint32_t         length;
	uint8_t          excerpt[SEARCH_EXCERPT_MAX]; /* of that field, cut between characters; UTF-8 where the text is */
	uint32_t         excerpt_len;
	uint32_t         excerpt_offset; /* where in the field the excerpt begins */
	uint32_t         match_offset;   /* the match in the excerpt; cut short if it is longer */
	uint32_t         match_length;
};

struct search_found {
	uint64_t total;   /* how many documents are hits */
	uint32_t n_hits;  /* of these, how many were written */
	bool     relaxed;
};

/*
 * Writes the hits from offset on, the best first: BM25 with the title over the
 * rest; of equals the later updated, then the smaller ids. The caller wipes
 * the hits when it is done with them.
 *
 * hits  room for q->limit
 *
 * ERR_INVALID_ARGUMENT: the text is too long or the limit out of its range.
 * ERR_NO_MEMORY. A query without anything to look for has no hits.
 */
enum err search_index_find(struct search_index *ix, const struct search_query *q, struct search_hit *hits,
    struct search_found *found);

#endif
