/*
 * rpc: JSON-RPC 2.0 messages as MCP uses them. Ids are echoed byte for byte
 * from the text, so no digit and no spelling is ever lost.
 */
#ifndef GATEWAY_RPC_H
#define GATEWAY_RPC_H

#include "gateway/json.h"
#include "gateway/json_write.h"

enum rpc_kind {
	RPC_REQUEST,
	RPC_NOTIFICATION,
	RPC_RESPONSE, /* a result or an error for an id; we ask nothing, so nothing waits for it */
	RPC_INVALID,  /* none of these: answered with "not a request" */
};

struct rpc_message {
	enum rpc_kind      kind;
	struct span        id;     /* raw text of a string or integer; len 0: none to echo */
	struct span        method; /* of requests and notifications */
	const struct json *params; /* of any type; NULL when absent */
};

/*
 * What the value is. Spans point into text, which is the value's own text, and
 * into the document; valid as long as both.
 */
struct rpc_message rpc_read(const struct json *value, struct span text);

/*
 * The id of a request whose text is no JSON that we take, so that its asker
 * need not wait for ever; len 0 where none can be told. text may be anything.
 */
struct span rpc_guess_id(struct span text);

bool rpc_is(const struct rpc_message *m, const char *method);

/* {"jsonrpc":"2.0","id":ID and leaves the object open. id.len 0 leaves the id out. */
void rpc_open_answer(struct json_writer *w, struct span id);

/* The same with "error":{"code":CODE,"message":MESSAGE, both objects left open. */
void rpc_open_error(struct json_writer *w, struct span id, int code, const char *message);

#endif
