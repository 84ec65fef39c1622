#include "tools/command/page.h"

enum err
page_options_take(struct invocation *in, uint64_t *offset, uint32_t *limit)
{
	uint64_t n;
	enum err e;

	if ((e = option_u64(in, "--offset", 0, UINT64_MAX, 0, offset)) != OK ||
	    (e = option_u64(in, "--limit", 1, 100, 100, &n)) != OK)
		return e;
	*limit = (uint32_t)n;
	return OK;
}

void
page_json_end(struct json_writer *w, uint64_t offset, uint64_t n_rows, bool more)
{
	json_member_u64(w, "offset", offset);
	json_write_key(w, "next");
	if (more)
		json_write_u64(w, offset + n_rows);
	else
		json_write_null(w);
	json_write_end(w);
}
