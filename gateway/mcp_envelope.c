#include "gateway/mcp_envelope.h"

#define META_VERSION      "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"

/* What stands in params._meta, or NULL. */
static const struct json *
meta_of(const struct rpc_message *m)
{
	const struct json *meta = NULL;

	json_object(m->params, "_meta", &meta);
	return meta;
}

bool
mcp_envelope_claimed(const struct rpc_message *m)
{
	return json_member(meta_of(m), META_VERSION) != NULL;
}

enum mcp_error
mcp_envelope_read(const struct rpc_message *m, struct span *version)
{
	const struct json *meta = meta_of(m), *capabilities;

	if (json_string(meta, META_VERSION, version) != JSON_GOT ||
	    json_object(meta, META_CAPABILITIES, &capabilities) != JSON_GOT)
		return MCP_ENVELOPE_MISSING;
	return MCP_OK;
}

enum mcp_error
mcp_envelope_version(struct span version)
{
	return mcp_revision_is_modern(mcp_revision_of(version)) ? MCP_OK : MCP_VERSION_UNSUPPORTED;
}
