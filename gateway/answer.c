#include <string.h>

#include "gateway/answer.h"

void
answer_time(struct json_writer *w, const char *name, struct wall_ms t)
{
	char text[CLOCK_TEXT_LEN + 1];

	clock_text(t, text);
	json_member_text(w, name, text);
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
