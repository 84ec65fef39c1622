/*
 * mcp_http_headers: the three headers in which a modern client says again what
 * its body says, so that whoever stands between need not read it. Source:
 * modelcontextprotocol.io, "Specification", 2026-07-28, Transports.
 */
#ifndef GATEWAY_MCP_HTTP_HEADERS_H
#define GATEWAY_MCP_HTTP_HEADERS_H

#include "gateway/mcp_http.h"
#include "gateway/rpc.h"

/* It is there and names 2026-07-28 or something that comes after it. */
bool mcp_http_version_is_modern(const struct mcp_http_header *version);

/* It is there once, and it is that. */
bool mcp_http_version_says(const struct mcp_http_header *version, struct span claimed);

/* The version as an error repeats it; empty where it is nothing to be repeated. */
struct span mcp_http_version_shown(const struct mcp_http_header *version);

/*
 * Mcp-Method is there once and is the method; where the method names something
 * by a string, Mcp-Name is there once and is that, perhaps as base64.
 */
bool mcp_http_routing_says(const struct mcp_http_post *post, const struct rpc_message *m);

#endif
