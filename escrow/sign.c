#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "escrow/sign.h"

/* The longest message that is signed with a label: a commit frame, a certificate. */
#define LABELLED_MAX 1024

struct signer {
	struct key *secret; /* 64 bytes: seed and public key, as libsodium wants them */
	uint8_t     public_key[SIGN_PUBLIC_LEN];
};

_Static_assert(crypto_sign_SECRETKEYBYTES == sizeof(struct key), "an Ed25519 key fills a slot");

static enum err
signer_alloc(struct signer **out)
{
	struct signer *s = calloc(1, sizeof *s);

	if (s == NULL)
		return ERR_NO_MEMORY;
	if (key_new(&s->secret) != OK) {
		free(s);
		return ERR_NO_MEMORY;
	}
	*out = s;
	return OK;
}

enum err
signer_new(struct signer **out)
{
	enum err e = signer_alloc(out);

	if (e == OK)
		crypto_sign_keypair((*out)->public_key, (*out)->secret->b);
	return e;
}

enum err
signer_of_seed(const struct key *seed, struct signer **out)
{
	enum err e = signer_alloc(out);

	if (e == OK)
		crypto_sign_seed_keypair((*out)->public_key, (*out)->secret->b, seed->b);
	return e;
}

void
signer_seed(const struct signer *s, struct key *seed)
{
	crypto_sign_ed25519_sk_to_seed(seed->b, s->secret->b);
}

const uint8_t *
signer_public(const struct signer *s)
{
	return s->public_key;
}

void
signer_free(struct signer **s)
{
	if (*s == NULL)
		return;
	key_free(&(*s)->secret);
	free(*s);
	*s = NULL;
}

/* Label, zero byte, message. 0 when it does not fit. */
static size_t
labelled(const char *label, struct span message, uint8_t out[LABELLED_MAX])
{
	size_t label_len = strlen(label) + 1;

	if (label_len > LABELLED_MAX || message.len > LABELLED_MAX - label_len)
		return 0;
	memcpy(out, label, label_len);
	if (message.len > 0)
		memcpy(out + label_len, message.p, message.len);
	return label_len + message.len;
}

void
signer_sign_raw(const struct signer *s, struct span message, uint8_t out[SIGNATURE_LEN])
{
	crypto_sign_detached(out, NULL, message.p, message.len, s->secret->b);
}

void
signer_sign(const struct signer *s, const char *label, struct span message,
    uint8_t out[SIGNATURE_LEN])
{
	uint8_t text[LABELLED_MAX];
	size_t len = labelled(label, message, text);

	if (len == 0)
		abort(); /* every labelled message has a fixed length below the limit */
	signer_sign_raw(s, (struct span){ text, len }, out);
}

bool
signature_valid_raw(const uint8_t public_key[SIGN_PUBLIC_LEN], struct span message,
    const uint8_t signature[SIGNATURE_LEN])
{
	return crypto_sign_verify_detached(signature, message.p, message.len, public_key) == 0;
}

bool
signature_valid(const uint8_t public_key[SIGN_PUBLIC_LEN], const char *label,
    struct span message, const uint8_t signature[SIGNATURE_LEN])
{
	uint8_t text[LABELLED_MAX];
	size_t len = labelled(label, message, text);

	return len > 0 && signature_valid_raw(public_key, (struct span){ text, len }, signature);
}
