#include <stdio.h>

#include "gateway/mcp_turn.h"

/* Writes a result of one array, which is taken as it is. */
static enum mcp_error
answer_array(struct mcp_turn *t, const char *name, const struct json_writer *array, const char *next)
{
	struct span value;

	if (json_write_done(array, &value) != OK)
		return MCP_OUR_FAULT;
	mcp_turn_begin(t);
	json_write_key(t->answer, name);
	json_write_raw(t->answer, value);
	if (next[0] != '\0')
		json_member_text(t->answer, "nextCursor", next);
	mcp_turn_end(t, MCP_CACHE_FRESH);
	return MCP_OK;
}

static enum mcp_error
refuse(struct mcp_turn *t, enum err e, const char *message)
{
	t->refusal.why = e;
	snprintf(t->refused, sizeof t->refused, "%s", message);
	return MCP_REFUSED;
}

enum mcp_error
mcp_resources_list(struct mcp_turn *t)
{
	struct json_writer rows = { 0 };
	struct mcp_listing listing = { .revision = t->revision, .rows = &rows };
	enum mcp_error answer = MCP_BAD_CURSOR;
	enum json_got got = json_string(t->params, "cursor", &listing.cursor);
	enum err e;

	if (got == JSON_WRONG_TYPE)
		return MCP_BAD_CURSOR;
	listing.continues = got == JSON_GOT;
	json_write_array(&rows);
	if ((e = t->server->resources->list(t->server->arg, &listing)) == OK) {
		json_write_end(&rows);
		answer = answer_array(t, "resources", &rows, listing.next);
	} else if (e != ERR_INVALID_ARGUMENT) {
		answer = refuse(t, e, listing.message);
	}
	json_write_free(&rows);
	return answer;
}

/* They are few: one page. */
enum mcp_error
mcp_resources_templates(struct mcp_turn *t)
{
	const struct mcp_resources *resources = t->server->resources;

	if (json_member(t->params, "cursor") != NULL)
		return MCP_BAD_CURSOR;
	mcp_turn_begin(t);
	json_write_key(t->answer, "resourceTemplates");
	json_write_array(t->answer);
	for (size_t i = 0; i < resources->n_templates; i++)
		mcp_template_write(t->answer, &resources->templates[i], t->revision);
	json_write_end(t->answer);
	mcp_turn_end(t, MCP_CACHE_LIST);
	return MCP_OK;
}

enum mcp_error
mcp_resources_read(struct mcp_turn *t)
{
	struct json_writer contents = { 0 };
	struct mcp_reading reading = { .revision = t->revision, .contents = &contents };
	enum mcp_error answer;
	enum err e;

	if (json_string(t->params, "uri", &reading.uri) != JSON_GOT)
		return MCP_BAD_PARAMS;
	t->refusal.uri = reading.uri;
	json_write_array(&contents);
	if ((e = t->server->resources->read(t->server->arg, &reading)) == OK) {
		json_write_end(&contents);
		answer = answer_array(t, "contents", &contents, "");
	} else if (e == ERR_NOT_FOUND) {
		answer = MCP_UNKNOWN_RESOURCE;
	} else {
		answer = refuse(t, e, reading.message);
	}
	json_write_free(&contents);
	return answer;
}
