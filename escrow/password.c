#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "escrow/password.h"

_Static_assert(PASSWORD_VERIFIER_MAX >= crypto_pwhash_STRBYTES, "a verifier is libsodium's text");
_Static_assert(PASSWORD_SALT_LEN == crypto_pwhash_argon2id_SALTBYTES, "the salt is libsodium's");

static bool
in_bounds(const struct password_terms *t)
{
	return t->passes >= 1 && t->passes <= PASSWORD_PASSES_MAX &&
	    t->memory_kib >= PASSWORD_MEMORY_KIB_MIN && t->memory_kib <= PASSWORD_MEMORY_KIB_MAX;
}

enum err
password_kek(const struct secret *password, const struct password_terms *terms, struct key *out)
{
	uint8_t derived[KEY_LEN];
	enum err e = ERR_NO_MEMORY;

	if (!in_bounds(terms))
		return ERR_INVALID_ARGUMENT;
	if (crypto_pwhash(derived, sizeof derived, (const char *)secret_view(password),
	        secret_len(password), terms->salt, terms->passes, (size_t)terms->memory_kib * 1024,
	        crypto_pwhash_ALG_ARGON2ID13) == 0) {
		memcpy(out->b, derived, sizeof derived);
		e = OK;
	}
	wipe(derived, sizeof derived);
	return e;
}

enum err
password_verifier(const struct secret *password, bool weak, char out[PASSWORD_VERIFIER_MAX])
{
	unsigned long long passes = weak ? PASSWORD_PASSES_TEST : crypto_pwhash_OPSLIMIT_INTERACTIVE;
	size_t memory = weak ? (size_t)PASSWORD_MEMORY_KIB_TEST * 1024 : crypto_pwhash_MEMLIMIT_INTERACTIVE;

	memset(out, 0, PASSWORD_VERIFIER_MAX);
	return crypto_pwhash_str_alg(out, (const char *)secret_view(password), secret_len(password), passes, memory,
	    crypto_pwhash_ALG_ARGON2ID13) == 0 ? OK : ERR_NO_MEMORY;
}

/* Bounds are read before anything is computed, since a verifier may come from disk. */
static bool
take_verifier(struct span v, char text[PASSWORD_VERIFIER_MAX])
{
	unsigned memory, passes;
	int end = 0;

	if (v.len == 0 || v.len >= PASSWORD_VERIFIER_MAX || memchr(v.p, 0, v.len) != NULL)
		return false;
	memset(text, 0, PASSWORD_VERIFIER_MAX);
	memcpy(text, v.p, v.len);
	return sscanf(text, "$argon2id$v=19$m=%7u,t=%3u,p=1$%n", &memory, &passes, &end) == 2 && end > 0 &&
	    memory >= PASSWORD_MEMORY_KIB_MIN && memory <= PASSWORD_VERIFIER_MEMORY_KIB_MAX && passes >= 1 &&
	    passes <= PASSWORD_VERIFIER_PASSES_MAX && crypto_pwhash_str_needs_rehash(text, passes, (size_t)memory * 1024) == 0;
}

bool
password_verifier_good(struct span verifier)
{
	char text[PASSWORD_VERIFIER_MAX];
	bool good = take_verifier(verifier, text);

	wipe(text, sizeof text);
	return good;
}

enum err
password_verify(const struct secret *password, struct span verifier)
{
	char text[PASSWORD_VERIFIER_MAX];
	enum err e = ERR_INVALID_CONTENT;

	if (take_verifier(verifier, text)) {
		errno = 0;
		e = crypto_pwhash_str_verify(text, (const char *)secret_view(password), secret_len(password)) == 0 ? OK
		    : errno == EINVAL ? ERR_WRONG_PASSWORD : ERR_NO_MEMORY;
	}
	wipe(text, sizeof text);
	return e;
}
