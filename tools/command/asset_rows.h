/* asset_rows: a vault's assets, narrowed and sorted for their owner. */
#ifndef TOOLS_COMMAND_ASSET_ROWS_H
#define TOOLS_COMMAND_ASSET_ROWS_H

#include "gateway/content.h"
#include "tools/command/command.h"

enum asset_sort {
	SORT_ID,
	SORT_TITLE, /* as it is folded: neither case nor width counts */
	SORT_CREATED,
	SORT_UPDATED,
};

struct asset_filter {
	unsigned        kinds;   /* a bit each, 1 << KIND_*; 0: any */
	unsigned        classes; /* a bit each, 1 << CLASS_*; 0: any */
	const char     *tags[CONTENT_TAGS_MAX];
	size_t          n_tags;  /* all of them must be there */
	struct secret  *title;   /* owned; folded text that the title must contain; NULL: any */
	enum asset_sort sort;
	bool            reverse;
};

/* From --kind, --private, --ordinary, --tag, --title, --sort, --reverse. ERR_INVALID_ARGUMENT, ERR_NO_MEMORY. */
enum err asset_filter_take(struct invocation *in, struct asset_filter *out);
void     asset_filter_free(struct asset_filter *f);

/* False when every asset passes, in the order of ids: then a page of the daemon's is a page of the list. */
bool asset_filter_narrows(const struct asset_filter *f);

struct asset_rows {
	struct client_answer    **answers; /* owned; what the rows are in */
	size_t                    n_answers;
	const struct client_item **rows;
	struct secret           **folded;  /* owned; beside the rows where the title is wanted; NULL: not */
	size_t                    n, cap;
};

/* One page as the daemon has it. *more when others follow. Errors as owner_ask. */
enum err asset_rows_page(struct invocation *in, struct client *c, struct uuid vault, uint64_t offset,
    uint32_t limit, struct asset_rows *out, bool *more);

/* All that pass, sorted. Each page of them that is looked at is recorded. Errors as owner_ask. */
enum err asset_rows_all(struct invocation *in, struct client *c, struct uuid vault,
    const struct asset_filter *f, struct asset_rows *out);

void asset_rows_free(struct asset_rows *r);

#endif
