/* What a model gets of a grant's memories: never more than so many bytes, and everything in the end. */
#include <stdio.h>

#include "tests/gateway/gate_rig.h"

#include "gateway/json.h"
#include "gateway/ordinary.h"

struct setting {
	struct ordinary o;
	struct client  *client;
	struct key     *token, *cursor_key;
	struct uuid     vaults[2];
	char            message[MCP_MESSAGE_MAX];
};

static void
set(struct setting *s, size_t max_bytes)
{
	uint8_t token[KEY_LEN] = { 7 };

	memset(s, 0, sizeof *s);
	s->client = gate_client();
	s->vaults[0] = gate_id(0x11);
	s->vaults[1] = gate_id(0x12);
	assert_int_equal(key_of(token, &s->token), OK);
	assert_int_equal(ordinary_cursor_key(s->token, gate_id(0x61), &s->cursor_key), OK);
	s->o = (struct ordinary){ .client = s->client, .token = s->token, .cursor_key = s->cursor_key, .grant = gate_id(0x61),
		.vaults = s->vaults, .n_vaults = 2, .max_bytes = max_bytes };
}

static void
unset(struct setting *s)
{
	client_close(&s->client);
	key_free(&s->token);
	key_free(&s->cursor_key);
}

/* One answer, within the cap; the caller frees it. */
static struct json *
answer(struct setting *s, const struct ordinary_ask *ask)
{
	struct json_writer w = { 0 };
	struct json *root = NULL;
	struct span text;

	assert_int_equal(ordinary_answer(&s->o, ask, &w, s->message), OK);
	assert_int_equal(json_write_done(&w, &text), OK);
	if (text.len > s->o.max_bytes)
		fail_msg("%zu bytes, but the cap is %zu", text.len, s->o.max_bytes);
	assert_int_equal(json_parse(text, &root), OK);
	json_write_free(&w);
	return root;
}

/* The cursor of the next page, kept; false at the end. */
static bool
go_on(const struct json *root, struct ordinary_ask *ask, char cursor[512])
{
	struct span next;

	ask->has_cursor = json_string(root, "next", &next) == JSON_GOT;
	if (!ask->has_cursor)
		return false;
	assert_true(next.len > 0 && next.len < 512);
	memcpy(cursor, next.p, next.len);
	ask->cursor = (struct span){ (const uint8_t *)cursor, next.len };
	return true;
}

static void
expect_rows(struct setting *s, struct ordinary_ask ask, size_t wanted)
{
	char cursor[512], last[UUID_TEXT_LEN + 1] = "";
	size_t n = 0, n_pages = 0, in_page;
	bool more = true;

	for (ask.has_cursor = false; more; n_pages++) {
		struct json *root = answer(s, &ask);
		const struct json *rows = NULL;

		assert_true(n_pages < 500);
		assert_int_equal(json_array(root, "assets", &rows), JSON_GOT);
		in_page = 0;
		for (const struct json *r = json_first(rows); r != NULL; r = json_next(r), n++, in_page++) {
			struct span asset;

			assert_int_equal(json_string(r, "asset", &asset), JSON_GOT);
			/* Each once, in order; a second vault starts anew. */
			if (n != s->o.n_vaults && strcmp(last, (const char *)asset.p) >= 0)
				last[0] = '\0';
			memcpy(last, asset.p, sizeof last);
		}
		assert_true(in_page <= ask.limit);
		more = go_on(root, &ask, cursor);
		json_free(&root);
	}
	assert_int_equal(n, wanted);
}

static void
a_list_shows_each_asset_once_on_pages_that_fit(void **state)
{
	static const size_t caps[] = { ORDINARY_BYTES_MIN, ORDINARY_BYTES };
	static const size_t titles[] = { 0, 30, 1024 };
	struct setting s;

	(void)state;
	gate.n_rows = 130;
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < 3; k++) {
			gate.row_title_len = titles[k];
			set(&s, caps[i]);
			expect_rows(&s, (struct ordinary_ask){ .tool = MEMORY_LIST, .limit = 100 }, 260);
			expect_rows(&s, (struct ordinary_ask){ .tool = MEMORY_LIST, .limit = 7, .kind = KIND_CARD }, 2 * 43);
			expect_rows(&s, (struct ordinary_ask){ .tool = MEMORY_LIST, .limit = 50, .has_vault = true,
			    .vault = s.vaults[1] }, 130);
			unset(&s);
		}
}

static void
a_row_that_fits_no_page_has_its_title_cut_and_says_so(void **state)
{
	struct ordinary_ask ask = { .tool = MEMORY_LIST, .limit = 1 };
	struct setting s;
	const struct json *rows;
	struct span title;
	struct json *root;
	bool cut = false;

	(void)state;
	gate.n_rows = 1;
	gate.row_title_len = 1024;
	set(&s, ORDINARY_BYTES_MIN - 1500);
	root = answer(&s, &ask);
	assert_int_equal(json_array(root, "assets", &rows), JSON_GOT);
	assert_int_equal(json_bool(json_first(rows), "title_cut", &cut), JSON_GOT);
	assert_true(cut);
	assert_int_equal(json_string(json_first(rows), "title", &title), JSON_GOT);
	assert_true(title.len > 100 && title.len < 1024);
	json_free(&root);
	unset(&s);
}

static void
an_empty_list_has_no_next_page(void **state)
{
	struct ordinary_ask ask = { .tool = MEMORY_LIST, .limit = 50 };
	struct setting s;
	char cursor[512];
	struct json *root;

	(void)state;
	set(&s, ORDINARY_BYTES);
	root = answer(&s, &ask);
	assert_false(go_on(root, &ask, cursor));
	assert_int_equal(gate.n_asks, 2);
	json_free(&root);
	unset(&s);
}

/* A memory whose body is so many characters of three bytes each; the caller frees it. */
static char *
long_memory(size_t n)
{
	char *text = malloc(100 + 3 * n), *at = text + sprintf(text, "{\"title\":\"Long\",\"body\":\"");

	for (size_t i = 0; i < n; i++, at += 3)
		memcpy(at, i % 2 == 0 ? "\xe4\xb8\xad" : "\xe6\x96\x87", 3);
	strcpy(at, "\",\"tags\":[\"t\"]}");
	gate.content = (const uint8_t *)text;
	gate.content_len = strlen(text);
	return text;
}

static void
a_long_memory_is_read_whole_in_parts_that_fit(void **state)
{
	static const size_t caps[] = { ORDINARY_BYTES_MIN, 10000, ORDINARY_BYTES_MAX };
	char *content = long_memory(60000), cursor[512];
	struct setting s;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ordinary_ask ask = { .tool = MEMORY_READ, .has_vault = true, .vault = gate.vault, .has_asset = true, .asset = gate.asset };
		size_t done = 0;
		bool more = true, continued;

		set(&s, caps[i]);
		while (more) {
			struct json *root = answer(&s, &ask);
			struct span text;

			assert_int_equal(json_string(root, "text", &text), JSON_GOT);
			assert_int_equal(json_bool(root, "continued", &continued), JSON_GOT);
			assert_int_equal(continued, done > 0);
			assert_int_equal(json_member(root, "title") != NULL, done == 0);
			assert_memory_equal(text.p, content + 24 + done, text.len);
			done += text.len;
			more = go_on(root, &ask, cursor);
			json_free(&root);
		}
		assert_int_equal(done, 180000);
		unset(&s);
	}
	free(content);
}

static void
a_cursor_of_another_call_or_grant_is_refused_before_anything_is_asked(void **state)
{
	struct ordinary_ask list = { .tool = MEMORY_LIST, .limit = 3 }, read = { .tool = MEMORY_READ, .vault = gate.vault, .asset = gate.asset };
	struct setting s;
	struct json_writer w = { 0 };
	char cursor[512];
	struct json *root;
	unsigned n_asks;

	(void)state;
	gate.n_rows = 9;
	set(&s, ORDINARY_BYTES);
	root = answer(&s, &list);
	assert_true(go_on(root, &list, cursor));
	json_free(&root);
	n_asks = gate.n_asks;
	read.has_cursor = true;
	read.cursor = list.cursor;
	assert_int_equal(ordinary_answer(&s.o, &read, &w, s.message), ERR_INVALID_ARGUMENT);
	assert_non_null(strstr(s.message, "cursor"));
	list.kind = KIND_CARD;
	assert_int_equal(ordinary_answer(&s.o, &list, &w, s.message), ERR_INVALID_ARGUMENT);
	list.kind = 0;
	s.o.grant = gate_id(0x62);
	assert_int_equal(ordinary_answer(&s.o, &list, &w, s.message), ERR_INVALID_ARGUMENT);
	s.o.grant = gate_id(0x61);
	list.has_vault = true;
	list.vault = s.vaults[0];
	assert_int_equal(ordinary_answer(&s.o, &list, &w, s.message), ERR_INVALID_ARGUMENT);
	assert_int_equal(gate.n_asks, n_asks);
	list.has_vault = false;
	list.vault = (struct uuid){ { 0 } };
	root = answer(&s, &list);
	json_free(&root);
	json_write_free(&w);
	unset(&s);
}

static void
a_part_of_what_was_replaced_says_so(void **state)
{
	struct ordinary_ask ask = { .tool = MEMORY_READ, .vault = gate.vault, .asset = gate.asset };
	char *content = long_memory(30000), cursor[512];
	struct json_writer w = { 0 };
	struct setting s;
	struct json *root;

	(void)state;
	set(&s, ORDINARY_BYTES);
	root = answer(&s, &ask);
	assert_true(go_on(root, &ask, cursor));
	json_free(&root);
	gate.refuse_with = ERR_NOT_FOUND;
	assert_int_equal(ordinary_answer(&s.o, &ask, &w, s.message), ERR_STALE_BASE);
	assert_non_null(strstr(s.message, "start again"));
	ask.has_cursor = false;
	assert_int_equal(ordinary_answer(&s.o, &ask, &w, s.message), ERR_NOT_FOUND);
	json_write_free(&w);
	unset(&s);
	free(content);
}

static void
a_resource_is_its_text_and_its_next_part_a_resource(void **state)
{
	char *content = long_memory(30000), uri[512];
	struct setting s;
	size_t done = 0;
	bool more = true;

	(void)state;
	set(&s, ORDINARY_BYTES);
	snprintf(uri, sizeof uri, "memory://11111111-1111-1111-1111-111111111111/21212121-2121-2121-2121-212121212121");
	while (more) {
		struct json_writer w = { 0 };
		struct mcp_reading r = { .revision = MCP_2025_11_25, .uri = { (const uint8_t *)uri, strlen(uri) }, .contents = &w };
		const struct json *first;
		struct json *root = NULL;
		struct span text, next;

		json_write_array(&w);
		assert_int_equal(ordinary_read_resource(&s.o, &r), OK);
		json_write_end(&w);
		assert_int_equal(json_write_done(&w, &text), OK);
		assert_true(text.len <= s.o.max_bytes);
		assert_int_equal(json_parse(text, &root), OK);
		first = json_first(root);
		assert_int_equal(json_string(first, "text", &text), JSON_GOT);
		assert_memory_equal(text.p, content + 24 + done, text.len);
		done += text.len;
		more = json_next(first) != NULL;
		if (more) {
			assert_int_equal(json_string(json_next(first), "uri", &next), JSON_GOT);
			snprintf(uri, sizeof uri, "%.*s", (int)next.len, (const char *)next.p);
		}
		json_free(&root);
		json_write_free(&w);
	}
	assert_int_equal(done, 90000);
	unset(&s);
	free(content);
}

static void
what_a_reader_may_not_see_is_no_resource(void **state)
{
	static const enum err hidden[] = { ERR_NOT_FOUND, ERR_VAULT_NOT_GRANTED, ERR_VAULT_NOT_ACTIVE, ERR_ASSET_DELETED };
	static const char uri[] = "memory://11111111-1111-1111-1111-111111111111/21212121-2121-2121-2121-212121212121";
	struct json_writer w = { 0 };
	struct mcp_reading r = { .uri = { (const uint8_t *)uri, sizeof uri - 1 }, .contents = &w };
	struct setting s;

	(void)state;
	set(&s, ORDINARY_BYTES);
	for (size_t i = 0; i < 4; i++) {
		gate.refuse_with = hidden[i];
		assert_int_equal(ordinary_read_resource(&s.o, &r), ERR_NOT_FOUND);
		assert_string_equal(r.message, "");
	}
	gate.refuse_with = ERR_LOCKED;
	assert_int_equal(ordinary_read_resource(&s.o, &r), ERR_LOCKED);
	unset(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GATE_TEST(a_list_shows_each_asset_once_on_pages_that_fit),
		GATE_TEST(a_row_that_fits_no_page_has_its_title_cut_and_says_so),
		GATE_TEST(an_empty_list_has_no_next_page),
		GATE_TEST(a_long_memory_is_read_whole_in_parts_that_fit),
		GATE_TEST(a_cursor_of_another_call_or_grant_is_refused_before_anything_is_asked),
		GATE_TEST(a_part_of_what_was_replaced_says_so),
		GATE_TEST(a_resource_is_its_text_and_its_next_part_a_resource),
		GATE_TEST(what_a_reader_may_not_see_is_no_resource),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
