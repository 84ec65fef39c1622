/*
 * content_page: a memory's or card's Content JSON, page by page, for readers
 * of whom an answer must not be longer than some bytes. The strings of a
 * content stand in one order (title, tags, then text, or names and values of
 * fields), and a page is a run of them. One that does not fit is cut between
 * characters, and its rest begins the next page.
 */
#ifndef GATEWAY_CONTENT_PAGE_H
#define GATEWAY_CONTENT_PAGE_H

#include "gateway/json_write.h"
#include "mailbox/words.h"

/* Where a page begins: in which string, and how many bytes into it. Zero: at the start. */
struct content_place {
	uint32_t part;
	uint64_t offset;
};

/*
 * Adds to an open object what of the content begins at *place and fits:
 *
 *   "title":…,"tags":[…],"text":…                                     a memory
 *   "title":…,"tags":[…],"fields":[{"name":…,"value":…,"protected":…}] a card
 *
 * A member of which nothing is on the page is left out.
 *
 * room    bytes, at least CONTENT_PAGE_MIN; never passed
 * *place  afterwards where the next page begins
 * *more   false when nothing is left
 *
 * ERR_INVALID_CONTENT: not Content JSON of that kind. ERR_INVALID_ARGUMENT: no
 * such place. ERR_NO_MEMORY. The writer is to be dropped on an error.
 */
#define CONTENT_PAGE_MIN 256
enum err content_page(struct span content, enum kind kind, size_t room, struct json_writer *w,
    struct content_place *place, bool *more);

#endif
