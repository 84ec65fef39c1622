/* mcp_http_inside: what the files of mcp_http share; nobody else includes this. */
#ifndef GATEWAY_MCP_HTTP_INSIDE_H
#define GATEWAY_MCP_HTTP_INSIDE_H

#include "gateway/mcp_http.h"

/* One time through a body. */
struct mcp_http_pass {
	const struct mcp_http_post    *post;
	struct mcp_http_plan          *plan;
	const struct mcp_http_outcome *outcomes; /* NULL: the first time */
	size_t                         next;     /* ask */
	struct span                    message;  /* the text of the one that is served */
	enum err                       failed;
};

/* mcp_http_calls.c: what the server's calls come to; arg is the pass. */
enum err mcp_http_on_call(void *arg, struct mcp_call *call);
enum err mcp_http_on_bad_call(void *arg, struct mcp_call *call);
extern const struct mcp_resources mcp_http_resources;

#endif
