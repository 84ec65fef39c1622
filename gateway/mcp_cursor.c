#include <string.h>

#include "escrow/hash.h"
#include "gateway/mcp_cursor.h"
#include "mailbox/base64.h"

#define FORM    1
#define TAG_LEN 16
#define BODY    (MCP_CURSOR_BYTES - TAG_LEN)

/* Over the place and, hashed, what it belongs to. */
static void
tag(const struct key *key, struct span context, const uint8_t body[BODY], uint8_t out[TAG_LEN])
{
	uint8_t both[BODY + SHA256_LEN], full[32];

	memcpy(both, body, BODY);
	sha256(context.p, context.len, both + BODY);
	keyed_tag(key, "memories/mcp-cursor/v1", (struct span){ both, sizeof both }, full);
	memcpy(out, full, TAG_LEN);
}

void
mcp_cursor_write(const struct key *key, struct span context, const struct mcp_cursor *cursor,
    char out[MCP_CURSOR_TEXT_MAX + 1])
{
	uint8_t buf[MCP_CURSOR_BYTES];
	struct wire_out o = wire_out(buf, BODY);

	wire_put_u8(&o, FORM);
	wire_put_id(&o, cursor->id);
	wire_put_u64(&o, cursor->offset);
	wire_put_u32(&o, cursor->part);
	tag(key, context, buf, buf + BODY);
	base64_encode((struct span){ buf, sizeof buf }, out);
	out[base64_len(sizeof buf)] = '\0';
}

enum err
mcp_cursor_read(const struct key *key, struct span context, struct span text, struct mcp_cursor *out)
{
	uint8_t buf[MCP_CURSOR_BYTES + 2], wanted[TAG_LEN];
	struct mcp_cursor found;
	struct wire_in in;
	size_t len;

	if (text.len != base64_len(MCP_CURSOR_BYTES) || base64_decode(text, buf, &len) != OK || len != MCP_CURSOR_BYTES)
		return ERR_INVALID_ARGUMENT;
	tag(key, context, buf, wanted);
	if (!same_bytes(wanted, buf + BODY, TAG_LEN))
		return ERR_INVALID_ARGUMENT;
	in = wire_in(buf, BODY);
	if (wire_take_u8(&in) != FORM)
		return ERR_INVALID_ARGUMENT;
	found.id = wire_take_id(&in);
	found.offset = wire_take_u64(&in);
	found.part = wire_take_u32(&in);
	*out = found;
	return OK;
}
