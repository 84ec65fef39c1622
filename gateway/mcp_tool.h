/*
 * mcp_tool: what a tool is, how it is listed in each revision, and how the
 * arguments of a call are checked. The tables belong to whoever serves them
 * (gateway/unattended_tools.h).
 */
#ifndef GATEWAY_MCP_TOOL_H
#define GATEWAY_MCP_TOOL_H

#include "gateway/json.h"
#include "gateway/json_write.h"
#include "gateway/mcp_revision.h"

#define MCP_FIELDS_MAX  8
#define MCP_MESSAGE_MAX 512

enum mcp_field_type {
	MCP_FIELD_ID,      /* a UUID of 36 characters */
	MCP_FIELD_INTEGER,
	MCP_FIELD_TEXT,    /* min .. max characters */
	MCP_FIELD_WORD,    /* one of a few */
	MCP_FIELD_ARRAY,   /* at most max items; what they are is for the tool to check */
};

struct mcp_field {
	const char         *name;
	const char         *description;
	enum mcp_field_type type;
	bool                required;
	uint64_t            min, max;  /* of an integer, a text's length, an array's; max <= JSON_INTEGER_MAX */
	const char *const  *words;     /* of a word; ends with NULL */
	const char         *items;     /* of an array: their schema, JSON text on one line */
	uint64_t            otherwise; /* its value when it is not given */
};

struct mcp_tool {
	const char             *name;          /* [A-Za-z0-9_-], at most 50 */
	const char             *title;
	const char             *description;   /* the most important words first */
	const struct mcp_field *fields;
	size_t                  n_fields;      /* at most MCP_FIELDS_MAX */
	const char             *output_schema; /* JSON text on one line */
	bool                    read_only, destructive, idempotent, open_world;
};

/* One argument. An integer that was not given has its default. Text and array are the call's own. */
struct mcp_value {
	bool               given;
	struct uuid        id;
	uint64_t           integer; /* of a word: which one */
	struct span        text;
	const struct json *array;
};

struct mcp_args {
	const struct mcp_tool *tool;
	struct mcp_value       values[MCP_FIELDS_MAX]; /* in the order of its fields */
};

/* The tool as tools/list shows it at that revision. */
void mcp_tool_write(struct json_writer *w, const struct mcp_tool *tool, enum mcp_revision r);

/*
 * Checks arguments, an object or NULL, against the fields of tool.
 *
 * ERR_INVALID_ARGUMENT: message names the first argument that is missing, not
 * known, of the wrong type or out of range.
 */
enum err mcp_tool_check(const struct mcp_tool *tool, const struct json *arguments,
    struct mcp_args *args, char message[MCP_MESSAGE_MAX]);

/* The argument of that name, or NULL when the tool has no such field. */
const struct mcp_value *mcp_tool_value(const struct mcp_args *args, const char *name);

#endif
