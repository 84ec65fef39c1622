/* A new password, and `passwd`, which seals the library's key under one. */
#include <stdlib.h>
#include <string.h>

#include "escrow/binding.h"
#include "escrow/random.h"
#include "escrow/seal.h"
#include "escrow/terminal.h"
#include "tools/command/command.h"

enum err
new_password_at(struct invocation *in, const char *prompt, const char *repeat, struct secret **out)
{
	struct secret *first = NULL, *second = NULL;
	enum err e;

	if ((e = terminal_password(prompt, &first)) == OK && secret_len(first) == 0)
		e = invalid(in, "the password is empty");
	if (e == OK && (e = terminal_password(repeat, &second)) == OK &&
	    (secret_len(first) != secret_len(second) ||
	    !same_bytes(secret_view(first), secret_view(second), secret_len(first))))
		e = ERR_PASSWORD_MISMATCH;
	secret_free(&second);
	if (e != OK)
		secret_free(&first);
	else
		*out = first;
	return e;
}

enum err
new_password(struct invocation *in, struct secret **out)
{
	return new_password_at(in, PROMPT_PASSWORD, PROMPT_REPEAT_PASSWORD, out);
}

struct password_terms
new_password_terms(void)
{
	bool test = getenv("MEMORIES_TEST_KDF") != NULL;
	struct password_terms terms = {
		.passes = test ? PASSWORD_PASSES_TEST : PASSWORD_PASSES_DEFAULT,
		.memory_kib = test ? PASSWORD_MEMORY_KIB_TEST : PASSWORD_MEMORY_KIB_DEFAULT,
	};

	random_bytes(terms.salt, sizeof terms.salt);
	return terms;
}

static enum err
offer_password(struct invocation *in, struct client *c, const struct secret *password)
{
	struct passwd_offer_body offer = { .client_ask = client_next_ask(c) };
	struct password_terms terms = new_password_terms();
	uint8_t buf[BINDING_MAX];
	union any_body answer;
	struct key *kek = NULL;
	enum err e;

	offer.kdf = (struct kdf_body){ .passes = terms.passes, .memory_kib = terms.memory_kib };
	memcpy(offer.kdf.salt, terms.salt, sizeof offer.kdf.salt);
	memcpy(offer.opener, client_opener(c), sizeof offer.opener);
	if ((e = key_new(&kek)) == OK && (e = password_kek(password, &terms, kek)) == OK) {
		key_seal(client_channel(c)->up, passwd_binding(&offer, buf), kek, offer.boxed_kek);
		e = owner_call(in, c, MSG_PASSWD_ASK, &offer, MSG_DONE, &answer);
	}
	key_free(&kek);
	return e;
}

/* Refuses before it asks for anything: who may list the devices may change the password. */
static enum err
may_manage(struct invocation *in, struct client *c)
{
	union any_body answer;
	enum err e = client_certified(c);

	return e != OK ? e : owner_call(in, c, MSG_DEVICE_ASK, &(struct owner_ask_body){ { 0 } }, MSG_DEVICE, &answer);
}

enum err
run_passwd(struct invocation *in)
{
	struct secret *password = NULL;
	struct client *c = NULL;
	enum err e;

	if ((e = owner_open(in, &c)) == OK && (e = may_manage(in, c)) == OK && (e = new_password(in, &password)) == OK)
		e = offer_password(in, c, password);
	secret_free(&password);
	client_close(&c);
	return e == OK ? print_done(in) : e;
}
