/*
 * Holds the same conversations in each of the five revisions, one with each of
 * our servers, and writes what was said to <folder>/<revision>.<server>.jsonl,
 * one {"method":…,"answer":…} a line, for tests/system/mcp_schema_check.py. The folder is $MEMORIES_MCP_ANSWERS; without
 * it, a folder of its own that is removed.
 */
#include <stdlib.h>
#include <unistd.h>

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

static const struct {
	const char        *name;
	const struct line *lines;
	void             (*open)(struct mcp_rig *rig);
} servers[] = {
	{ "unattended", conversation, rig_open },
	{ "ordinary", ordinary, rig_open_ordinary },
};

static void
record(FILE *out, const char *method, const char *answer)
{
	assert_true(fprintf(out, "{\"method\":\"%s\",\"answer\":%s}\n", method, answer) > 0);
}

static void
say_line(struct mcp_rig *rig, FILE *out, const struct line *line, size_t id, bool modern)
{
	char message[1024];
	const char *answer;

	snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"%s\",\"params\":{%s%s%s}}",
	    id, line->method, modern ? MODERN_META : "", modern && line->params != NULL ? "," : "",
	    line->params != NULL ? line->params : "");
	answer = rig_say(rig, message);
	assert_true(answer[0] == '{');
	record(out, line->method, answer);
}

static void
hold(const char *folder, enum mcp_revision r, size_t server)
{
	struct mcp_rig rig;
	char path[4096];
	bool modern = mcp_revision_is_modern(r);
	FILE *out;

	snprintf(path, sizeof path, "%s/%s.%s.jsonl", folder, mcp_revision_name(r), servers[server].name);
	assert_non_null(out = fopen(path, "w"));
	servers[server].open(&rig);
	if (!modern)
		record(out, "initialize", rig_initialize(&rig, mcp_revision_name(r)));
	for (const struct line *line = servers[server].lines; line->method != NULL; line++)
		say_line(&rig, out, line, (size_t)(line - servers[server].lines), modern);
	record(out, "junk", rig_say(&rig, "junk"));
	record(out, "array", rig_say(&rig, "[]"));
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
