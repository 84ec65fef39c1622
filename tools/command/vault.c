/* vault create, list, rename, remove. */
#include <stdio.h>
#include <string.h>

#include "escrow/deposit.h"
#include "escrow/terminal.h"
#include "gateway/content.h"
#include "gateway/writer.h"
#include "tools/command/command.h"

static enum err
print_vault(const struct invocation *in, struct uuid vault, const char *name)
{
	struct json_writer w = { 0 };
	char text[UUID_TEXT_LEN + 1];

	if (!in->json) {
		uuid_text(vault, text);
		return print_line("%s\n", text);
	}
	json_write_object(&w);
	json_member_id(&w, "vault", vault);
	json_member_text(&w, "name", name);
	json_write_end(&w);
	return print_json(&w);
}

static enum err
check_name(struct invocation *in, const char *name)
{
	struct uuid id;

	if (name[0] == '\0' || !content_text_valid((struct span){ (const uint8_t *)name, strlen(name) }, NAME_LEN_MAX))
		return invalid(in, "a vault's name is 1 to 256 bytes of UTF-8");
	/* A name that looks like an id would stand for two things. */
	return uuid_parse(name, &id) == OK ? invalid(in, "a vault's name cannot be an id") : OK;
}

/* OK when no other vault has it. */
static enum err
check_free(struct invocation *in, struct client *c, const char *name, const struct uuid *but)
{
	struct uuid vault;
	enum err e = owner_vault(in, c, name, &vault);

	in->detail[0] = '\0';
	if (e == OK)
		return but != NULL && uuid_equal(*but, vault) ? OK : ERR_NAME_TAKEN;
	return e == ERR_NOT_FOUND ? OK : e;
}

enum err
run_vault_create(struct invocation *in)
{
	const char *name = in->positionals[0];
	struct client *c = NULL;
	struct uuid vault;
	enum err e;

	if ((e = check_name(in, name)) == OK && (e = owner_open(in, &c)) == OK && (e = check_free(in, c, name, NULL)) == OK)
		e = writer_make_vault(c, (struct span){ (const uint8_t *)name, strlen(name) }, &vault);
	client_close(&c);
	return e == OK ? print_vault(in, vault, name) : e;
}

enum err
run_vault_rename(struct invocation *in)
{
	const char *name = in->positionals[1];
	struct client *c = NULL;
	struct uuid vault;
	enum err e;

	if ((e = check_name(in, name)) == OK && (e = owner_open(in, &c)) == OK &&
	    (e = owner_vault(in, c, in->positionals[0], &vault)) == OK && (e = check_free(in, c, name, &vault)) == OK)
		e = writer_rename_vault(c, vault, (struct span){ (const uint8_t *)name, strlen(name) });
	client_close(&c);
	return e == OK ? print_vault(in, vault, name) : e;
}

/* ERR_NOT_CONFIRMED: another name was typed. */
static enum err
confirm(const struct client_item *vault)
{
	char text[256], line[TERMINAL_LINE_MAX + 1];
	enum err e;

	snprintf(text, sizeof text, "This hides %llu assets, for good: no command and no grant reaches them afterwards.\n",
	    (unsigned long long)vault->n_assets);
	if ((e = terminal_warn(text)) != OK || (e = terminal_line(PROMPT_VAULT_NAME, line)) != OK)
		return e;
	return strlen(line) == secret_len(vault->plain) && memcmp(line, secret_view(vault->plain), strlen(line)) == 0
	    ? OK : ERR_NOT_CONFIRMED;
}

static enum err
print_removed(const struct invocation *in, struct uuid vault)
{
	struct json_writer w = { 0 };
	char text[UUID_TEXT_LEN + 1];

	uuid_text(vault, text);
	if (!in->json)
		return print_line("removed %s\n", text);
	json_write_object(&w);
	json_member_id(&w, "vault", vault);
	json_member_bool(&w, "removed", true);
	json_write_end(&w);
	return print_json(&w);
}

enum err
run_vault_remove(struct invocation *in)
{
	struct owner_id_ask_body ask = { .id = { { 0 } } };
	const struct client_item *vault = NULL;
	struct client_answer *a = NULL;
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = owner_open(in, &c)) == OK && (e = owner_vault(in, c, in->positionals[0], &ask.id)) == OK &&
	    (e = owner_find_vault(in, c, ask.id, &a, &vault)) == OK && (e = confirm(vault)) == OK)
		e = owner_call(in, c, MSG_VAULT_REMOVE_ASK, &ask, MSG_DONE, &answer);
	client_answer_free(&a);
	client_close(&c);
	return e == OK ? print_removed(in, ask.id) : e;
}

/* Removed vaults are in no list; they still count for offsets. */
static bool
is_shown(const struct client_item *item)
{
	return (item->flags & ITEM_INACTIVE) == 0;
}

static enum err
print_vaults_json(const struct client_answer *a, uint64_t offset)
{
	struct json_writer w = { 0 };

	json_write_object(&w);
	json_write_key(&w, "vaults");
	json_write_array(&w);
	for (size_t i = 0; i < a->n_items; i++) {
		if (!is_shown(&a->items[i]))
			continue;
		json_write_object(&w);
		json_member_id(&w, "vault", a->items[i].ref.asset);
		json_member_string(&w, "name", secret_span(a->items[i].plain));
		json_member_u64(&w, "assets", a->items[i].n_assets);
		json_write_end(&w);
	}
	json_write_end(&w);
	json_member_u64(&w, "offset", offset);
	json_write_key(&w, "next");
	if (a->more)
		json_write_u64(&w, offset + a->n_items);
	else
		json_write_null(&w);
	json_write_end(&w);
	return print_json(&w);
}

static enum err
print_vaults_text(const struct client_answer *a)
{
	for (size_t i = 0; i < a->n_items; i++) {
		char text[UUID_TEXT_LEN + 1];

		if (!is_shown(&a->items[i]))
			continue;
		uuid_text(a->items[i].ref.asset, text);
		print_line("%s  %6llu assets  ", text, (unsigned long long)a->items[i].n_assets);
		print_safe(secret_span(a->items[i].plain));
		print_line("\n");
	}
	return OK;
}

enum err
run_vault_list(struct invocation *in)
{
	struct client_want want = { .op = OP_VAULT_LIST, .surface = SURFACE_OWNER };
	struct client_answer *a = NULL;
	struct client *c = NULL;
	uint64_t limit;
	enum err e;

	if ((e = option_u64(in, "--offset", 0, UINT64_MAX, 0, &want.offset)) != OK ||
	    (e = option_u64(in, "--limit", 1, 100, 100, &limit)) != OK)
		return e;
	want.limit = (uint32_t)limit;
	if ((e = owner_open(in, &c)) == OK && (e = owner_ask(in, c, &want, &a)) == OK)
		e = in->json ? print_vaults_json(a, want.offset) : print_vaults_text(a);
	client_answer_free(&a);
	client_close(&c);
	return e;
}
