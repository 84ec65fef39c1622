/*
 * Holds the same conversations in each of the five revisions, one with each of
 * our servers, and writes what was said to <folder>/<revision>.<server>.jsonl,
 * one {"method":…,"answer":…} a line, for tests/system/mcp_schema_check.py. The folder is $MEMORIES_MCP_ANSWERS; without
 * it, a folder of its own that is removed.
 */
#include <stdlib.h>
#include <unistd.h>

#include "tests/gateway/mcp_http_rig.h"
#include "tests/gateway/ordinary_rig.h"
#include "tests/support/check.h"

struct line {
	const char *method;
	const char *params; /* without braces; NULL: none */
};

static const struct line conversation[] = {
	{ "ping", NULL },
	{ "server/discover", NULL },
	{ "tools/list", NULL },
	{ "prompts/list", NULL },
	{ "resources/list", NULL },
	{ "resources/templates/list", NULL },
	{ "tools/call", "\"name\":\"unattended_list\",\"arguments\":{\"vault\":\"" RIG_VAULT "\"}" },
	{ "tools/call", "\"name\":\"unattended_history\",\"arguments\":{\"vault\":\"" RIG_VAULT "\",\"asset\":\"" RIG_ASSET "\"}" },
	{ "tools/call", "\"name\":\"unattended_read\",\"arguments\":{\"vault\":\"" RIG_VAULT "\",\"asset\":\"" RIG_ASSET "\"}" },
	{ "tools/call", "\"name\":\"unattended_credential_bytes\",\"arguments\":{\"vault\":\"" RIG_VAULT "\",\"asset\":\"" RIG_ASSET "\",\"limit\":65536}" },
	{ "tools/call", "\"name\":\"unattended_list\",\"arguments\":{\"vault\":\"" RIG_VAULT_MISSING "\"}" },
	{ "tools/call", "\"name\":\"unattended_list\",\"arguments\":{\"limit\":0}" },
	{ "tools/call", "\"name\":\"no_such_tool\"" },
	{ "tools/call", "\"name\":7" },
	{ "tools/list", "\"cursor\":\"x\"" },
	{ "resources/read", "\"uri\":\"x:y\"" },
	{ "no/such", NULL },
	{ NULL, NULL },
};

static const struct line ordinary[] = {
	{ "ping", NULL },
	{ "server/discover", NULL },
	{ "tools/list", NULL },
	{ "prompts/list", NULL },
	{ "resources/list", NULL },
	{ "resources/list", "\"cursor\":\"more\"" },
	{ "resources/list", "\"cursor\":\"other\"" },
	{ "resources/templates/list", NULL },
	{ "resources/read", "\"uri\":\"" RIG_URI "\"" },
	{ "resources/read", "\"uri\":\"" RIG_URI_HIDDEN "\"" },
	{ "resources/read", "\"uri\":\"" RIG_URI_LOCKED "\"" },
	{ "resources/read", "\"uri\":\"x:y\"" },
	{ "resources/read", "\"uri\":7" },
	{ "resources/subscribe", "\"uri\":\"" RIG_URI "\"" },
	{ "tools/call", "\"name\":\"memory_list\"" },
	{ "tools/call", "\"name\":\"memory_list\",\"arguments\":{\"vault\":\"" RIG_VAULT_MISSING "\"}" },
	{ "tools/call", "\"name\":\"memory_list\",\"arguments\":{\"kind\":\"file\"}" },
	{ "tools/call", "\"name\":\"memory_read\",\"arguments\":{\"vault\":\"" RIG_VAULT "\",\"asset\":\"" RIG_ASSET "\"}" },
	{ "tools/call", "\"name\":\"memory_search\",\"arguments\":{\"query\":\"\xe7\xa7\x9f\",\"kind\":\"card\"}" },
	{ "tools/call", "\"name\":\"memory_propose\",\"arguments\":{\"op\":\"add\",\"vault\":\"" RIG_VAULT "\",\"title\":\"t\",\"body\":\"b\",\"tags\":[\"x\"]}" },
	{ NULL, NULL },
};

static const struct line profile[] = {
	{ "ping", NULL },
	{ "server/discover", NULL },
	{ "tools/list", NULL },
	{ "prompts/list", NULL },
	{ "resources/list", NULL },
	{ "resources/list", "\"cursor\":\"x\"" },
	{ "resources/templates/list", NULL },
	{ "resources/read", "\"uri\":\"" PROFILE_URI "\"" },
	{ "resources/read", "\"uri\":\"" RIG_PAGE_URI "\"" },
	{ "resources/read", "\"uri\":\"" PROFILE_URI "?version=" RIG_VERSION "&offset=7\"" },
	{ "resources/read", "\"uri\":\"x:y\"" },
	{ "resources/subscribe", "\"uri\":\"" PROFILE_URI "\"" },
	{ "tools/call", "\"name\":\"get_user_context\"" },
	{ "tools/call", "\"name\":\"get_user_context\",\"arguments\":{\"x\":1}" },
	{ "tools/call", "\"name\":\"read_user_context_page\",\"arguments\":{\"offset\":1,\"version\":\"" RIG_VERSION "\"}" },
	{ "tools/call", "\"name\":\"search_user_context\",\"arguments\":{\"query\":\"\xe5\x9f\x8e\",\"limit\":1}" },
	{ "tools/call", "\"name\":\"search_user_context\",\"arguments\":{\"query\":\"conflict\"}" },
	{ "tools/call", "\"name\":\"propose_memory\",\"arguments\":{\"op\":\"archive\",\"target_fact_id\":\"" RIG_FACT "\"}" },
	{ "tools/call", "\"name\":\"propose_memory\",\"arguments\":{\"op\":\"add\"}" },
	{ "tools/call", "\"name\":\"search\"" },
	{ NULL, NULL },
};

/* By way of the endpoint, with the headers that a client of that revision sends. */
static const char *
say_http(struct mcp_rig *rig, const char *message, const struct line *line, enum mcp_revision r)
{
	static const char *const named[] = { "get_user_context", "read_user_context_page", "search_user_context", "propose_memory" };
	static struct http_rig http;
	struct http_post post = { .body = message };
	char uri[512];

	(void)rig;
	if (r >= MCP_2025_06_18 && line != NULL)
		post.version = mcp_revision_name(r);
	if (mcp_revision_is_modern(r) && line != NULL) {
		post.method = line->method;
		for (size_t i = 0; i < sizeof named / sizeof *named; i++)
			if (line->params != NULL && strstr(line->params, named[i]) != NULL)
				post.name = named[i];
		if (line->params != NULL && sscanf(line->params, "\"uri\":\"%511[^\"]", uri) == 1)
			post.name = uri;
	}
	http_rig_post(&http, &post);
	http_rig_clear(&http);
	return http.text;
}

static const char *
say_stream(struct mcp_rig *rig, const char *message, const struct line *line, enum mcp_revision r)
{
	(void)line;
	(void)r;
	return rig_say(rig, message);
}

static const struct {
	const char        *name;
	const struct line *lines;
	void             (*open)(struct mcp_rig *rig);
	const char      *(*say)(struct mcp_rig *rig, const char *message, const struct line *line, enum mcp_revision r);
} servers[] = {
	{ "unattended", conversation, rig_open, say_stream },
	{ "ordinary", ordinary, rig_open_ordinary, say_stream },
	{ "profile", profile, rig_open, say_http },
};

static void
record(FILE *out, const char *method, const char *answer)
{
	assert_true(fprintf(out, "{\"method\":\"%s\",\"answer\":%s}\n", method, answer) > 0);
}

static void
say_line(struct mcp_rig *rig, FILE *out, size_t server, const struct line *line, enum mcp_revision r)
{
	bool modern = mcp_revision_is_modern(r);
	size_t id = (size_t)(line - servers[server].lines);
	char message[1024];
	const char *answer;

	snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"%s\",\"params\":{%s%s%s}}",
	    id, line->method, modern ? MODERN_META : "", modern && line->params != NULL ? "," : "",
	    line->params != NULL ? line->params : "");
	answer = servers[server].say(rig, message, line, r);
	assert_true(answer[0] == '{');
	record(out, line->method, answer);
}

static void
hold(const char *folder, enum mcp_revision r, size_t server)
{
	struct mcp_rig rig;
	char path[4096], message[256];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s.%s.jsonl", folder, mcp_revision_name(r), servers[server].name);
	assert_non_null(out = fopen(path, "w"));
	servers[server].open(&rig);
	if (!mcp_revision_is_modern(r)) {
		snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
		    "{\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}", mcp_revision_name(r));
		record(out, "initialize", servers[server].say(&rig, message, NULL, r));
	}
	for (const struct line *line = servers[server].lines; line->method != NULL; line++)
		say_line(&rig, out, server, line, r);
	record(out, "junk", servers[server].say(&rig, "junk", NULL, r));
	record(out, "array", servers[server].say(&rig, "[]", NULL, r));
	rig_close(&rig);
	assert_int_equal(fclose(out), 0);
}

static void
every_revision_answers_the_whole_conversation(void **state)
{
	char own[] = "/tmp/mcp-answers-XXXXXX", path[4096];
	const char *folder = getenv("MEMORIES_MCP_ANSWERS");

	(void)state;
	if (folder == NULL)
		assert_non_null(mkdtemp(own));
	for (enum mcp_revision r = MCP_2024_11_05; r < MCP_REVISION__COUNT; r++) {
		for (size_t server = 0; server < sizeof servers / sizeof *servers; server++) {
			hold(folder != NULL ? folder : own, r, server);
			snprintf(path, sizeof path, "%s/%s.%s.jsonl", own, mcp_revision_name(r), servers[server].name);
			if (folder == NULL)
				assert_int_equal(unlink(path), 0);
		}
	}
	if (folder == NULL)
		assert_int_equal(rmdir(own), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_revision_answers_the_whole_conversation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
