/*
 * mcp_resource: what a server offers beside its tools: things with a URI that
 * a client lists and reads. A server that declares none has no such methods,
 * but for the empty lists of mcp_method.c.
 */
#ifndef GATEWAY_MCP_RESOURCE_H
#define GATEWAY_MCP_RESOURCE_H

#include "gateway/json_write.h"
#include "gateway/mcp_cursor.h"
#include "gateway/mcp_revision.h"

#define MCP_RESOURCE_MESSAGE_MAX 512

struct mcp_template {
	const char *uri_template; /* RFC 6570 */
	const char *name;
	const char *title;
	const char *description;
	const char *mime_type;
};

#define MCP_SIZE_UNKNOWN UINT64_MAX

struct mcp_resource {
	struct span uri;
	struct span name;
	const char *title;       /* NULL: its name */
	const char *description; /* NULL: none */
	const char *mime_type;
	uint64_t    size;        /* bytes; MCP_SIZE_UNKNOWN: not told */
};

/* One text under a URI. */
struct mcp_contents {
	struct span uri;
	const char *mime_type;
	struct span text;
	struct span next; /* where the text goes on; len 0: nowhere */
};

/* resources/list: one page. */
struct mcp_listing {
	enum mcp_revision   revision;
	bool                continues; /* cursor was given */
	struct span         cursor;
	struct json_writer *rows;      /* an open array; mcp_resource_write adds to it */
	char                next[MCP_CURSOR_TEXT_MAX + 1]; /* "": the last page */
	char                message[MCP_RESOURCE_MESSAGE_MAX];
};

/* resources/read. */
struct mcp_reading {
	enum mcp_revision   revision;
	struct span         uri;
	struct json_writer *contents;  /* an open array; mcp_contents_write adds to it */
	char                message[MCP_RESOURCE_MESSAGE_MAX];
};

struct mcp_resources {
	const struct mcp_template *templates;
	size_t                     n_templates;

	/*
	 * An error drops what was written. ERR_INVALID_ARGUMENT: the cursor is
	 * none of ours. Others are told with their code and message ("":
	 * err_text).
	 */
	enum err (*list)(void *arg, struct mcp_listing *listing);

	/* ERR_NOT_FOUND: nothing that the asker may know of has this URI; the rest as above. */
	enum err (*read)(void *arg, struct mcp_reading *reading);
};

/* Each as the revision knows it, as an element of an open array. */
void mcp_template_write(struct json_writer *w, const struct mcp_template *t, enum mcp_revision r);
void mcp_resource_write(struct json_writer *w, const struct mcp_resource *resource, enum mcp_revision r);
void mcp_contents_write(struct json_writer *w, const struct mcp_contents *c, enum mcp_revision r);

#endif
