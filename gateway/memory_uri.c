#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gateway/memory_uri.h"

static const char scheme[] = "memory://";
static const char query[] = "?cursor=";

void
memory_uri_write(struct uuid vault, struct uuid asset, const char *cursor, char out[MEMORY_URI_MAX + 1])
{
	char v[UUID_TEXT_LEN + 1], a[UUID_TEXT_LEN + 1];

	uuid_text(vault, v);
	uuid_text(asset, a);
	snprintf(out, MEMORY_URI_MAX + 1, "%s%s/%s%s%s", scheme, v, a, cursor[0] != '\0' ? query : "", cursor);
}

static bool
take_id(struct span *rest, struct uuid *out)
{
	char text[UUID_TEXT_LEN + 1];

	if (rest->len < UUID_TEXT_LEN)
		return false;
	memcpy(text, rest->p, UUID_TEXT_LEN);
	text[UUID_TEXT_LEN] = '\0';
	rest->p += UUID_TEXT_LEN;
	rest->len -= UUID_TEXT_LEN;
	return uuid_parse(text, out) == OK;
}

static bool
take_text(struct span *rest, const char *wanted)
{
	size_t len = strlen(wanted);

	if (rest->len < len || strncasecmp((const char *)rest->p, wanted, len) != 0)
		return false;
	rest->p += len;
	rest->len -= len;
	return true;
}

enum err
memory_uri_read(struct span text, struct memory_uri *out)
{
	struct memory_uri found = { .continues = false };

	if (!take_text(&text, scheme) || !take_id(&text, &found.vault) || !take_text(&text, "/") ||
	    !take_id(&text, &found.asset))
		return ERR_NOT_FOUND;
	found.continues = text.len > 0;
	if (found.continues && !take_text(&text, query))
		return ERR_NOT_FOUND;
	found.cursor = text;
	*out = found;
	return OK;
}
