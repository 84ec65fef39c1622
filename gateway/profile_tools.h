/*
 * profile_tools: the four tools and the one resource of the remote profile, and
 * how a call of them becomes an ask: an op, a range and a request
 * (gateway/profile_request.h). What the profile answers is a tool's result as
 * it is, and so the text of the resource.
 */
#ifndef GATEWAY_PROFILE_TOOLS_H
#define GATEWAY_PROFILE_TOOLS_H

#include "escrow/hash.h"
#include "gateway/mcp.h"
#include "mailbox/words.h"

enum profile_tool {
	GET_USER_CONTEXT,
	READ_USER_CONTEXT_PAGE,
	SEARCH_USER_CONTEXT,
	PROPOSE_MEMORY,
	PROFILE_TOOLS
};

extern const struct mcp_tool profile_tools[PROFILE_TOOLS];
extern const struct mcp_template profile_template;

/* What the server tells a model before it calls anything. */
extern const char profile_instructions[];

#define PROFILE_URI "lifeos://profile/summary"

/* What is asked of the profile. */
struct profile_ask {
	enum profile_tool  tool;     /* of a resource: the tool that gives the same */
	enum op            op;
	uint64_t           offset;
	uint32_t           limit;
	uint8_t            scopes;   /* bit (1 << enum scope): all that it needs */
	struct json_writer request;  /* owned: the request; empty when it was refused here */
	enum err           refused;  /* OK; or why there is nothing to ask */
	uint8_t            same[SHA256_LEN]; /* equal for the same tool with the same arguments */
};

/*
 * The ask of a call whose arguments have passed mcp_tool_check. A call that
 * lacks what its "op" wants has `refused` ERR_INVALID_ARGUMENT and a message.
 *
 * *out   the caller frees with profile_ask_free, after an error too
 * ERR_NO_MEMORY.
 */
enum err profile_tools_ask(const struct mcp_args *args, struct profile_ask *out, char message[MCP_MESSAGE_MAX]);

/* The same for a call whose arguments did not pass: arguments is their text. */
void profile_tools_bad(enum profile_tool tool, struct span arguments, struct profile_ask *out);

/*
 * The same for a URI: the overview's, or with ?version=…&offset=… a page's.
 * ERR_NOT_FOUND: no such URI; there is one spelling of each.
 */
enum err profile_tools_uri(struct span uri, struct profile_ask *out);

void profile_ask_free(struct profile_ask *ask);

/* The one row of resources/list. */
void profile_tools_list(struct json_writer *rows, enum mcp_revision r);

#endif
