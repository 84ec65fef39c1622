/*
 * unattended_tools: the four tools of `mcp serve-unattended`. They only read.
 */
#ifndef GATEWAY_UNATTENDED_TOOLS_H
#define GATEWAY_UNATTENDED_TOOLS_H

#include "gateway/mcp.h"
#include "mailbox/words.h"

#define UNATTENDED_TOOLS 4

extern const struct mcp_tool unattended_tools[UNATTENDED_TOOLS];

/* What the server tells a model before it calls anything. */
extern const char unattended_tools_instructions[];

/* A call of one of them, as what it asks. */
struct unattended_ask {
	enum op     op; /* OP_LIST, OP_HISTORY, OP_READ or OP_CREDENTIAL_BYTES */
	struct uuid vault;
	struct uuid asset;        /* zero for OP_LIST */
	bool        has_revision; /* of byte reads */
	struct uuid revision;
	uint64_t    offset;
	uint32_t    limit;        /* rows 1 .. 100, or bytes 1 .. 65536 */
};

/* args passed mcp_tool_check against one of unattended_tools. */
struct unattended_ask unattended_tools_ask(const struct mcp_args *args);

#endif
