#include <string.h>

#include "gateway/answer.h"

void
answer_head(struct json_writer *w, const struct client_item *item)
{
	const struct revision_row *r = &item->row;

	json_write_key(w, "revision");
	if (item->n_heads > 1)
		json_write_null(w);
	else
		json_write_id(w, r->revision);
	json_member_u64(w, "bytes", r->bytes);
	json_member_time(w, "created_at", r->asset_created);
	json_member_time(w, "updated_at", r->created);
	json_member_bool(w, "conflict", item->n_heads > 1);
}

void
answer_heads(struct json_writer *w, const struct client_item *item)
{
	json_write_key(w, "heads");
	json_write_array(w);
	for (size_t i = 0; i < item->n_heads; i++)
		json_write_id(w, item->heads[i]);
	json_write_end(w);
}

void
answer_audit(struct json_writer *w, uint64_t index, struct uuid library)
{
	char origin[sizeof "memories/" + UUID_TEXT_LEN] = "memories/";

	uuid_text(library, origin + strlen(origin));
	json_write_key(w, "audit");
	json_write_object(w);
	json_member_u64(w, "index", index);
	json_member_text(w, "log", origin);
	json_write_end(w);
}
