/*
 * unattended: the four reads of an unattended client as the JSON that the CLI
 * prints and the MCP tools return.
 */
#ifndef GATEWAY_UNATTENDED_H
#define GATEWAY_UNATTENDED_H

#include "gateway/client.h"
#include "gateway/client_file.h"
#include "gateway/json_write.h"
#include "gateway/unattended_tools.h"

/*
 * Asks, and writes one JSON object.
 * Errors as client_ask; nothing was written then.
 */
enum err unattended_answer(struct client *c, const struct client_file *file, const struct unattended_ask *ask,
    enum surface surface, struct json_writer *w);

/* The owner's lists have the same rows. */
void write_asset_row(struct json_writer *w, const struct client_item *item);
void write_revision_row(struct json_writer *w, const struct client_item *item);

#endif
