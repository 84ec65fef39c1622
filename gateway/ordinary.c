#include <stdio.h>
#include <string.h>

#include "escrow/hash.h"
#include "gateway/ordinary_inside.h"

enum err
ordinary_cursor_key(const struct key *token, struct uuid grant, struct key **out)
{
	enum err e = key_new(out);

	if (e == OK)
		derive(token, "memories/mcp-cursors/v1", (struct span){ grant.b, sizeof grant.b }, *out);
	return e;
}

struct span
ordinary_context(const struct ordinary *o, const struct ordinary_ask *ask, const char *surface,
    uint8_t buf[ORDINARY_CONTEXT_MAX])
{
	struct wire_out out = wire_out(buf, ORDINARY_CONTEXT_MAX);

	wire_put_span(&out, (struct span){ (const uint8_t *)surface, strlen(surface) });
	wire_put_id(&out, o->grant);
	wire_put_id(&out, ask->vault);
	wire_put_id(&out, ask->asset);
	wire_put_u8(&out, (uint8_t)ask->kind);
	wire_put_span(&out, ask->query);
	return wire_written(&out);
}

void
ordinary_write_next(struct json_writer *w, const char *cursor)
{
	json_write_key(w, "next");
	if (cursor[0] != '\0')
		json_write_text(w, cursor);
	else
		json_write_null(w);
}

enum err
ordinary_bad_cursor(char message[MCP_MESSAGE_MAX])
{
	snprintf(message, MCP_MESSAGE_MAX, "this cursor is not one of this call's: give the other arguments as they were "
	    "with it, or start again without a cursor");
	return ERR_INVALID_ARGUMENT;
}

enum err
ordinary_answer(const struct ordinary *o, const struct ordinary_ask *ask, struct json_writer *w,
    char message[MCP_MESSAGE_MAX])
{
	switch (ask->tool) {
	case MEMORY_LIST:
		return ordinary_list(o, ask, w, message);
	case MEMORY_READ:
		return ordinary_read(o, ask, w, message);
	case MEMORY_SEARCH:
		return ordinary_search(o, ask, w, message);
	case MEMORY_PROPOSE:
	case ORDINARY_TOOLS:
		break;
	}
	return ordinary_propose(o, ask, w, message);
}
