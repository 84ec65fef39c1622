/*
 * ordinary_tools: the tools and resources of `mcp serve`: memories and cards
 * of the vaults of one ordinary grant. All but the last tool only read.
 */
#ifndef GATEWAY_ORDINARY_TOOLS_H
#define GATEWAY_ORDINARY_TOOLS_H

#include "gateway/mcp.h"
#include "mailbox/words.h"

enum ordinary_tool {
	MEMORY_LIST,
	MEMORY_READ,
	MEMORY_SEARCH,
	MEMORY_PROPOSE, /* the last: a grant that may not propose has one tool less */
	ORDINARY_TOOLS
};

extern const struct mcp_tool ordinary_tools[ORDINARY_TOOLS];
extern const struct mcp_template ordinary_template;

/* What the server tells a model before it calls anything. */
extern const char ordinary_instructions[];

/* What a proposal would do; the words of the tool's "op". */
enum proposal_op {
	PROPOSE_ADD = 1,
	PROPOSE_UPDATE,
	PROPOSE_REMOVE,
};

/* The arguments of all four; of one that a tool does not have, what means "not given". */
struct ordinary_ask {
	enum ordinary_tool tool;
	bool               has_vault, has_asset, has_revision, has_cursor, has_limit;
	struct uuid        vault, asset, revision;
	unsigned           kind;  /* enum kind; 0: both */
	uint32_t           limit;
	struct span        cursor, query;
	enum proposal_op   op;
	bool               has_title, has_body;
	struct span        title, body, reason;
	const struct json *fields, *tags; /* arrays; NULL: not given */
};

/* Points into the call's arguments. */
struct ordinary_ask ordinary_tools_ask(const struct mcp_args *args);

/* "text/plain", "application/json": of a memory's text and a card's Content JSON. */
const char *ordinary_mime_type(enum kind kind);

#endif
