#include "gateway/mcp_turn.h"

#define LIST_TTL_MS     300000
#define DISCOVER_TTL_MS 3600000

void
mcp_turn_begin(struct mcp_turn *t)
{
	rpc_open_answer(t->answer, t->message.id);
	json_write_key(t->answer, "result");
	json_write_object(t->answer);
}

void
mcp_turn_write_server(struct mcp_turn *t)
{
	json_write_object(t->answer);
	json_member_text(t->answer, "name", t->server->name);
	if (mcp_revision_structures(t->revision))
		json_member_text(t->answer, "title", t->server->title);
	json_member_text(t->answer, "version", t->server->version);
	json_write_end(t->answer);
}

static void
write_cache(struct json_writer *w, enum mcp_cache cache)
{
	static const unsigned ttl_ms[] = {
		[MCP_CACHE_LIST] = LIST_TTL_MS, [MCP_CACHE_FRESH] = 0, [MCP_CACHE_DISCOVER] = DISCOVER_TTL_MS,
	};

	if (cache == MCP_CACHE_NONE)
		return;
	json_member_u64(w, "ttlMs", ttl_ms[cache]);
	json_member_text(w, "cacheScope", cache == MCP_CACHE_DISCOVER ? "public" : "private");
}

void
mcp_turn_end(struct mcp_turn *t, enum mcp_cache cache)
{
	struct json_writer *w = t->answer;

	if (mcp_revision_is_modern(t->revision)) {
		json_member_text(w, "resultType", "complete");
		write_cache(w, cache);
		json_write_key(w, "_meta");
		json_write_object(w);
		json_write_key(w, "io.modelcontextprotocol/serverInfo");
		mcp_turn_write_server(t);
		json_write_end(w);
	}
	json_write_end(w);
	json_write_end(w);
}
