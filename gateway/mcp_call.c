#include <stdio.h>
#include <string.h>

#include "gateway/mcp_turn.h"

static size_t
find_tool(const struct mcp_server *server, struct span name)
{
	size_t i = 0;

	while (i < server->n_tools && (strlen(server->tools[i].name) != name.len ||
	    memcmp(server->tools[i].name, name.p, name.len) != 0))
		i++;
	return i;
}

static void
write_content(struct json_writer *w, struct span text)
{
	json_write_key(w, "content");
	json_write_array(w);
	json_write_object(w);
	json_member_text(w, "type", "text");
	json_member_string(w, "text", text);
	json_write_end(w);
	json_write_end(w);
}

/* Without structuredContent: some clients check it against the schema even then. */
static enum mcp_error
answer_failure(struct mcp_turn *t, struct span text)
{
	mcp_turn_begin(t);
	write_content(t->answer, text);
	json_member_bool(t->answer, "isError", true);
	mcp_turn_end(t, MCP_CACHE_NONE);
	return MCP_OK;
}

static enum mcp_error
answer_bad_arguments(struct mcp_turn *t, const struct mcp_call *call)
{
	char text[MCP_MESSAGE_MAX + 32];
	int len = snprintf(text, sizeof text, "%s: %s", err_code(ERR_INVALID_ARGUMENT), call->message);

	return answer_failure(t, (struct span){ (const uint8_t *)text, (size_t)len });
}

static enum mcp_error
answer_tool_error(struct mcp_turn *t, const struct mcp_call *call, enum err e)
{
	struct span text;

	json_write_clear(call->result);
	json_write_error(call->result, e, call->message[0] != 0 ? call->message : NULL);
	if (json_write_done(call->result, &text) != OK)
		return MCP_OUR_FAULT;
	return answer_failure(t, text);
}

static enum mcp_error
answer_result(struct mcp_turn *t, const struct mcp_call *call)
{
	struct span object;

	if (json_write_done(call->result, &object) != OK || *object.p != '{')
		return MCP_OUR_FAULT;
	mcp_turn_begin(t);
	write_content(t->answer, object);
	if (mcp_revision_structures(t->revision)) {
		json_write_key(t->answer, "structuredContent");
		json_write_raw(t->answer, object);
	}
	mcp_turn_end(t, MCP_CACHE_NONE);
	return MCP_OK;
}

static enum mcp_error
run(struct mcp_turn *t, struct mcp_call *call, const struct json *arguments)
{
	const struct mcp_tool *tool = &t->server->tools[call->tool];
	enum err e;

	if (mcp_tool_check(tool, arguments, &call->args, call->message) != OK) {
		if (t->server->bad_call == NULL)
			return answer_bad_arguments(t, call);
		return answer_tool_error(t, call, t->server->bad_call(t->server->arg, call));
	}
	if ((e = t->server->call(t->server->arg, call)) != OK)
		return answer_tool_error(t, call, e);
	return answer_result(t, call);
}

enum mcp_error
mcp_call_answer(struct mcp_turn *t)
{
	struct json_writer result = { 0 };
	struct mcp_call call = { .result = &result };
	const struct json *arguments = NULL;
	struct span name;
	enum mcp_error e;

	if (json_string(t->params, "name", &name) != JSON_GOT)
		return MCP_BAD_PARAMS;
	if (json_object(t->params, "arguments", &arguments) == JSON_WRONG_TYPE)
		return MCP_BAD_PARAMS;
	call.tool = find_tool(t->server, name);
	if (call.tool == t->server->n_tools)
		return MCP_UNKNOWN_TOOL;
	e = run(t, &call, arguments);
	json_write_free(&result);
	return e;
}
