/* vault create and list. */
#include <string.h>

#include "escrow/deposit.h"
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

enum err
run_vault_create(struct invocation *in)
{
	const char *name = in->positionals[0];
	struct span span = { (const uint8_t *)name, strlen(name) };
	struct client *c = NULL;
	struct uuid vault;
	enum err e;

	if (span.len == 0 || !content_text_valid(span, NAME_LEN_MAX))
		return invalid(in, "a vault's name is 1 to 256 bytes of UTF-8");
	/* A name that looks like an id would stand for two things. */
	if (uuid_parse(name, &vault) == OK)
		return invalid(in, "a vault's name cannot be an id");
	if ((e = owner_open(in, &c)) == OK) {
		e = owner_vault(in, c, name, &vault);
		if (e == OK)
			e = ERR_NAME_TAKEN;
		else if (e == ERR_NOT_FOUND)
			e = writer_make_vault(c, span, &vault);
		in->detail[0] = '\0';
	}
	client_close(&c);
	return e == OK ? print_vault(in, vault, name) : e;
}

static enum err
print_vaults_json(const struct client_answer *a, uint64_t offset)
{
	struct json_writer w = { 0 };

	json_write_object(&w);
	json_write_key(&w, "vaults");
	json_write_array(&w);
	for (size_t i = 0; i < a->n_items; i++) {
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
