/* unattended enable; the four reads; the stdio MCP server. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "escrow/custody.h"
#include "escrow/terminal.h"
#include "gateway/grant_open.h"
#include "gateway/mcp_stdio.h"
#include "gateway/unattended.h"
#include "tools/command/command.h"

static const char warning[] =
    "\n"
    "Unattended access lets a local program that holds a client file read everything in\n"
    "the vaults you choose, while nobody is at the keyboard: private notes, files and\n"
    "STORED PASSWORDS in clear. What it hands on cannot be called back.\n"
    "\n";

static enum err
confirm(struct invocation *in)
{
	char line[TERMINAL_LINE_MAX + 1];
	enum err e;

	if ((e = terminal_warn(warning)) != OK || (e = terminal_line(PROMPT_ENABLE, line)) != OK)
		return e;
	(void)in;
	return strcmp(line, "ENABLE") == 0 ? OK : ERR_NOT_CONFIRMED;
}

/* What would be refused anyway is refused before the person is asked for anything. */
static enum err
check_enable(struct invocation *in, struct client *c, bool *unlocked)
{
	union any_body answer;
	enum err e = custody_supported(option_value(in, "--backend"));

	if (e != OK || (e = owner_call(in, c, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, MSG_STATUS, &answer)) != OK)
		return e;
	*unlocked = answer.status.state.unlocked;
	return !answer.status.state.initialized ? ERR_NOT_INITIALIZED
	    : answer.status.state.enrolled ? ERR_ALREADY_ENABLED : OK;
}

/* The word, then the password for each right that is not given yet. */
static enum err
enable(struct invocation *in, struct client *c)
{
	const char *backend = option_value(in, "--backend");
	struct enable_ask_body ask = { .backend = { (const uint8_t *)backend, strlen(backend) } };
	union any_body answer;
	bool unlocked = false;
	enum err e;

	if (ask.backend.len > 31)
		return invalid(in, "no backend has that name");
	if ((e = check_enable(in, c, &unlocked)) != OK || (e = confirm(in)) != OK ||
	    (!unlocked && (e = owner_unlock(in, c)) != OK))
		return e;
	if ((e = owner_call(in, c, MSG_ENABLE_ASK, &ask, MSG_DONE, &answer)) != ERR_SUDO_REQUIRED)
		return e;
	if ((e = owner_sudo(in, c)) != OK)
		return e;
	return owner_call(in, c, MSG_ENABLE_ASK, &ask, MSG_DONE, &answer);
}

enum err
run_unattended_enable(struct invocation *in)
{
	struct json_writer w = { 0 };
	struct client *c = NULL;
	enum err e;

	if ((e = owner_open(in, &c)) == OK)
		e = enable(in, c);
	client_close(&c);
	if (e != OK || !in->json)
		return e;
	json_write_object(&w);
	json_member_text(&w, "backend", option_value(in, "--backend"));
	json_write_end(&w);
	return print_json(&w);
}

static enum err
take_ask(struct invocation *in, struct unattended_ask *ask)
{
	bool page = ask->op == OP_LIST || ask->op == OP_HISTORY;
	uint64_t max = page ? 100 : 65536, limit;
	enum err e;

	if ((e = positional_id(in, 0, "VAULT", &ask->vault)) != OK ||
	    (ask->op != OP_LIST && (e = positional_id(in, 1, "ASSET", &ask->asset)) != OK) ||
	    (e = option_u64(in, "--offset", 0, UINT64_MAX, 0, &ask->offset)) != OK ||
	    (e = option_u64(in, "--limit", 1, max, max, &limit)) != OK)
		return e;
	ask->limit = (uint32_t)limit;
	return page ? OK : option_id(in, "--revision", &ask->revision, &ask->has_revision);
}

static enum err
open_client(struct invocation *in, struct client_file *file, struct client **c)
{
	struct grant_open_want want = { .home = in->home->path, .type = GRANT_UNATTENDED };
	const char *why = "";
	char *path = NULL;
	enum err e;

	if ((e = home_absolute(in->home, option_value(in, "--client-file"), &path)) == OK) {
		want.path = path;
		if ((e = grant_open(&want, file, c, &why)) != OK)
			explain(in, why);
	}
	free(path);
	return e;
}

static enum err
run_read(struct invocation *in, enum op op)
{
	struct unattended_ask ask = { .op = op };
	struct client_file file = { .token = NULL };
	struct json_writer w = { 0 };
	struct client *c = NULL;
	enum err e;

	if ((e = take_ask(in, &ask)) == OK && (e = open_client(in, &file, &c)) == OK) {
		if ((e = unattended_answer(c, &file, &ask, SURFACE_CLI, &w)) != OK)
			explain(in, client_detail(c));
		else
			e = print_json(&w);
	}
	json_write_free(&w);
	client_close(&c);
	client_file_free(&file);
	return e;
}

enum err
run_unattended_list(struct invocation *in)
{
	return run_read(in, OP_LIST);
}

enum err
run_unattended_history(struct invocation *in)
{
	return run_read(in, OP_HISTORY);
}

enum err
run_unattended_read(struct invocation *in)
{
	return run_read(in, OP_READ);
}

enum err
run_unattended_credential_bytes(struct invocation *in)
{
	return run_read(in, OP_CREDENTIAL_BYTES);
}

/* A bridge: it connects at the first call, so that it can start before the daemon does. */
struct bridge {
	struct invocation *in;
	struct client_file file;
	struct client     *client;
};

static enum err
serve_call(void *arg, struct mcp_call *call)
{
	struct bridge *b = arg;
	struct unattended_ask ask = unattended_tools_ask(&call->args);
	enum err e;

	if (b->client == NULL && (e = open_client(b->in, &b->file, &b->client)) != OK)
		return e;
	e = unattended_answer(b->client, &b->file, &ask, SURFACE_STDIO, call->result);
	if (e != OK && client_detail(b->client)[0] != '\0')
		snprintf(call->message, sizeof call->message, "%s: %.400s", err_text(e), client_detail(b->client));
	/* A lost daemon is looked for anew, and the client file read again, at the next call. */
	if (e == ERR_INTERRUPTED || e == ERR_DAEMON_NOT_RUNNING || e == ERR_TIMEOUT || e == ERR_PROTOCOL ||
	    e == ERR_DAEMON_UNTRUSTED) {
		client_close(&b->client);
		client_file_free(&b->file);
	}
	return e;
}

enum err
run_mcp_serve_unattended(struct invocation *in)
{
	struct bridge b = { .in = in };
	struct mcp_server server = {
		.name = "memories", .title = "memories, unattended", .version = MEMORIES_VERSION,
		.instructions = unattended_tools_instructions, .tools = unattended_tools,
		.n_tools = UNATTENDED_TOOLS, .call = serve_call, .arg = &b,
	};
	int stop_fd = stop_signals();
	const char *why = "";
	char *path = NULL;
	enum err e;

	/* A client file that cannot be used is said at once, not at the first call. */
	if ((e = home_absolute(in->home, option_value(in, "--client-file"), &path)) == OK &&
	    (e = client_file_read(path, GRANT_UNATTENDED, &b.file, &why)) == OK) {
		if (strcmp(b.file.home, in->home->path) != 0)
			e = ERR_WRONG_LIBRARY;
		client_file_free(&b.file);
	}
	explain(in, why);
	free(path);
	if (e == OK)
		e = mcp_stdio_serve(&server, STDIN_FILENO, STDOUT_FILENO, stop_fd);
	client_close(&b.client);
	client_file_free(&b.file);
	if (stop_fd >= 0)
		close(stop_fd);
	return e;
}
