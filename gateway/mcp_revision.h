/*
 * mcp_revision: the five published revisions of MCP, and what each of them
 * knows. They are in order of time, so "from this one on" is a comparison.
 * Source: modelcontextprotocol.io, "Specification", all five.
 */
#ifndef GATEWAY_MCP_REVISION_H
#define GATEWAY_MCP_REVISION_H

#include "mailbox/wire.h"

enum mcp_revision {
	MCP_REVISION_NONE,
	MCP_2024_11_05,
	MCP_2025_03_26,
	MCP_2025_06_18,
	MCP_2025_11_25, /* the last with a handshake: these four are legacy */
	MCP_2026_07_28, /* modern: every request describes itself */
	MCP_REVISION__COUNT
};

/* What a handshake ends with when the client asks for something we do not speak. */
#define MCP_NEWEST_LEGACY MCP_2025_11_25

/* MCP_REVISION_NONE for a name that is none of the five. */
enum mcp_revision mcp_revision_of(struct span name);

/* "2025-11-25"; "?" for MCP_REVISION_NONE. */
const char *mcp_revision_name(enum mcp_revision r);

bool mcp_revision_is_modern(enum mcp_revision r);

/* A JSON array of messages is allowed: in one revision only. */
bool mcp_revision_batches(enum mcp_revision r);

/* Tool annotations. */
bool mcp_revision_annotates(enum mcp_revision r);

/* title, outputSchema and structuredContent. */
bool mcp_revision_structures(enum mcp_revision r);

#endif
