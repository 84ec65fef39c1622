#include "gateway/mcp_turn.h"

static enum mcp_error initialize(struct mcp_turn *t);
static enum mcp_error ping(struct mcp_turn *t);
static enum mcp_error discover(struct mcp_turn *t);
static enum mcp_error tools_list(struct mcp_turn *t);
static enum mcp_error prompts_list(struct mcp_turn *t);
static enum mcp_error no_resources(struct mcp_turn *t);
static enum mcp_error no_templates(struct mcp_turn *t);

/* Which servers know a method. */
enum server_kind {
	ALL,
	PLAIN,    /* those that declare no resources */
	RESOURCES,
};

/*
 * The empty lists are of things that are not announced: some legacy clients
 * ask all the same and drop a server that refuses. A modern client is told the
 * truth.
 */
static const struct {
	const char      *name;
	bool             legacy, modern;
	enum server_kind of;
	enum mcp_error (*answer)(struct mcp_turn *t);
} methods[] = {
	{ "initialize",               true,  false, ALL,       initialize },
	{ "ping",                     true,  false, ALL,       ping },
	{ "server/discover",          false, true,  ALL,       discover },
	{ "tools/list",               true,  true,  ALL,       tools_list },
	{ "tools/call",               true,  true,  ALL,       mcp_call_answer },
	{ "prompts/list",             true,  false, ALL,       prompts_list },
	{ "resources/list",           true,  false, PLAIN,     no_resources },
	{ "resources/templates/list", true,  false, PLAIN,     no_templates },
	{ "resources/list",           true,  true,  RESOURCES, mcp_resources_list },
	{ "resources/templates/list", true,  true,  RESOURCES, mcp_resources_templates },
	{ "resources/read",           true,  true,  RESOURCES, mcp_resources_read },
};

static void
write_capability(struct json_writer *w, const char *name)
{
	json_write_key(w, name);
	json_write_object(w);
	json_write_end(w);
}

static void
write_capabilities(struct mcp_turn *t)
{
	json_write_key(t->answer, "capabilities");
	json_write_object(t->answer);
	write_capability(t->answer, "tools");
	if (t->server->resources != NULL)
		write_capability(t->answer, "resources");
	json_write_end(t->answer);
}

static void
write_instructions(struct mcp_turn *t)
{
	json_member_text(t->answer, "instructions", t->server->instructions);
}

/* Always ends with a version, never an error about versions: some clients do not survive one. */
static enum mcp_error
initialize(struct mcp_turn *t)
{
	struct span wanted;
	enum mcp_revision agreed;

	if (json_string(t->params, "protocolVersion", &wanted) != JSON_GOT)
		return MCP_BAD_PARAMS;
	agreed = mcp_revision_of(wanted);
	if (agreed == MCP_REVISION_NONE || mcp_revision_is_modern(agreed))
		agreed = MCP_NEWEST_LEGACY;
	t->stream->agreed = t->revision = agreed;
	mcp_turn_begin(t);
	json_member_text(t->answer, "protocolVersion", mcp_revision_name(agreed));
	write_capabilities(t);
	json_write_key(t->answer, "serverInfo");
	mcp_turn_write_server(t);
	write_instructions(t);
	mcp_turn_end(t, MCP_CACHE_NONE);
	return MCP_OK;
}

static enum mcp_error
ping(struct mcp_turn *t)
{
	mcp_turn_begin(t);
	mcp_turn_end(t, MCP_CACHE_NONE);
	return MCP_OK;
}

static enum mcp_error
discover(struct mcp_turn *t)
{
	mcp_turn_begin(t);
	json_write_key(t->answer, "supportedVersions");
	mcp_error_write_supported(t->answer);
	write_capabilities(t);
	write_instructions(t);
	mcp_turn_end(t, MCP_CACHE_DISCOVER);
	return MCP_OK;
}

/* Every list is one page, so no cursor can be ours, the empty one neither. */
static enum mcp_error
open_list(struct mcp_turn *t, const char *name)
{
	if (json_member(t->params, "cursor") != NULL)
		return MCP_BAD_CURSOR;
	mcp_turn_begin(t);
	json_write_key(t->answer, name);
	json_write_array(t->answer);
	return MCP_OK;
}

static enum mcp_error
tools_list(struct mcp_turn *t)
{
	enum mcp_error e;

	if ((e = open_list(t, "tools")) != MCP_OK)
		return e;
	for (size_t i = 0; i < t->server->n_tools; i++)
		mcp_tool_write(t->answer, &t->server->tools[i], t->revision);
	json_write_end(t->answer);
	mcp_turn_end(t, MCP_CACHE_LIST);
	return MCP_OK;
}

static enum mcp_error
empty_list(struct mcp_turn *t, const char *name)
{
	enum mcp_error e;

	if ((e = open_list(t, name)) != MCP_OK)
		return e;
	json_write_end(t->answer);
	mcp_turn_end(t, MCP_CACHE_NONE);
	return MCP_OK;
}

static enum mcp_error
prompts_list(struct mcp_turn *t)
{
	return empty_list(t, "prompts");
}

static enum mcp_error
no_resources(struct mcp_turn *t)
{
	return empty_list(t, "resources");
}

static enum mcp_error
no_templates(struct mcp_turn *t)
{
	return empty_list(t, "resourceTemplates");
}

enum mcp_error
mcp_method_answer(struct mcp_turn *t)
{
	bool modern = mcp_revision_is_modern(t->revision);
	enum server_kind other = t->server->resources != NULL ? PLAIN : RESOURCES;

	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (rpc_is(&t->message, methods[i].name) && methods[i].of != other &&
		    (modern ? methods[i].modern : methods[i].legacy))
			return methods[i].answer(t);
	return MCP_UNKNOWN_METHOD;
}
