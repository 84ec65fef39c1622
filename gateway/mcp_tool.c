#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gateway/mcp_tool.h"

static void
write_words(struct json_writer *w, const char *const *words)
{
	json_write_key(w, "enum");
	json_write_array(w);
	for (; *words != NULL; words++)
		json_write_text(w, *words);
	json_write_end(w);
}

static void
write_field(struct json_writer *w, const struct mcp_field *f)
{
	json_write_key(w, f->name);
	json_write_object(w);
	switch (f->type) {
	case MCP_FIELD_ID:
		json_member_text(w, "type", "string");
		json_member_u64(w, "minLength", UUID_TEXT_LEN);
		json_member_u64(w, "maxLength", UUID_TEXT_LEN);
		break;
	case MCP_FIELD_INTEGER:
		json_member_text(w, "type", "integer");
		json_member_u64(w, "minimum", f->min);
		json_member_u64(w, "maximum", f->max);
		if (!f->required)
			json_member_u64(w, "default", f->otherwise);
		break;
	case MCP_FIELD_TEXT:
		json_member_text(w, "type", "string");
		json_member_u64(w, "minLength", f->min);
		json_member_u64(w, "maxLength", f->max);
		break;
	case MCP_FIELD_WORD:
		json_member_text(w, "type", "string");
		write_words(w, f->words);
		break;
	case MCP_FIELD_ARRAY:
		json_member_text(w, "type", "array");
		json_write_key(w, "items");
		json_write_raw(w, (struct span){ (const uint8_t *)f->items, strlen(f->items) });
		json_member_u64(w, "maxItems", f->max);
		break;
	}
	json_member_text(w, "description", f->description);
	json_write_end(w);
}

/* A plain object at the root: hosts refuse whole lists over $ref, $schema or oneOf. */
static void
write_input_schema(struct json_writer *w, const struct mcp_tool *tool)
{
	json_write_object(w);
	json_member_text(w, "type", "object");
	json_write_key(w, "properties");
	json_write_object(w);
	for (size_t i = 0; i < tool->n_fields; i++)
		write_field(w, &tool->fields[i]);
	json_write_end(w);
	json_write_key(w, "required");
	json_write_array(w);
	for (size_t i = 0; i < tool->n_fields; i++)
		if (tool->fields[i].required)
			json_write_text(w, tool->fields[i].name);
	json_write_end(w);
	json_member_bool(w, "additionalProperties", false);
	json_write_end(w);
}

/* Each hint is said: what is left out counts as destructive and open. */
static void
write_annotations(struct json_writer *w, const struct mcp_tool *tool)
{
	const struct {
		const char *name;
		bool        hint;
	} hints[] = {
		{ "readOnlyHint", tool->read_only },
		{ "destructiveHint", tool->destructive },
		{ "idempotentHint", tool->idempotent },
		{ "openWorldHint", tool->open_world },
	};

	json_write_object(w);
	json_member_text(w, "title", tool->title);
	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
		json_member_bool(w, hints[i].name, hints[i].hint);
	json_write_end(w);
}

void
mcp_tool_write(struct json_writer *w, const struct mcp_tool *tool, enum mcp_revision r)
{
	const char *schema = tool->output_schema;

	json_write_object(w);
	json_member_text(w, "name", tool->name);
	if (mcp_revision_structures(r))
		json_member_text(w, "title", tool->title);
	json_member_text(w, "description", tool->description);
	json_write_key(w, "inputSchema");
	write_input_schema(w, tool);
	if (mcp_revision_structures(r)) {
		json_write_key(w, "outputSchema");
		json_write_raw(w, (struct span){ (const uint8_t *)schema, strlen(schema) });
	}
	if (mcp_revision_annotates(r)) {
		json_write_key(w, "annotations");
		write_annotations(w, tool);
	}
	json_write_end(w);
}

static size_t
field_index(const struct mcp_tool *tool, const char *name)
{
	size_t i = 0;

	while (i < tool->n_fields && strcmp(tool->fields[i].name, name) != 0)
		i++;
	return i;
}

/* False past max; a text from JSON is well-formed UTF-8. */
static bool
length_fits(const struct mcp_field *f, struct span text)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text.len; i++)
		n += (text.p[i] & 0xc0) != 0x80;
	return n >= f->min && n <= f->max;
}

static bool
word_of(const struct mcp_field *f, struct span text, uint64_t *out)
{
	for (uint64_t i = 0; f->words[i] != NULL; i++)
		if (strlen(f->words[i]) == text.len && memcmp(f->words[i], text.p, text.len) == 0) {
			*out = i;
			return true;
		}
	return false;
}

static void
say_length(const struct mcp_field *f, char message[MCP_MESSAGE_MAX])
{
	if (f->min == f->max)
		snprintf(message, MCP_MESSAGE_MAX, "\"%s\" must be a string of %" PRIu64 " characters", f->name, f->max);
	else
		snprintf(message, MCP_MESSAGE_MAX, "\"%s\" must be a string of %" PRIu64 " to %" PRIu64 " characters",
		    f->name, f->min, f->max);
}

static void
name_words(const struct mcp_field *f, char message[MCP_MESSAGE_MAX])
{
	int len = snprintf(message, MCP_MESSAGE_MAX, "\"%s\" must be one of", f->name);

	for (size_t i = 0; f->words[i] != NULL; i++)
		len += snprintf(message + len, MCP_MESSAGE_MAX - (size_t)len, "%s %s", i > 0 ? "," : "", f->words[i]);
}

static uint64_t
n_items(const struct json *array)
{
	uint64_t n = 0;

	for (const struct json *v = json_first(array); v != NULL; v = json_next(v))
		n++;
	return n;
}

static enum err
read_value(const struct mcp_field *f, const struct json *v, struct mcp_value *out, char message[MCP_MESSAGE_MAX])
{
	struct span text;

	switch (f->type) {
	case MCP_FIELD_ID:
		if (json_as_string(v, &text) && uuid_parse((const char *)text.p, &out->id) == OK)
			break;
		snprintf(message, MCP_MESSAGE_MAX, "\"%s\" must be an id of 36 characters", f->name);
		return ERR_INVALID_ARGUMENT;
	case MCP_FIELD_INTEGER:
		if (json_as_u64(v, &out->integer) && out->integer >= f->min && out->integer <= f->max)
			break;
		snprintf(message, MCP_MESSAGE_MAX, "\"%s\" must be an integer from %" PRIu64 " to %" PRIu64,
		    f->name, f->min, f->max);
		return ERR_INVALID_ARGUMENT;
	case MCP_FIELD_TEXT:
		if (json_as_string(v, &out->text) && length_fits(f, out->text))
			break;
		say_length(f, message);
		return ERR_INVALID_ARGUMENT;
	case MCP_FIELD_WORD:
		if (json_as_string(v, &text) && word_of(f, text, &out->integer))
			break;
		name_words(f, message);
		return ERR_INVALID_ARGUMENT;
	case MCP_FIELD_ARRAY:
		out->array = v;
		if (json_type(v) == JSON_ARRAY && n_items(v) <= f->max)
			break;
		snprintf(message, MCP_MESSAGE_MAX, "\"%s\" must be an array of at most %" PRIu64 " items", f->name, f->max);
		return ERR_INVALID_ARGUMENT;
	}
	out->given = true;
	return OK;
}

static enum err
read_given(const struct json *arguments, struct mcp_args *args, char message[MCP_MESSAGE_MAX])
{
	const struct mcp_tool *tool = args->tool;
	size_t i;
	enum err e;

	for (const struct json *v = json_first(arguments); v != NULL; v = json_next(v)) {
		i = field_index(tool, json_name(v));
		if (i == tool->n_fields) {
			snprintf(message, MCP_MESSAGE_MAX, "\"%.64s\" is not an argument of %s",
			    json_name(v), tool->name);
			return ERR_INVALID_ARGUMENT;
		}
		if ((e = read_value(&tool->fields[i], v, &args->values[i], message)) != OK)
			return e;
	}
	return OK;
}

enum err
mcp_tool_check(const struct mcp_tool *tool, const struct json *arguments,
    struct mcp_args *args, char message[MCP_MESSAGE_MAX])
{
	struct mcp_args found = { .tool = tool };
	enum err e;

	for (size_t i = 0; i < tool->n_fields; i++)
		found.values[i].integer = tool->fields[i].otherwise;
	if (arguments != NULL && (e = read_given(arguments, &found, message)) != OK)
		return e;
	for (size_t i = 0; i < tool->n_fields; i++) {
		if (!tool->fields[i].required || found.values[i].given)
			continue;
		snprintf(message, MCP_MESSAGE_MAX, "\"%s\" is required", tool->fields[i].name);
		return ERR_INVALID_ARGUMENT;
	}
	*args = found;
	return OK;
}

const struct mcp_value *
mcp_tool_value(const struct mcp_args *args, const char *name)
{
	size_t i = field_index(args->tool, name);

	return i < args->tool->n_fields ? &args->values[i] : NULL;
}
