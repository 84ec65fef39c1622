/* mcp serve: the stdio MCP server of an ordinary grant. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gateway/grant_open.h"
#include "gateway/mcp_stdio.h"
#include "gateway/ordinary.h"
#include "tools/command/command.h"

/* A bridge: it connects at the first call, so that it can start before the daemon does and outlive it. */
struct bridge {
	struct invocation *in;
	char              *path;   /* of the grant file */
	size_t             max_bytes;
	struct client_file file;
	struct client     *client; /* NULL: not connected */
	struct key        *cursor_key;
};

static void
disconnect(struct bridge *b)
{
	client_close(&b->client);
	client_file_free(&b->file);
	key_free(&b->cursor_key);
}

/* The grant file is read again with each connection: it may have been replaced. */
static enum err
connect_to(struct bridge *b, const char **why)
{
	struct grant_open_want want = { .path = b->path, .home = b->in->home->path, .type = GRANT_ORDINARY };
	enum err e;

	if (b->client != NULL)
		return OK;
	if ((e = grant_open(&want, &b->file, &b->client, why)) != OK)
		return e;
	if ((e = ordinary_cursor_key(b->file.token, b->file.grant, &b->cursor_key)) != OK)
		disconnect(b);
	return e;
}

static struct ordinary
ordinary_of(const struct bridge *b)
{
	return (struct ordinary){
		.client = b->client, .token = b->file.token, .cursor_key = b->cursor_key, .grant = b->file.grant,
		.vaults = b->file.vaults, .n_vaults = b->file.n_vaults, .max_bytes = b->max_bytes,
	};
}

/* What a new connection, or a new grant file, may mend at the next call. */
static bool
is_of_connection(enum err e)
{
	return e == ERR_INTERRUPTED || e == ERR_DAEMON_NOT_RUNNING || e == ERR_TIMEOUT ||
	    e == ERR_PROTOCOL || e == ERR_DAEMON_UNTRUSTED || e == ERR_NOT_INITIALIZED || e == ERR_INVALID_GRANT;
}

/* For the model, so that it can tell its user what to do. */
static void
say(const struct bridge *b, enum err e, const char *why, char message[MCP_MESSAGE_MAX])
{
	const char *detail = b->client != NULL ? client_detail(b->client) : "";

	if (message[0] != '\0')
		return;
	if (e == ERR_LOCKED)
		snprintf(message, MCP_MESSAGE_MAX, "the library is locked: ask the user to run `memories unlock`, then call again");
	else if (e == ERR_INVALID_GRANT)
		snprintf(message, MCP_MESSAGE_MAX, "the grant is unknown, revoked or expired: the user can make another with "
		    "`memories grant mint`");
	else if (e == ERR_ASSET_DELETED)
		snprintf(message, MCP_MESSAGE_MAX, "the user has deleted it");
	else if (detail[0] != '\0' || why[0] != '\0')
		snprintf(message, MCP_MESSAGE_MAX, "%s: %.400s", err_text(e), detail[0] != '\0' ? detail : why);
	else
		snprintf(message, MCP_MESSAGE_MAX, "%s; %s", err_text(e), err_remedy(e));
}

/* One thing to be answered over the connection. */
struct task {
	enum err (*run)(const struct ordinary *o, void *arg);
	void     (*again)(void *arg); /* drops what a first try wrote */
	void      *arg;
};

/*
 * A connection that was there before may be of a daemon that is gone, or from
 * before an unlock: then once more, on a new one. Nothing was done by the first.
 */
static enum err
serve(struct bridge *b, const struct task *task, char message[MCP_MESSAGE_MAX])
{
	const char *why = "";
	bool kept = b->client != NULL;
	struct ordinary o;
	enum err e;

	if ((e = connect_to(b, &why)) == OK) {
		o = ordinary_of(b);
		e = task->run(&o, task->arg);
	}
	if (e == ERR_LOCKED && kept) {
		disconnect(b);
		task->again(task->arg);
		if ((e = connect_to(b, &why)) == OK) {
			o = ordinary_of(b);
			e = task->run(&o, task->arg);
		}
	}
	if (e != OK)
		say(b, e, why, message);
	if (is_of_connection(e))
		disconnect(b);
	return e;
}

static enum err
run_call(const struct ordinary *o, void *arg)
{
	struct mcp_call *call = arg;
	struct ordinary_ask ask = ordinary_tools_ask(&call->args);

	return ordinary_answer(o, &ask, call->result, call->message);
}

static void
call_again(void *arg)
{
	struct mcp_call *call = arg;

	json_write_clear(call->result);
	call->message[0] = '\0';
}

static enum err
serve_call(void *arg, struct mcp_call *call)
{
	return serve(arg, &(struct task){ run_call, call_again, call }, call->message);
}

static enum err
run_list(const struct ordinary *o, void *arg)
{
	return ordinary_list_resources(o, arg);
}

static void
list_again(void *arg)
{
	struct mcp_listing *listing = arg;

	json_write_clear(listing->rows);
	json_write_array(listing->rows);
}

static enum err
serve_list(void *arg, struct mcp_listing *listing)
{
	return serve(arg, &(struct task){ run_list, list_again, listing }, listing->message);
}

static enum err
run_resource(const struct ordinary *o, void *arg)
{
	return ordinary_read_resource(o, arg);
}

static void
resource_again(void *arg)
{
	struct mcp_reading *reading = arg;

	json_write_clear(reading->contents);
	json_write_array(reading->contents);
}

static enum err
serve_resource(void *arg, struct mcp_reading *reading)
{
	return serve(arg, &(struct task){ run_resource, resource_again, reading }, reading->message);
}

static const struct mcp_resources resources = {
	.templates = &ordinary_template, .n_templates = 1, .list = serve_list, .read = serve_resource,
};

/* A grant file that cannot be used is said at once, not at the first call; what it allows decides which tools there are. */
static enum err
look_at_file(struct bridge *b, bool *may_propose)
{
	struct client_file file = { .token = NULL };
	const char *why = "";
	enum err e;

	if ((e = client_file_read(b->path, GRANT_ORDINARY, &file, &why)) == OK && strcmp(file.home, b->in->home->path) != 0)
		e = ERR_WRONG_LIBRARY;
	*may_propose = file.may_propose;
	client_file_free(&file);
	if (e != OK)
		explain(b->in, why[0] != '\0' ? why : b->path);
	return e;
}

static enum err
serve_stdio(struct bridge *b, bool may_propose)
{
	struct mcp_server server = {
		.name = "memories", .title = "memories", .version = MEMORIES_VERSION,
		.instructions = ordinary_instructions, .tools = ordinary_tools,
		.n_tools = may_propose ? ORDINARY_TOOLS : MEMORY_PROPOSE, .resources = &resources,
		.call = serve_call, .arg = b,
	};
	int stop_fd = stop_signals();
	enum err e = mcp_stdio_serve(&server, STDIN_FILENO, STDOUT_FILENO, stop_fd);

	if (stop_fd >= 0)
		close(stop_fd);
	return e;
}

enum err
run_mcp_serve(struct invocation *in)
{
	struct bridge b = { .in = in };
	bool may_propose = false;
	uint64_t max_bytes;
	enum err e;

	if ((e = option_u64(in, "--max-bytes", ORDINARY_BYTES_MIN, ORDINARY_BYTES_MAX, ORDINARY_BYTES, &max_bytes)) != OK)
		return e;
	b.max_bytes = (size_t)max_bytes;
	if ((e = home_absolute(in->home, option_value(in, "--grant-file"), &b.path)) == OK &&
	    (e = look_at_file(&b, &may_propose)) == OK)
		e = serve_stdio(&b, may_propose);
	disconnect(&b);
	free(b.path);
	return e;
}
