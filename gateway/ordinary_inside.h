/* ordinary_inside: shared by the files of ordinary alone. */
#ifndef GATEWAY_ORDINARY_INSIDE_H
#define GATEWAY_ORDINARY_INSIDE_H

#include "gateway/answer.h"
#include "gateway/mcp_cursor.h"
#include "gateway/ordinary.h"

/* What every answer holds beside its rows or its text: braces, next, audit. */
#define ORDINARY_AROUND 512

/* What a cursor belongs to: the call but for its cursor and limit. */
#define ORDINARY_CONTEXT_MAX 4096
struct span ordinary_context(const struct ordinary *o, const struct ordinary_ask *ask, const char *surface,
    uint8_t buf[ORDINARY_CONTEXT_MAX]);

/* "next":CURSOR, or null. */
void ordinary_write_next(struct json_writer *w, const char *cursor);

enum err ordinary_list(const struct ordinary *o, const struct ordinary_ask *ask, struct json_writer *w,
    char message[MCP_MESSAGE_MAX]);
enum err ordinary_read(const struct ordinary *o, const struct ordinary_ask *ask, struct json_writer *w,
    char message[MCP_MESSAGE_MAX]);
enum err ordinary_search(const struct ordinary *o, const struct ordinary_ask *ask, struct json_writer *w,
    char message[MCP_MESSAGE_MAX]);
enum err ordinary_propose(const struct ordinary *o, const struct ordinary_ask *ask, struct json_writer *w,
    char message[MCP_MESSAGE_MAX]);

/* A cursor that is not this call's, told the same way everywhere. */
enum err ordinary_bad_cursor(char message[MCP_MESSAGE_MAX]);

#endif
