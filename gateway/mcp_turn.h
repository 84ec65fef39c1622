/* mcp_turn: one request being answered; shared by the files of mcp alone. */
#ifndef GATEWAY_MCP_TURN_H
#define GATEWAY_MCP_TURN_H

#include "gateway/mcp.h"
#include "gateway/mcp_error.h"
#include "gateway/rpc.h"

struct mcp_turn {
	const struct mcp_server *server;
	struct mcp_stream       *stream;
	enum mcp_revision        revision; /* at which this request is served */
	struct rpc_message       message;
	const struct json       *params;   /* an object, or NULL when absent */
	struct json_writer      *answer;
	struct mcp_refusal       refusal;  /* uri and why: what a method says of its error besides the kind */
	char                     refused[MCP_RESOURCE_MESSAGE_MAX]; /* its message */
};

/* How long and by whom a modern result may be kept. */
enum mcp_cache {
	MCP_CACHE_NONE,
	MCP_CACHE_LIST,
	MCP_CACHE_FRESH, /* it is the state now */
	MCP_CACHE_DISCOVER,
};

/* Opens the answer's result object; mcp_turn_end adds what the revision wants and closes both. */
void mcp_turn_begin(struct mcp_turn *t);
void mcp_turn_end(struct mcp_turn *t, enum mcp_cache cache);

/* {"name":…,"title":…,"version":…} as the revision knows it. */
void mcp_turn_write_server(struct mcp_turn *t);

/*
 * Answers a request of which the era is settled: writes a whole result, or
 * writes nothing and gives the kind of error.
 */
enum mcp_error mcp_method_answer(struct mcp_turn *t);

/* tools/call; the same. */
enum mcp_error mcp_call_answer(struct mcp_turn *t);

/* resources/list, resources/templates/list, resources/read of a server that declares resources; the same. */
enum mcp_error mcp_resources_list(struct mcp_turn *t);
enum mcp_error mcp_resources_templates(struct mcp_turn *t);
enum mcp_error mcp_resources_read(struct mcp_turn *t);

#endif
