/*
 * mcp_envelope: what a modern request says of itself in params._meta. Source:
 * modelcontextprotocol.io, "Specification", 2026-07-28.
 */
#ifndef GATEWAY_MCP_ENVELOPE_H
#define GATEWAY_MCP_ENVELOPE_H

#include "gateway/mcp_error.h"
#include "gateway/rpc.h"

/* It claims to be modern: it names a version, of whatever type. */
bool mcp_envelope_claimed(const struct rpc_message *m);

/* The version that it names. MCP_ENVELOPE_MISSING: one of the required members is not there, or of another type. */
enum mcp_error mcp_envelope_read(const struct rpc_message *m, struct span *version);

/* MCP_VERSION_UNSUPPORTED: none of ours. The legacy ones have no envelope, so a claim to one of them is none either. */
enum mcp_error mcp_envelope_version(struct span version);

#endif
