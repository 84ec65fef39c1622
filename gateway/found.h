/*
 * found: a page of search results as it is sealed for its asker.
 *
 * A take function accepts exactly the bytes that the put functions write.
 * Source: docs/store-format.md, "Search results".
 */
#ifndef GATEWAY_FOUND_H
#define GATEWAY_FOUND_H

#include "escrow/secret.h"
#include "mailbox/clock.h"
#include "store/search_index.h"

#define FOUND_ROWS_MAX    50
#define FOUND_LEN_MAX     65900 /* of a page; one that would be longer has fewer rows */
#define FOUND_TITLE_MAX   1024

struct found_row {
	struct uuid      vault;
	struct uuid      asset;
	struct uuid      revision;
	enum kind        kind;
	struct wall_ms   created;      /* of the asset */
	struct wall_ms   updated;
	uint32_t         score;        /* thousandths; only good for comparing within one answer */
	enum search_part part;         /* what the match stands in */
	uint16_t         number;       /* of a card's field or a tag, from 0 */
	uint32_t         match_offset; /* bytes into that text */
	uint32_t         match_len;
	uint32_t         excerpt_offset;
	struct span      title;        /* UTF-8 */
	struct span      excerpt;      /* UTF-8, of that text, around the match; it may end within the match */
};

struct found_page {
	uint64_t offset;
	uint64_t total;   /* how many match */
	bool     relaxed; /* none matched every word: these match some */
	uint16_t n_rows;
};

/* The page, then its rows. A writer that failed has no room for it. */
void found_page_put(struct wire_out *o, const struct found_page *p);
void found_row_put(struct wire_out *o, const struct found_row *r);

/*
 * Takes a whole page; the rows' spans point into it.
 * ERR_STORAGE_CORRUPT: it does not have the form.
 */
enum err found_take(struct span bytes, struct found_page *page, struct found_row rows[FOUND_ROWS_MAX]);

/* "title", "body", "field_name", "field_value", "tag"; "?" out of range. */
const char *found_part_name(enum search_part part);

#endif
