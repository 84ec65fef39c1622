#include "gateway/mcp_error.h"
#include "gateway/rpc.h"

static const struct {
	int         legacy, modern; /* 0: cannot happen in that era */
	bool        tells_versions; /* data: {"supported":[…],"requested":…} */
	const char *message;
} errors[MCP_ERROR__COUNT] = {
	[MCP_NOT_JSON]            = { -32700, -32700, false, "not a JSON text that this server takes" },
	[MCP_NOT_A_REQUEST]       = { -32600, -32600, false, "not a JSON-RPC 2.0 message" },
	[MCP_BATCH_REFUSED]       = { -32600, -32600, false, "this array of messages is not allowed here" },
	[MCP_UNKNOWN_METHOD]      = { -32601, -32601, false, "unknown method" },
	[MCP_NOT_INITIALIZED]     = { -32602, 0,      false, "initialize first, or send the protocol version in params._meta" },
	[MCP_ENVELOPE_MISSING]    = { -32602, -32602, false, "params._meta must hold protocolVersion (string) and clientCapabilities (object) under io.modelcontextprotocol/" },
	[MCP_VERSION_UNSUPPORTED] = { 0,      -32022, true,  "unsupported protocol version" },
	[MCP_BAD_PARAMS]          = { -32602, -32602, false, "malformed params" },
	[MCP_BAD_CURSOR]          = { -32602, -32602, false, "not a cursor of this server" },
	[MCP_UNKNOWN_TOOL]        = { -32602, -32602, false, "unknown tool" },
	[MCP_OUR_FAULT]           = { -32603, -32603, false, "internal error" },
};

int
mcp_error_code(enum mcp_error kind, enum mcp_revision r)
{
	return mcp_revision_is_modern(r) ? errors[kind].modern : errors[kind].legacy;
}

void
mcp_error_write_supported(struct json_writer *w)
{
	json_write_array(w);
	for (enum mcp_revision r = MCP_REVISION__COUNT; --r > MCP_REVISION_NONE;)
		json_write_text(w, mcp_revision_name(r));
	json_write_end(w);
}

void
mcp_error_write(struct json_writer *w, const struct mcp_refusal *refusal)
{
	int code = mcp_error_code(refusal->kind, refusal->revision);

	rpc_open_error(w, refusal->id, code, errors[refusal->kind].message);
	if (errors[refusal->kind].tells_versions) {
		json_write_key(w, "data");
		json_write_object(w);
		json_write_key(w, "supported");
		mcp_error_write_supported(w);
		json_member_string(w, "requested", refusal->requested);
		json_write_end(w);
	}
	json_write_end(w);
	json_write_end(w);
}
