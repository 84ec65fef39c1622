/* How a call or a URI becomes an ask. */
#include <stdio.h>
#include <string.h>

#include "gateway/profile_request.h"
#include "gateway/profile_result.h"
#include "gateway/profile_tools.h"

#define VERSION_DIGITS (2 * PROFILE_VERSION_LEN)

static const char *const does[PROFILE_TOOLS] = { "context", "page", "search", "propose" };

/* How the two kinds of arguments are told apart where they are compared. */
enum said { AS_REQUEST, AS_TEXT };

static void
mark(struct profile_ask *ask, enum said how, struct span text)
{
	uint8_t head[2] = { (uint8_t)ask->tool, (uint8_t)how };
	struct sha256 h;

	sha256_start(&h);
	sha256_add(&h, head, sizeof head);
	if (text.len > 0)
		sha256_add(&h, text.p, text.len);
	sha256_end(&h, ask->same);
}

static bool
given(const struct mcp_args *args, const char *name)
{
	const struct mcp_value *v = mcp_tool_value(args, name);

	return v != NULL && v->given;
}

/* The argument as a member of the request, if it was given. */
static void
add_field(struct json_writer *w, const struct mcp_field *f, const struct mcp_value *v)
{
	if (!v->given && (f->type != MCP_FIELD_INTEGER || f->required))
		return;
	switch (f->type) {
	case MCP_FIELD_ID:
		json_member_id(w, f->name, v->id);
		break;
	case MCP_FIELD_INTEGER:
		json_member_u64(w, f->name, v->integer);
		break;
	case MCP_FIELD_TEXT:
		json_member_string(w, f->name, v->text);
		break;
	case MCP_FIELD_WORD:
		json_member_text(w, f->name, f->words[v->integer]);
		break;
	case MCP_FIELD_ARRAY:
		break;
	}
}

/* What the op of a proposal wants, beyond what a schema can say. */
static enum err
check_proposal(const struct mcp_args *args, bool adds, bool archives, char message[MCP_MESSAGE_MAX])
{
	const char *missing = adds && !given(args, "category") ? "category"
	    : !archives && !given(args, "label") ? "label"
	    : !archives && !given(args, "value") ? "value"
	    : !adds && !given(args, "target_fact_id") ? "target_fact_id" : NULL;

	if (missing != NULL)
		snprintf(message, MCP_MESSAGE_MAX, "\"%s\" is required for this op", missing);
	else if (adds && given(args, "target_fact_id"))
		snprintf(message, MCP_MESSAGE_MAX, "\"target_fact_id\" is for update and archive");
	else
		return OK;
	return ERR_INVALID_ARGUMENT;
}

/* The texts are lines that say something. */
static enum err
check_texts(const struct mcp_args *args, char message[MCP_MESSAGE_MAX])
{
	for (size_t i = 0; i < args->tool->n_fields; i++) {
		const struct mcp_field *f = &args->tool->fields[i];

		if (f->type != MCP_FIELD_TEXT || !args->values[i].given || profile_text_good(args->values[i].text, f->min, f->max))
			continue;
		snprintf(message, MCP_MESSAGE_MAX, "\"%s\" must be one line, not blank, without control characters", f->name);
		return ERR_INVALID_ARGUMENT;
	}
	return OK;
}

static enum err
check_version(struct span version, char message[MCP_MESSAGE_MAX])
{
	for (size_t i = 0; i < version.len; i++)
		if (memchr("0123456789abcdef", version.p[i], 16) == NULL) {
			snprintf(message, MCP_MESSAGE_MAX, "\"version\" must be 64 hexadecimal digits, as the overview gave it");
			return ERR_INVALID_ARGUMENT;
		}
	return OK;
}

/* Op and range. */
static enum err
take_terms(const struct mcp_args *args, struct profile_ask *ask, char message[MCP_MESSAGE_MAX])
{
	bool adds, archives;

	ask->limit = PROFILE_OVERVIEW_MAX;
	ask->op = OP_PROFILE_READ;
	switch (ask->tool) {
	case GET_USER_CONTEXT:
	case PROFILE_TOOLS:
		return OK;
	case READ_USER_CONTEXT_PAGE:
		ask->offset = mcp_tool_value(args, "offset")->integer;
		return check_version(mcp_tool_value(args, "version")->text, message);
	case SEARCH_USER_CONTEXT:
		ask->op = OP_PROFILE_SEARCH;
		ask->offset = mcp_tool_value(args, "offset")->integer;
		ask->limit = (uint32_t)mcp_tool_value(args, "limit")->integer;
		return check_texts(args, message);
	case PROPOSE_MEMORY:
		break;
	}
	adds = mcp_tool_value(args, "op")->integer == 0;
	archives = mcp_tool_value(args, "op")->integer == 2;
	ask->op = adds ? OP_PROFILE_PROPOSE : OP_PROFILE_CORRECT;
	ask->limit = 0;
	if (check_proposal(args, adds, archives, message) != OK)
		return ERR_INVALID_ARGUMENT;
	return check_texts(args, message);
}

enum err
profile_tools_ask(const struct mcp_args *args, struct profile_ask *out, char message[MCP_MESSAGE_MAX])
{
	struct json_writer *w = &out->request;
	struct span text;
	enum err e;

	*out = (struct profile_ask){ .tool = (enum profile_tool)(args->tool - profile_tools) };
	out->refused = take_terms(args, out, message);
	out->scopes = op_scopes(out->op);
	json_write_object(w);
	json_member_text(w, "do", does[out->tool]);
	for (size_t i = 0; i < args->tool->n_fields; i++)
		add_field(w, &args->tool->fields[i], &args->values[i]);
	json_write_end(w);
	if ((e = json_write_done(w, &text)) != OK)
		return e;
	mark(out, AS_REQUEST, text);
	if (out->refused != OK)
		json_write_free(w);
	return OK;
}

void
profile_tools_bad(enum profile_tool tool, struct span arguments, struct profile_ask *out)
{
	*out = (struct profile_ask){ .tool = tool, .refused = ERR_INVALID_ARGUMENT };
	mark(out, AS_TEXT, arguments);
}

static bool
take_literal(struct span *rest, const char *literal)
{
	size_t len = strlen(literal);

	if (rest->len < len || memcmp(rest->p, literal, len) != 0)
		return false;
	rest->p += len;
	rest->len -= len;
	return true;
}

/* At most seven digits, without a leading zero, to the end. */
static bool
take_offset(struct span rest, uint64_t *out)
{
	uint64_t n = 0;

	if (rest.len < 1 || rest.len > 7 || (rest.len > 1 && *rest.p == '0'))
		return false;
	for (size_t i = 0; i < rest.len; i++) {
		if (rest.p[i] < '0' || rest.p[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(rest.p[i] - '0');
	}
	*out = n;
	return true;
}

enum err
profile_tools_uri(struct span uri, struct profile_ask *out)
{
	struct mcp_args args = { .tool = &profile_tools[GET_USER_CONTEXT] };
	char message[MCP_MESSAGE_MAX];
	struct span rest = uri;
	enum err e;

	*out = (struct profile_ask){ .tool = GET_USER_CONTEXT };
	if (!take_literal(&rest, PROFILE_URI))
		return ERR_NOT_FOUND;
	if (rest.len == 0)
		return profile_tools_ask(&args, out, message);
	args.tool = &profile_tools[READ_USER_CONTEXT_PAGE];
	args.values[1] = (struct mcp_value){ .given = true };
	if (!take_literal(&rest, "?version=") || rest.len < VERSION_DIGITS)
		return ERR_NOT_FOUND;
	args.values[1].text = (struct span){ rest.p, VERSION_DIGITS };
	rest.p += VERSION_DIGITS;
	rest.len -= VERSION_DIGITS;
	if (!take_literal(&rest, "&offset=") || !take_offset(rest, &args.values[0].integer))
		return ERR_NOT_FOUND;
	args.values[0].given = true;
	if ((e = profile_tools_ask(&args, out, message)) == OK && out->refused != OK)
		e = ERR_NOT_FOUND;
	return e;
}

void
profile_ask_free(struct profile_ask *ask)
{
	json_write_free(&ask->request);
}
