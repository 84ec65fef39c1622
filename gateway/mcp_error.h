/*
 * mcp_error: the ways in which a message itself is refused (a tool that fails
 * is a result, not one of these). One table turns kind and era into a JSON-RPC
 * code, a message and data.
 */
#ifndef GATEWAY_MCP_ERROR_H
#define GATEWAY_MCP_ERROR_H

#include "gateway/json_write.h"
#include "gateway/mcp_revision.h"

enum mcp_error {
	MCP_OK,
	MCP_NOT_JSON,
	MCP_OVER_LIMITS,
	MCP_NOT_A_REQUEST,
	MCP_BATCH_REFUSED,
	MCP_UNKNOWN_METHOD,
	MCP_NOT_INITIALIZED,
	MCP_ENVELOPE_MISSING,
	MCP_HEADER_MISMATCH, /* HTTP: a header is missing, twice, or says other than the body */
	MCP_VERSION_UNSUPPORTED,
	MCP_BAD_PARAMS,
	MCP_BAD_CURSOR,
	MCP_UNKNOWN_TOOL,
	MCP_UNKNOWN_RESOURCE,
	MCP_REFUSED, /* the request is well formed; `why` and `message` tell */
	MCP_OUR_FAULT,
	MCP_ERROR__COUNT
};

/* The code of that refusal in the era of r. */
int mcp_error_code(enum mcp_error kind, enum mcp_revision r);

/* Why a text that json_parse did not take is refused; MCP_OK when it did. */
enum mcp_error mcp_error_of_parse(enum err e);

struct mcp_refusal {
	enum mcp_error    kind;
	enum mcp_revision revision;  /* MCP_REVISION_NONE: the era is not known; legacy */
	struct span       id;        /* len 0: none */
	struct span       requested; /* the version asked for; of MCP_VERSION_UNSUPPORTED */
	struct span       uri;       /* of MCP_UNKNOWN_RESOURCE */
	enum err          why;       /* of MCP_REFUSED */
	const char       *message;   /* of MCP_REFUSED; "": err_text(why) */
};

/* The whole error answer. */
void mcp_error_write(struct json_writer *w, const struct mcp_refusal *refusal);

/* ["2026-07-28", … "2024-11-05"]: what we speak, newest first. */
void mcp_error_write_supported(struct json_writer *w);

#endif
