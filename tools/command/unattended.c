/* unattended enable, mint, status, revoke; the four reads; the stdio MCP server. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "escrow/binding.h"
#include "escrow/custody.h"
#include "escrow/keys.h"
#include "escrow/random.h"
#include "escrow/seal.h"
#include "escrow/terminal.h"
#include "gateway/grant_open.h"
#include "gateway/mcp_stdio.h"
#include "gateway/unattended.h"
#include "store/log_key.h"
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

/* The token is made here and never leaves but in the client file: the daemon gets an id and a half of it. */
static enum err
mint(struct invocation *in, struct client *c, const struct key *token, struct span vaults, struct uuid *grant)
{
	struct mint_ask_body ask = { .client_ask = client_next_ask(c), .vaults = vaults,
		.grant_type = GRANT_UNATTENDED, .classes = (1u << CLASS__COUNT) - 1 };
	uint8_t buf[BINDING_MAX], boxed[SEALED_KEY_LEN];
	struct key *half = NULL;
	union any_body answer;
	enum err e;

	if (client_channel(c) == NULL)
		return ERR_INTERRUPTED;
	if ((e = client_certified(c)) != OK)
		return e;
	if ((e = key_new(&half)) != OK)
		return e;
	token_id(token, ask.token_id);
	token_half(token, half);
	memcpy(ask.opener, client_opener(c), sizeof ask.opener);
	key_seal(client_channel(c)->up, mint_binding(&ask, buf), half, boxed);
	key_free(&half);
	ask.boxed_half = (struct span){ boxed, sizeof boxed };
	if ((e = owner_call(in, c, MSG_MINT_ASK, &ask, MSG_DONE, &answer)) == OK)
		*grant = answer.made.id;
	return e;
}

static enum err
publish(struct invocation *in, struct client *c, const char *path, const struct key *token, struct uuid grant)
{
	struct revoke_ask_body revoke = { .grant_type = GRANT_UNATTENDED, .grant = grant };
	char origin[LOG_ORIGIN_MAX + 1], log_key[LOG_KEY_TEXT_MAX + 1];
	struct client_file f = { .type = GRANT_UNATTENDED, .library = client_welcome(c)->library, .grant = grant,
		.home = in->home->path, .log_key = log_key };
	union any_body answer;
	enum err e;

	log_key_origin(f.library, origin);
	log_key_text(origin, client_welcome(c)->log_public, log_key);
	log_key[strcspn(log_key, "\n")] = '\0';
	if ((e = key_of(token->b, &f.token)) == OK)
		e = client_file_publish(path, &f);
	key_free(&f.token);
	if (e == OK)
		return OK;
	if (client_call(c, MSG_REVOKE_ASK, &revoke, MSG_DONE, &answer) != OK) {
		explain(in, err_text(e));
		return ERR_REVOKE_FAILED;
	}
	return e;
}

static enum err
take_vaults(struct invocation *in, struct client *c, struct wire_out *o)
{
	struct uuid vault;
	const char *text;
	enum err e;

	for (size_t i = 0; (text = option_nth(in, "--vault", i)) != NULL; i++) {
		if ((e = owner_vault(in, c, text, &vault)) != OK)
			return e;
		wire_put_id(o, vault);
	}
	return o->failed ? invalid(in, "at most 64 vaults a grant") : OK;
}

static enum err
print_minted(const struct invocation *in, struct uuid grant, struct span vaults, const char *path)
{
	struct wire_in ids = wire_in(vaults.p, vaults.len);
	struct json_writer w = { 0 };
	char text[UUID_TEXT_LEN + 1];

	if (!in->json) {
		uuid_text(grant, text);
		return print_line("grant %s\nclient file %s\n", text, path);
	}
	json_write_object(&w);
	json_member_id(&w, "grant", grant);
	json_member_text(&w, "client_file", path);
	json_write_key(&w, "vaults");
	json_write_array(&w);
	while (ids.len > 0)
		json_write_id(&w, wire_take_id(&ids));
	json_write_end(&w);
	json_write_key(&w, "expires_at");
	json_write_null(&w);
	json_write_end(&w);
	return print_json(&w);
}

enum err
run_unattended_mint(struct invocation *in)
{
	uint8_t buf[64 * UUID_LEN];
	struct wire_out vaults = wire_out(buf, sizeof buf);
	struct client *c = NULL;
	struct key *token = NULL;
	struct uuid grant;
	char *path = NULL;
	enum err e;

	if ((e = home_absolute(in->home, option_value(in, "--client-file"), &path)) != OK)
		return e;
	if ((e = key_random(&token)) == OK && (e = owner_open(in, &c)) == OK &&
	    (e = take_vaults(in, c, &vaults)) == OK &&
	    (e = mint(in, c, token, wire_written(&vaults), &grant)) == OK &&
	    (e = publish(in, c, path, token, grant)) == OK)
		e = print_minted(in, grant, wire_written(&vaults), path);
	key_free(&token);
	client_close(&c);
	free(path);
	return e;
}

enum err
run_unattended_revoke(struct invocation *in)
{
	struct revoke_ask_body ask = { .grant_type = GRANT_UNATTENDED };
	struct json_writer w = { 0 };
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = positional_id(in, 0, "GRANT", &ask.grant)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK)
		e = owner_call(in, c, MSG_REVOKE_ASK, &ask, MSG_DONE, &answer);
	client_close(&c);
	if (e != OK || !in->json)
		return e;
	json_write_object(&w);
	json_member_id(&w, "grant", ask.grant);
	json_write_end(&w);
	return print_json(&w);
}

static void
write_time(struct json_writer *w, const char *key, uint64_t wall_ms)
{
	char text[CLOCK_TEXT_LEN + 1];

	json_write_key(w, key);
	if (wall_ms == 0) {
		json_write_null(w);
		return;
	}
	clock_text((struct wall_ms){ wall_ms }, text);
	json_write_text(w, text);
}

static void
write_grant(struct json_writer *w, const struct grant_row_body *row)
{
	struct wire_in ids = wire_in(row->vaults.p, row->vaults.len);

	json_write_object(w);
	json_member_id(w, "grant", row->grant);
	json_write_key(w, "vaults");
	json_write_array(w);
	while (ids.len > 0 && !ids.failed)
		json_write_id(w, wire_take_id(&ids));
	json_write_end(w);
	json_write_key(w, "label");
	json_write_null(w);
	write_time(w, "created_at", row->created_wall_ms);
	write_time(w, "expires_at", row->expires_wall_ms);
	write_time(w, "last_used_at", row->last_used_wall_ms);
	json_member_u64(w, "reads", row->reads);
	json_write_end(w);
}

static enum err
print_grants_json(const struct grants_page_body *p)
{
	struct wire_in rows = wire_in(p->rows.p, p->rows.len);
	struct json_writer w = { 0 };

	json_write_object(&w);
	json_member_bool(&w, "enabled", p->state.enrolled);
	json_member_bool(&w, "inhibited", p->state.inhibited);
	json_write_key(&w, "backend");
	if (p->state.enrolled)
		json_write_string(&w, p->state.backend);
	else
		json_write_null(&w);
	json_member_bool(&w, "loaded", p->state.loaded);
	json_write_key(&w, "grants");
	json_write_array(&w);
	for (size_t i = 0; i < p->n_rows; i++) {
		struct grant_row_body row;

		grant_row_body_take(&rows, &row);
		write_grant(&w, &row);
	}
	json_write_end(&w);
	json_member_u64(&w, "offset", p->offset);
	json_write_key(&w, "next");
	if (p->more)
		json_write_u64(&w, p->offset + p->n_rows);
	else
		json_write_null(&w);
	json_write_end(&w);
	return print_json(&w);
}

static enum err
print_grants_text(const struct grants_page_body *p)
{
	struct wire_in rows = wire_in(p->rows.p, p->rows.len);

	print_line("unattended access is %s, the key is %s%s\n", p->state.enrolled ? "enabled" : "not enabled",
	    p->state.loaded ? "loaded" : "not loaded", p->state.inhibited ? ", and a ban is in force" : "");
	for (size_t i = 0; i < p->n_rows; i++) {
		char grant[UUID_TEXT_LEN + 1], used[CLOCK_TEXT_LEN + 1] = "never";
		struct grant_row_body row;

		grant_row_body_take(&rows, &row);
		uuid_text(row.grant, grant);
		if (row.last_used_wall_ms != 0)
			clock_text((struct wall_ms){ row.last_used_wall_ms }, used);
		print_line("%s  %zu vaults  %llu reads  last %s\n", grant, row.vaults.len / UUID_LEN,
		    (unsigned long long)row.reads, used);
	}
	return OK;
}

enum err
run_unattended_status(struct invocation *in)
{
	struct grants_ask_body ask = { .grant_type = GRANT_UNATTENDED, .limit = 100 };
	struct client *c = NULL;
	union any_body answer;
	uint64_t limit;
	enum err e;

	if ((e = option_u64(in, "--offset", 0, UINT64_MAX, 0, &ask.offset)) != OK ||
	    (e = option_u64(in, "--limit", 1, 100, 100, &limit)) != OK)
		return e;
	ask.limit = (uint32_t)limit;
	if ((e = owner_open(in, &c)) == OK &&
	    (e = owner_call(in, c, MSG_GRANTS_ASK, &ask, MSG_GRANTS_PAGE, &answer)) == OK)
		e = in->json ? print_grants_json(&answer.grants_page) : print_grants_text(&answer.grants_page);
	client_close(&c);
	return e;
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
