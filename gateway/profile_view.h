/*
 * profile_view: exactly those facts that a connection sees: shared with it as
 * they are now, of a category that it allows, and none that is never shared.
 * Their version is a SHA-256 over them: docs/store-format.md, "Profile".
 */
#ifndef GATEWAY_PROFILE_VIEW_H
#define GATEWAY_PROFILE_VIEW_H

#include "gateway/profile_request.h"
#include "store/profile_book.h"

struct profile_view {
	const struct profile_fact **facts; /* owned; what it points at is borrowed from the book */
	size_t         n;                  /* in the order of categories, and in each of making */
	uint8_t        version[PROFILE_VERSION_LEN];
	struct wall_ms updated;            /* the latest; 0: there is no fact */
};

/* The fact may be shared with a connection of these categories (bit 1 << category). */
bool profile_fact_shareable(const struct profile_fact *f, unsigned categories);

/* It is, as it is now. */
bool profile_fact_visible(const struct profile_book *b, const struct profile_fact *f, struct uuid connection, unsigned categories);

/* ERR_NO_MEMORY. Good until the book changes. */
enum err profile_view_make(const struct profile_book *b, struct uuid connection, unsigned categories, struct profile_view *out);
void     profile_view_free(struct profile_view *v); /* accepts a zeroed one */

/* What stands over the facts: how many there are of which category, and from when. It says nothing of what is in them. */
#define PROFILE_SUMMARY_MAX 256
void profile_summary(const struct profile_view *v, char out[PROFILE_SUMMARY_MAX]);

#endif
