/*
 * mcp: an MCP server that speaks all five published revisions at once. Which
 * one is decided for each message; a stream remembers nothing but the version
 * that a handshake on it agreed. It knows no transport: a message comes in as
 * text, and none or one goes out.
 *
 *   request with protocolVersion in params._meta   modern, 2026-07-28
 *   request initialize                             agrees on a legacy version
 *   any other request                              legacy, at the agreed version
 *   notification, response                         dropped
 *   array                                          where 2025-03-26 was agreed
 *
 * Source: modelcontextprotocol.io, "Specification", all five revisions.
 */
#ifndef GATEWAY_MCP_H
#define GATEWAY_MCP_H

#include "gateway/mcp_resource.h"
#include "gateway/mcp_tool.h"

/* The most messages that one array may hold: each may cost a long answer. */
#define MCP_BATCH_MAX 100

/* One call of a tool, its arguments checked. */
struct mcp_call {
	size_t              tool;   /* index into the server's tools */
	struct mcp_args     args;
	struct json_writer *result; /* takes one JSON object */
	char                message[MCP_MESSAGE_MAX]; /* of an error; empty: err_text says it */
};

struct mcp_server {
	const char            *name;         /* the program */
	const char            *title;        /* for people */
	const char            *version;
	const char            *instructions; /* for the model; at most 2 KiB is read by some */
	const struct mcp_tool *tools;
	size_t                 n_tools;
	const struct mcp_resources *resources; /* NULL: none are declared */

	/*
	 * OK: result holds one complete object that conforms to the tool's
	 * output schema. An error: what is in result is dropped, and the model
	 * hears code and message.
	 */
	enum err             (*call)(void *arg, struct mcp_call *call);

	/*
	 * Hears of a call whose arguments do not pass, and may change its
	 * message; what it returns is told as an error of `call` is. NULL: the
	 * model hears ERR_INVALID_ARGUMENT and the message, as plain text.
	 */
	enum err             (*bad_call)(void *arg, struct mcp_call *call);
	void                  *arg;
};

/* Zero at the start of a stream. */
struct mcp_stream {
	enum mcp_revision agreed; /* legacy; MCP_REVISION_NONE before a handshake */
};

/*
 * Handles one message.
 *
 * text     borrowed; need not be JSON
 * *answer  cleared first; afterwards one JSON value on one line, or len 0 when
 *          nothing is to be said
 *
 * ERR_NO_MEMORY: the answer did not fit and is empty; the asker hears nothing.
 */
enum err mcp_handle(const struct mcp_server *server, struct mcp_stream *stream,
    struct span text, struct json_writer *answer);

/* The answer to a message that was too long to be kept: it has no id. */
enum err mcp_refuse_unreadable(struct json_writer *answer);

#endif
