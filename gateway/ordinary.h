/*
 * ordinary: what `mcp serve` answers to a model: the memories and cards of one
 * ordinary grant, in answers that are never longer than so many bytes. What
 * does not fit is a page further, at a cursor.
 */
#ifndef GATEWAY_ORDINARY_H
#define GATEWAY_ORDINARY_H

#include "gateway/client.h"
#include "gateway/ordinary_tools.h"

/* Bytes of one answer: of a tool's result object, or of a resource's contents, counted once. */
#define ORDINARY_BYTES_MIN ((size_t)4 << 10)
#define ORDINARY_BYTES_MAX ((size_t)256 << 10)
#define ORDINARY_BYTES     ((size_t)32 << 10)

struct ordinary {
	struct client     *client;     /* all borrowed */
	const struct key  *token;
	const struct key  *cursor_key; /* ordinary_cursor_key */
	struct uuid        grant;
	const struct uuid *vaults;     /* those of the grant */
	size_t             n_vaults;
	size_t             max_bytes;
};

/* The key under which a grant's cursors are made, so that they outlive the process. New, caller frees. */
enum err ordinary_cursor_key(const struct key *token, struct uuid grant, struct key **out);

/*
 * One call of a tool: one JSON object.
 *
 * message  may be set on an error, for the model
 * ERR_INVALID_ARGUMENT: a cursor that is not this call's; arguments that do
 * not go together. The rest as client_ask, client_search. What was written is
 * to be dropped on an error.
 */
enum err ordinary_answer(const struct ordinary *o, const struct ordinary_ask *ask, struct json_writer *w,
    char message[MCP_MESSAGE_MAX]);

/* Resources, as struct mcp_resources wants them. */
enum err ordinary_list_resources(const struct ordinary *o, struct mcp_listing *listing);
enum err ordinary_read_resource(const struct ordinary *o, struct mcp_reading *reading);

#endif
