/* revision: one revision of an asset, held here for its owner; and the heads of an asset. */
#ifndef TOOLS_COMMAND_REVISION_H
#define TOOLS_COMMAND_REVISION_H

#include "tools/command/command.h"

struct revision {
	struct client_answer     *details; /* owned; title, and meta */
	struct revision_row       row;
	const struct client_item *title;   /* borrowed from details */
	const struct client_item *meta;    /* NULL: it takes sudo, which is not given */
};

/*
 * revision  zero: the only head
 * Errors as owner_ask. ERR_REVISION_REQUIRED, ERR_ASSET_DELETED: there is none.
 */
enum err revision_find(struct invocation *in, struct client *c, struct uuid vault, struct uuid asset,
    struct uuid revision, struct revision *out);
void     revision_free(struct revision *r);

/* All of its content, which is no file's. New. Errors as client_read. */
enum err revision_content(struct client *c, const struct revision *r, struct secret **out);

/* What the bytes of it are asked with, from the start. */
struct client_want revision_want(const struct revision *r);

struct heads {
	size_t              n;
	struct revision_row rows[REVISION_PARENTS_MAX]; /* in the order of ids */
};

/* From the whole history, each page of which is recorded. Errors as owner_ask. */
enum err revision_heads(struct invocation *in, struct client *c, struct uuid vault, struct uuid asset, struct heads *out);

bool heads_have(const struct heads *h, struct uuid revision);

#endif
