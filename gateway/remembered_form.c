#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gateway/remembered_form.h"
#include "store/log_note.h"
#include "store/segment.h"

size_t
remembered_form_put(struct uuid library, const struct log_point *place, char out[REMEMBERED_TEXT_MAX + 1])
{
	struct log_note n = { .size = place->size };
	size_t len;

	log_key_origin(library, n.origin);
	memcpy(n.root, place->root, sizeof n.root);
	len = log_note_text(&n, out);
	return len + (size_t)snprintf(out + len, REMEMBERED_TEXT_MAX + 1 - len,
	    "segment %" PRIu64 " offset %" PRIu64 "\n", place->segment, place->at);
}

/* Whatever is not what we would have written ourselves is not ours. */
enum err
remembered_form_take(struct span text, struct uuid library, struct log_point *out)
{
	char line[REMEMBERED_TEXT_MAX + 1], again[REMEMBERED_TEXT_MAX + 1];
	struct log_point place;
	struct log_note n;
	size_t len;

	if (text.len > REMEMBERED_TEXT_MAX || log_note_text_take(text, &n) != OK)
		return ERR_INVALID_CONTENT;
	memcpy(line, n.extensions.p, n.extensions.len);
	line[n.extensions.len] = '\0';
	place = (struct log_point){ .size = n.size };
	memcpy(place.root, n.root, sizeof place.root);
	if (sscanf(line, "segment %10" SCNu64 " offset %10" SCNu64, &place.segment, &place.at) != 2)
		return ERR_INVALID_CONTENT;
	len = remembered_form_put(library, &place, again);
	if (len != text.len || memcmp(again, text.p, len) != 0 || place.size == 0 || place.segment == 0 ||
	    place.at > SEGMENT_BYTES_MAX)
		return ERR_INVALID_CONTENT;
	*out = place;
	return OK;
}
