/*
 * memory_uri: memory://VAULT/ASSET, the name of a memory or card as an MCP
 * resource, and memory://VAULT/ASSET?cursor=CURSOR, a later part of it.
 */
#ifndef GATEWAY_MEMORY_URI_H
#define GATEWAY_MEMORY_URI_H

#include "gateway/mcp_cursor.h"

#define MEMORY_URI_TEMPLATE "memory://{vault}/{asset}"
#define MEMORY_URI_MAX      (sizeof "memory:///?cursor=" - 1 + 2 * UUID_TEXT_LEN + MCP_CURSOR_TEXT_MAX)

struct memory_uri {
	struct uuid vault, asset;
	bool        continues; /* cursor was given */
	struct span cursor;    /* points into the text; as it came */
};

/* cursor "": none. Writes a NUL. */
void memory_uri_write(struct uuid vault, struct uuid asset, const char *cursor, char out[MEMORY_URI_MAX + 1]);

/* Takes any bytes. ERR_NOT_FOUND: no such URI; nothing is decoded, so there is one spelling but for case. */
enum err memory_uri_read(struct span text, struct memory_uri *out);

#endif
