/*
 * Any bytes as a memory:// URI, as a cursor, and as a place in a content: what
 * is taken is written back as it came, no cursor is taken that was not made,
 * and a page never passes its room nor cuts a character.
 */
#include <stdlib.h>
#include <string.h>

#include "gateway/content_page.h"
#include "gateway/json_scan.h"
#include "gateway/memory_uri.h"
#include "tests/fuzz/fuzz_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
try_uri(struct span text)
{
	char back[MEMORY_URI_MAX + 1], cursor[MCP_CURSOR_TEXT_MAX + 1] = "";
	struct memory_uri uri, again;

	if (memory_uri_read(text, &uri) != OK || uri.cursor.len > MCP_CURSOR_TEXT_MAX)
		return;
	memcpy(cursor, uri.cursor.p, uri.cursor.len);
	if (strlen(cursor) != uri.cursor.len || (uri.continues && uri.cursor.len == 0))
		return;
	memory_uri_write(uri.vault, uri.asset, cursor, back);
	must(memory_uri_read((struct span){ (const uint8_t *)back, strlen(back) }, &again) == OK);
	must(uuid_equal(uri.vault, again.vault) && uuid_equal(uri.asset, again.asset) && again.continues == uri.continues);
}

/* The tag is of 16 bytes: whatever the fuzzer tries, it makes none. */
static void
try_cursor(const struct key *key, struct span text)
{
	struct mcp_cursor cursor;

	must(mcp_cursor_read(key, (struct span){ (const uint8_t *)"fuzz", 4 }, text, &cursor) == ERR_INVALID_ARGUMENT);
}

/* Five bytes of place and room, then a content. */
static void
try_page(const uint8_t *data, size_t len)
{
	struct json_writer w = { 0 };
	struct content_place place;
	struct span content = { data + 5, len - 5 }, text;
	size_t room = CONTENT_PAGE_MIN + 4u * data[0];
	enum kind kind = data[1] & 1 ? KIND_MEMORY : KIND_CARD;
	bool more = false;

	place = (struct content_place){ .part = data[2], .offset = (uint64_t)data[3] << 8 | data[4] };
	json_write_object(&w);
	if (content_page(content, kind, room, &w, &place, &more) == OK) {
		json_write_end(&w);
		must(json_write_done(&w, &text) == OK && text.len <= room + 2 && json_scan(text) == OK);
		must(memmem(text.p, text.len, "\\ufffd", 6) == NULL || memmem(content.p, content.len, "fffd", 4) != NULL ||
		    memmem(content.p, content.len, "FFFD", 4) != NULL);
	}
	json_write_free(&w);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct key *key;

	if (key == NULL)
		must(secret_init(true) == OK && key_new(&key) == OK);
	try_uri((struct span){ data, len });
	try_cursor(key, (struct span){ data, len });
	if (len >= 5)
		try_page(data, len);
	return 0;
}
