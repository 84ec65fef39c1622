#include <stdio.h>

#include "gateway/mcp_error.h"
#include "gateway/rpc.h"

/* Of our own, outside what JSON-RPC and MCP keep for themselves. */
#define REFUSED (-31000)

static const struct {
	int         legacy, modern; /* 0: cannot happen in that era */
	const char *message;
} errors[MCP_ERROR__COUNT] = {
	[MCP_NOT_JSON]            = { -32700, -32700, "not a JSON text that this server takes: it must be well formed, with no member twice, no NUL and no half of a surrogate pair" },
	[MCP_OVER_LIMITS]         = { -32600, -32600, "over a limit of this server: a message has at most 1 MiB, 32 levels and 10000 values" },
	[MCP_NOT_A_REQUEST]       = { -32600, -32600, "not a JSON-RPC 2.0 message" },
	[MCP_BATCH_REFUSED]       = { -32600, -32600, "this array of messages is not allowed here" },
	[MCP_UNKNOWN_METHOD]      = { -32601, -32601, "unknown method" },
	[MCP_NOT_INITIALIZED]     = { -32602, 0, "initialize first, or send the protocol version in params._meta" },
	[MCP_ENVELOPE_MISSING]    = { -32602, -32602, "params._meta must hold protocolVersion (string) and clientCapabilities (object) under io.modelcontextprotocol/" },
	[MCP_HEADER_MISMATCH]     = { -32020, -32020, "the headers MCP-Protocol-Version, Mcp-Method and Mcp-Name must each be there once and say what the body says" },
	[MCP_VERSION_UNSUPPORTED] = { -32600, -32022, "unsupported protocol version" },
	[MCP_BAD_PARAMS]          = { -32602, -32602, "malformed params" },
	[MCP_BAD_CURSOR]          = { -32602, -32602, "not a cursor of this server" },
	[MCP_UNKNOWN_TOOL]        = { -32602, -32602, "unknown tool" },
	[MCP_UNKNOWN_RESOURCE]    = { -32002, -32602, "there is no such resource" },
	[MCP_REFUSED]             = { REFUSED, REFUSED, NULL },
	[MCP_OUR_FAULT]           = { -32603, -32603, "internal error" },
};

int
mcp_error_code(enum mcp_error kind, enum mcp_revision r)
{
	return mcp_revision_is_modern(r) ? errors[kind].modern : errors[kind].legacy;
}

enum mcp_error
mcp_error_of_parse(enum err e)
{
	if (e == OK)
		return MCP_OK;
	if (e == ERR_NO_MEMORY)
		return MCP_OUR_FAULT;
	return e == ERR_TOO_LARGE ? MCP_OVER_LIMITS : MCP_NOT_JSON;
}

void
mcp_error_write_supported(struct json_writer *w)
{
	json_write_array(w);
	for (enum mcp_revision r = MCP_REVISION__COUNT; --r > MCP_REVISION_NONE;)
		json_write_text(w, mcp_revision_name(r));
	json_write_end(w);
}

static const char *
message_of(const struct mcp_refusal *r, char text[1024])
{
	if (errors[r->kind].message != NULL)
		return errors[r->kind].message;
	snprintf(text, 1024, "%s: %s", err_code(r->why),
	    r->message != NULL && r->message[0] != '\0' ? r->message : err_text(r->why));
	return text;
}

/* What a program can use of the refusal. */
static void
write_data(struct json_writer *w, const struct mcp_refusal *r)
{
	if (r->kind != MCP_VERSION_UNSUPPORTED && r->kind != MCP_UNKNOWN_RESOURCE && r->kind != MCP_REFUSED)
		return;
	json_write_key(w, "data");
	json_write_object(w);
	if (r->kind == MCP_VERSION_UNSUPPORTED) {
		json_write_key(w, "supported");
		mcp_error_write_supported(w);
		json_member_string(w, "requested", r->requested);
	} else if (r->kind == MCP_UNKNOWN_RESOURCE) {
		json_member_string(w, "uri", r->uri);
	} else {
		json_member_text(w, "code", err_code(r->why));
	}
	json_write_end(w);
}

void
mcp_error_write(struct json_writer *w, const struct mcp_refusal *refusal)
{
	int code = mcp_error_code(refusal->kind, refusal->revision);
	char text[1024];

	rpc_open_error(w, refusal->id, code, message_of(refusal, text));
	write_data(w, refusal);
	json_write_end(w);
	json_write_end(w);
}
