/*
 * mcp_http: MCP over HTTP (Streamable HTTP of 2025-03-26 and later) without
 * sessions and without streams: one POST, one JSON answer. Which revision
 * serves a message is decided for it alone:
 *
 *   request that claims a version in params._meta, or whose header
 *   MCP-Protocol-Version is 2026-07-28 or later     modern
 *   request initialize                              agrees on a legacy version, which nobody keeps
 *   anything else                                   legacy, at the header's version; without one 2025-03-26
 *   array                                           where the header says 2025-03-26, or nothing
 *
 * What the profile is asked meanwhile takes time, so a body is gone through
 * twice: first to see what it asks, then, with what came of that, to answer.
 * A body that asks nothing is answered at once.
 *
 * Sources: modelcontextprotocol.io, "Specification", Transports, 2025-03-26,
 * 2025-06-18, 2025-11-25, 2026-07-28.
 */
#ifndef GATEWAY_MCP_HTTP_H
#define GATEWAY_MCP_HTTP_H

#include "gateway/profile_tools.h"

/* How often a header came, and its value the first time. */
struct mcp_http_header {
	size_t      n;
	struct span value; /* without blanks around it */
};

/* Borrowed for each call; the same in both. */
struct mcp_http_post {
	struct span            body;
	struct mcp_http_header version; /* MCP-Protocol-Version */
	struct mcp_http_header method;  /* Mcp-Method */
	struct mcp_http_header name;    /* Mcp-Name */
};

/* What came of an ask. */
struct mcp_http_outcome {
	enum err    error;
	const char *message; /* of an error; NULL: err_text says it */
	struct span result;  /* a JSON object; of OK */
};

struct mcp_http_plan {
	int                 status;
	struct json_writer  answer; /* owned: the body; empty: there is none, nor a Content-Type */
	struct profile_ask *asks;   /* owned: in the order in which they are to be made */
	size_t              n_asks; /* at most MCP_BATCH_MAX; 0: status and answer are what is to be sent */
	uint8_t             scopes; /* bit (1 << enum scope): all that the asks need */
	bool                is_modern; /* who leaves before the answer has called it off */
};

/*
 * What the POST asks. *plan is freed with mcp_http_plan_free, after an error
 * too. ERR_NO_MEMORY.
 */
enum err mcp_http_plan(const struct mcp_http_post *post, struct mcp_http_plan *plan);

/* Fills plan's status and answer with what came of its asks: n_asks outcomes. ERR_NO_MEMORY. */
enum err mcp_http_answer(const struct mcp_http_post *post, const struct mcp_http_outcome *outcomes, struct mcp_http_plan *plan);

void mcp_http_plan_free(struct mcp_http_plan *plan);

#endif
