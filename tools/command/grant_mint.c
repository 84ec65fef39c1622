/* unattended mint and grant mint: a token, a grant over it, and the file that holds both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escrow/binding.h"
#include "escrow/keys.h"
#include "escrow/random.h"
#include "gateway/client_file.h"
#include "mailbox/utf8.h"
#include "store/log_key.h"
#include "tools/command/grant.h"

#define LABEL_CHARACTERS 64
#define LABEL_BYTES      128
#define TERM_MAX_MS      ((uint64_t)3650 * 86400000)

static const char *
file_option(enum grant_type type)
{
	return type == GRANT_ORDINARY ? "--grant-file" : "--client-file";
}

/* A duration from now, or a time. */
static enum err
take_expiry(struct invocation *in, uint64_t *expires_wall_ms)
{
	const char *text = option_value(in, "--expires");
	struct wall_ms now = clock_wall(), at;
	uint64_t term;

	*expires_wall_ms = 0;
	if (text == NULL)
		return OK;
	if (clock_parse_duration(text, &term) != OK) {
		if (clock_parse(text, &at) != OK)
			return invalid(in, "--expires takes 90s, 30m, 2h, 7d or 4w, or a time as 2026-11-30T10:00:00Z");
		if (at.ms <= now.ms)
			return invalid(in, "--expires names a time that is over");
		term = at.ms - now.ms;
	}
	if (term == 0 || term > TERM_MAX_MS)
		return invalid(in, "--expires is from 1s to 3650d; without it a grant lasts until it is revoked");
	*expires_wall_ms = now.ms + term;
	return OK;
}

static enum err
take_label(struct invocation *in, const char **label)
{
	const char *text = option_value(in, "--label");
	struct span s;
	size_t n = 0, len = 0;
	uint32_t point;

	*label = text != NULL ? text : "";
	s = (struct span){ (const uint8_t *)*label, strlen(*label) };
	for (size_t at = 0; at < s.len; at += len, n++)
		if ((len = utf8_take(s.p + at, s.len - at, &point)) == 0 || point < 0x20 || point == 0x7f)
			return invalid(in, "--label takes one line of UTF-8 text without control characters");
	return n <= LABEL_CHARACTERS && s.len <= LABEL_BYTES ? OK
	    : invalid(in, "--label takes at most 64 characters and 128 bytes");
}

static enum err
take_classes(struct invocation *in, uint8_t *classes)
{
	const char *word;
	enum key_class c;

	*classes = 0;
	for (size_t i = 0; (word = option_nth(in, "--only", i)) != NULL; i++) {
		if (!class_of_name(word, &c))
			return invalid(in, "--only takes ordinary, private, file or credential");
		*classes |= (uint8_t)(1u << c);
	}
	if (*classes == 0)
		*classes = (1u << CLASS__COUNT) - 1;
	return OK;
}

static enum err
take_wish(struct invocation *in, enum grant_type type, struct grant_wish *wish)
{
	enum err e;

	*wish = (struct grant_wish){ .type = type, .classes = 1u << CLASS_ORDINARY };
	if (type == GRANT_ORDINARY)
		wish->may_propose = option_given(in, "--allow-propose");
	else if ((e = take_classes(in, &wish->classes)) != OK)
		return e;
	if ((e = take_expiry(in, &wish->expires_wall_ms)) != OK || (e = take_label(in, &wish->label)) != OK)
		return e;
	if (option_given(in, "--preview") || option_given(in, file_option(type)))
		return OK;
	snprintf(in->detail, sizeof in->detail, "%s is missing", file_option(type));
	return ERR_USAGE;
}

/* A vault that was removed has its keys still, and a grant over it would read nothing. */
static enum err
take_vault(struct invocation *in, struct client *c, const char *text, struct uuid *vault)
{
	struct client_answer *a = NULL;
	const struct client_item *row;
	enum err e;

	if ((e = owner_vault(in, c, text, vault)) == OK)
		e = owner_find_vault(in, c, *vault, &a, &row);
	client_answer_free(&a);
	return e;
}

static enum err
take_vaults(struct invocation *in, struct client *c, struct wire_out *o)
{
	struct uuid vault;
	const char *text;
	enum err e;

	for (size_t i = 0; (text = option_nth(in, "--vault", i)) != NULL; i++) {
		if ((e = take_vault(in, c, text, &vault)) != OK)
			return e;
		for (size_t at = 0; at < o->len; at += UUID_LEN)
			if (memcmp(o->p + at, vault.b, UUID_LEN) == 0)
				return invalid(in, "a vault is named twice");
		wire_put_id(o, vault);
	}
	return o->failed ? invalid(in, "at most 64 vaults a grant") : OK;
}

/* The token is made here and never leaves but in the file: the daemon gets an id and a half of it. */
static enum err
mint(struct invocation *in, struct client *c, const struct key *token, const struct grant_wish *wish, struct uuid *grant)
{
	struct mint_ask_body ask = { .client_ask = client_next_ask(c), .vaults = wish->vaults,
		.expires_wall_ms = wish->expires_wall_ms, .grant_type = (uint8_t)wish->type, .classes = wish->classes,
		.may_propose = wish->may_propose, .label = { (const uint8_t *)wish->label, strlen(wish->label) } };
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
publish(struct invocation *in, struct client *c, const char *path, const struct key *token,
    const struct grant_wish *wish, struct uuid grant)
{
	struct revoke_ask_body revoke = { .grant_type = (uint8_t)wish->type, .grant = grant };
	char origin[LOG_ORIGIN_MAX + 1], log_key[LOG_KEY_TEXT_MAX + 1];
	struct client_file f = { .type = wish->type, .library = client_welcome(c)->library, .grant = grant,
		.home = in->home->path, .log_key = log_key, .may_propose = wish->may_propose };
	struct wire_in ids = wire_in(wish->vaults.p, wish->vaults.len);
	union any_body answer;
	enum err e;

	log_key_origin(f.library, origin);
	log_key_text(origin, client_welcome(c)->log_public, log_key);
	log_key[strcspn(log_key, "\n")] = '\0';
	while (wish->type == GRANT_ORDINARY && ids.len > 0 && f.n_vaults < CLIENT_VAULTS_MAX)
		f.vaults[f.n_vaults++] = wire_take_id(&ids);
	if ((e = key_of(token->b, &f.token)) == OK)
		e = client_file_publish(path, &f);
	key_free(&f.token);
	if (e == OK)
		return OK;
	if (client_call(c, MSG_REVOKE_ASK, &revoke, MSG_DONE, &answer) != OK) {
		explain(in, err_text(e));
		return ERR_REVOKE_FAILED;
	}
	if (e == ERR_CLIENT_FILE_UNSAFE)
		explain(in, "its folder must be there, be yours, and be closed to others: mkdir -m 700");
	return e;
}

static enum err
print_minted(const struct invocation *in, struct uuid grant, const struct grant_wish *wish, const char *path)
{
	bool ordinary = wish->type == GRANT_ORDINARY;
	struct json_writer w = { 0 };
	char text[UUID_TEXT_LEN + 1];

	if (!in->json) {
		uuid_text(grant, text);
		return print_line("grant %s\n%s file %s\n", text, ordinary ? "grant" : "client", path);
	}
	json_write_object(&w);
	json_member_id(&w, "grant", grant);
	json_member_text(&w, ordinary ? "grant_file" : "client_file", path);
	grant_write_ids(&w, "vaults", wish->vaults);
	json_member_time(&w, "expires_at", (struct wall_ms){ wish->expires_wall_ms });
	json_write_end(&w);
	return print_json(&w);
}

static enum err
mint_file(struct invocation *in, struct client *c, const struct grant_wish *wish)
{
	struct key *token = NULL;
	struct uuid grant;
	char *path = NULL;
	enum err e;

	if ((e = home_absolute(in->home, option_value(in, file_option(wish->type)), &path)) == OK &&
	    (e = key_random(&token)) == OK && (e = mint(in, c, token, wish, &grant)) == OK &&
	    (e = publish(in, c, path, token, wish, grant)) == OK)
		e = print_minted(in, grant, wish, path);
	key_free(&token);
	free(path);
	return e;
}

enum err
grant_mint(struct invocation *in, enum grant_type type)
{
	uint8_t buf[CLIENT_VAULTS_MAX * UUID_LEN];
	struct wire_out vaults = wire_out(buf, sizeof buf);
	struct client *c = NULL;
	struct grant_wish wish;
	enum err e;

	if ((e = take_wish(in, type, &wish)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK && (e = take_vaults(in, c, &vaults)) == OK) {
		wish.vaults = wire_written(&vaults);
		e = option_given(in, "--preview") ? grant_preview(in, c, &wish) : mint_file(in, c, &wish);
	}
	client_close(&c);
	return e;
}

enum err
run_unattended_mint(struct invocation *in)
{
	return grant_mint(in, GRANT_UNATTENDED);
}

enum err
run_grant_mint(struct invocation *in)
{
	return grant_mint(in, GRANT_ORDINARY);
}
