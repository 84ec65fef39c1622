/*
 * draft_text: a memory or a card as its owner edits it in a text editor.
 *
 * A memory is a header of lines, an empty line, and its body:
 *
 *   # Lines with # up here are not kept.
 *   title: Shopping
 *   tag: food
 *
 *   oat milk
 *
 * The body stands as it is, with one newline more at its end, for editors end
 * files with one; taking it back drops one. A value that a line cannot hold, or
 * that starts with a quote, is a JSON string. A card is its Content JSON,
 * spread over lines, below lines with # that are not kept either. What is
 * written and taken back is the same content.
 */
#ifndef GATEWAY_DRAFT_TEXT_H
#define GATEWAY_DRAFT_TEXT_H

#include "gateway/content.h"
#include "gateway/json.h"
#include "mailbox/words.h"

#define DRAFT_REASON_MAX 128

/*
 * note     for people, goes to the top; lines without #. May be ""
 * content  Content JSON of that kind, memory or card
 * *out     new; the caller frees
 *
 * ERR_STORAGE_CORRUPT: it is not Content JSON. ERR_TOO_LARGE, ERR_NO_MEMORY.
 */
enum err draft_text_of(enum kind kind, const char *note, struct span content, struct secret **out);

/* A card's text below its lines with #. */
struct span draft_text_card(struct span text);

/*
 * The same text with this line, which is no part of what is taken, as its first:
 * in place of a line with # that is there, else before all. New. ERR_NO_MEMORY.
 */
enum err draft_text_remark(struct span text, const char *line, struct secret **out);

/* A memory that was taken from a draft. Zeroed, it is empty. */
struct draft {
	struct content_labels labels; /* spans into the text or into quoted */
	struct span           body;
	struct json          *quoted[1 + CONTENT_TAGS_MAX];
	size_t                n_quoted;
};

/*
 * Takes a memory's text. What is taken points into text, which must outlive it.
 *
 * reason  for people, which line is wrong and how it should be; names no
 *         content. Set on ERR_INVALID_CONTENT only
 *
 * ERR_INVALID_CONTENT, ERR_NO_MEMORY: *out is empty.
 */
enum err draft_text_take(struct span text, struct draft *out, char reason[DRAFT_REASON_MAX]);

void draft_free(struct draft *d);

#endif
