/*
 * mcp_cursor: where a list or a long text goes on, as a text that only its
 * maker can make. It carries the place and a tag, keyed, over the place and
 * over what it belongs to, so that a cursor of another call, grant or server
 * is refused rather than followed. It gives no right: what is asked with it is
 * decided anew.
 */
#ifndef GATEWAY_MCP_CURSOR_H
#define GATEWAY_MCP_CURSOR_H

#include "escrow/secret.h"
#include "mailbox/err.h"
#include "mailbox/wire.h"

#define MCP_CURSOR_BYTES    (1 + UUID_LEN + 8 + 4 + 16)
#define MCP_CURSOR_TEXT_MAX ((MCP_CURSOR_BYTES * 4 + 2) / 3)

struct mcp_cursor {
	struct uuid id;     /* what it is in: a vault, a revision */
	uint64_t    offset; /* rows, or bytes */
	uint32_t    part;   /* which string of a content */
};

/*
 * key      of the maker
 * context  what the cursor belongs to, so that it fits nothing else
 */
void mcp_cursor_write(const struct key *key, struct span context, const struct mcp_cursor *cursor,
    char out[MCP_CURSOR_TEXT_MAX + 1]);

/* ERR_INVALID_ARGUMENT: not one that mcp_cursor_write made with this key and context. */
enum err mcp_cursor_read(const struct key *key, struct span context, struct span text, struct mcp_cursor *out);

#endif
