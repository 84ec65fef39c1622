#include <sodium.h>
#include <string.h>

#include "escrow/password.h"

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
