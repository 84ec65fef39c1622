/* The owner's connection to the daemon, and the password that opens it. */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "escrow/binding.h"
#include "escrow/deposit.h"
#include "escrow/password.h"
#include "escrow/seal.h"
#include "escrow/terminal.h"
#include "store/log_key.h"
#include "store/log_read.h"
#include "tools/command/command.h"

/*
 * The log's public key as the home has it. Where that is missing the daemon's
 * word must do: what is remembered of the log is held against it all the same.
 */
static enum err
trust_home(struct invocation *in, struct client *c)
{
	const struct welcome_body *welcome = client_welcome(c);
	uint8_t log_public[SIGN_PUBLIC_LEN];
	char origin[LOG_ORIGIN_MAX + 1], wanted[LOG_ORIGIN_MAX + 1];

	if (access(HOME_LOG_KEY, F_OK) != 0 && errno == ENOENT) {
		if (!welcome->initialized)
			return OK;
		client_remember(c);
		return client_trust(c, welcome->log_public);
	}
	if (log_key_read(HOME_LOG_KEY, origin, log_public) != OK) {
		snprintf(in->detail, sizeof in->detail, HOME_LOG_KEY " in the home is no key; once it is removed, the daemon, "
		    "which knows the key, writes it anew when it starts");
		return ERR_AUDIT_TAMPERED;
	}
	log_key_origin(welcome->library, wanted);
	if (strcmp(origin, wanted) != 0)
		return ERR_DAEMON_UNTRUSTED;
	client_remember(c);
	return client_trust(c, log_public);
}

enum err
owner_open(struct invocation *in, struct client **out)
{
	struct client *c = NULL;
	enum err e;

	if ((e = client_open(&c)) != OK)
		return e;
	if ((e = trust_home(in, c)) != OK) {
		client_close(&c);
		return e;
	}
	*out = c;
	return OK;
}

static void
keep_detail(struct invocation *in, const struct client *c)
{
	if (client_detail(c)[0] != '\0')
		explain(in, client_detail(c));
}

enum err
owner_call(struct invocation *in, struct client *c, enum msg type, const void *body, enum msg wanted,
    union any_body *answer)
{
	enum err e = client_call(c, type, body, wanted, answer);

	if (e != OK)
		keep_detail(in, c);
	return e;
}

enum err
owner_ask(struct invocation *in, struct client *c, const struct client_want *want, struct client_answer **out)
{
	enum err e = client_ask(c, want, out);

	if (e != OK)
		keep_detail(in, c);
	return e;
}

/* A vault that was removed has given its name free. */
static bool
has_name(const struct client_item *item, const char *text)
{
	return (item->flags & ITEM_INACTIVE) == 0 && secret_len(item->plain) == strlen(text) &&
	    memcmp(secret_view(item->plain), text, strlen(text)) == 0;
}

enum err
owner_vault(struct invocation *in, struct client *c, const char *text, struct uuid *out)
{
	struct client_want want = { .op = OP_VAULT_LIST, .surface = SURFACE_OWNER, .limit = 100 };
	struct client_answer *a = NULL;
	enum err e = ERR_NOT_FOUND;
	bool more = true;

	if (uuid_parse(text, out) == OK)
		return OK;
	while (more && e == ERR_NOT_FOUND) {
		if ((e = owner_ask(in, c, &want, &a)) != OK)
			return e;
		e = ERR_NOT_FOUND;
		for (size_t i = 0; i < a->n_items && e != OK; i++)
			if (has_name(&a->items[i], text)) {
				*out = a->items[i].ref.asset;
				e = OK;
			}
		more = a->more;
		want.offset += a->n_items;
		client_answer_free(&a);
	}
	if (e != OK)
		snprintf(in->detail, sizeof in->detail, "no vault has that id or name");
	return e;
}

enum err
owner_find_vault(struct invocation *in, struct client *c, struct uuid vault, struct client_answer **answer,
    const struct client_item **out)
{
	struct client_want want = { .op = OP_VAULT_LIST, .surface = SURFACE_OWNER, .limit = 100 };
	bool more = true;
	enum err e;

	while (more) {
		client_answer_free(answer);
		if ((e = owner_ask(in, c, &want, answer)) != OK)
			return e;
		for (size_t i = 0; i < (*answer)->n_items; i++)
			if (uuid_equal((*answer)->items[i].ref.asset, vault)) {
				*out = &(*answer)->items[i];
				return (*out)->flags & ITEM_INACTIVE ? ERR_VAULT_NOT_ACTIVE : OK;
			}
		more = (*answer)->more;
		want.offset += (*answer)->n_items;
	}
	return ERR_NOT_FOUND;
}

/* Asks for the password, makes the key that it gives, and boxes that to the keyring. */
static enum err
offer_kek(struct invocation *in, struct client *c, const char *prompt, bool load)
{
	struct kek_offer_body offer = { .client_ask = client_next_ask(c) };
	struct password_terms terms;
	struct secret *password = NULL;
	struct key *kek = NULL;
	uint8_t buf[BINDING_MAX];
	union any_body answer;
	enum err e;

	if ((e = owner_call(in, c, MSG_ENVELOPE_ASK, &(struct nothing_body){ 0 }, MSG_ENVELOPE, &answer)) != OK)
		return e;
	terms = (struct password_terms){ .passes = answer.kdf.passes, .memory_kib = answer.kdf.memory_kib };
	memcpy(terms.salt, answer.kdf.salt, sizeof terms.salt);
	if (client_channel(c) == NULL)
		return ERR_INTERRUPTED;
	/* Only an unlock has to believe the front door: what it opens is what could certify it. */
	if (!load && (e = client_certified(c)) != OK)
		return e;
	if ((e = terminal_password(prompt, &password)) == OK && (e = key_new(&kek)) == OK &&
	    (e = password_kek(password, &terms, kek)) == OK) {
		key_seal(client_channel(c)->up, kek_binding(offer.client_ask, load, buf), kek, offer.boxed_kek);
		memcpy(offer.opener, client_opener(c), sizeof offer.opener);
		e = owner_call(in, c, load ? MSG_UNLOCK_ASK : MSG_SUDO_ASK, &offer, MSG_DONE, &answer);
	}
	secret_free(&password);
	key_free(&kek);
	return e;
}

enum err
owner_unlock(struct invocation *in, struct client *c)
{
	enum err e = offer_kek(in, c, PROMPT_PASSWORD, true);

	/* Only now can the boot key be certified: who answers is checked again. */
	return e == OK ? client_greet(c) : e;
}

enum err
owner_sudo(struct invocation *in, struct client *c)
{
	return offer_kek(in, c, PROMPT_SUDO_PASSWORD, false);
}
