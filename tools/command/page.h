/* page: a page of rows as the owner's lists show it. */
#ifndef TOOLS_COMMAND_PAGE_H
#define TOOLS_COMMAND_PAGE_H

#include "tools/command/command.h"

/* --offset, and --limit of 1 to 100. ERR_INVALID_ARGUMENT. */
enum err page_options_take(struct invocation *in, uint64_t *offset, uint32_t *limit);

/* The members that end a page's object: its offset, and where the next one starts, if there is one. */
void page_json_end(struct json_writer *w, uint64_t offset, uint64_t n_rows, bool more);

#endif
