/*
 * oauth_token: the forms of /token and /revoke, checked, and what is answered.
 * Whether a code or token is good is for grants to say. Sources: OAuth 2.1,
 * 4.1.3, 4.3 and 3.2.4; RFC 7009; RFC 8707.
 */
#ifndef GATEWAY_OAUTH_TOKEN_H
#define GATEWAY_OAUTH_TOKEN_H

#include "gateway/json_write.h"
#include "gateway/oauth_client.h"
#include "gateway/oauth_form.h"
#include "gateway/oauth_hash.h"

#define OAUTH_TOKEN_BODY_MAX ((size_t)8 << 10)
#define OAUTH_ACCESS_S       600

enum oauth_token_error {
	OAUTH_TOKEN_OK,
	OAUTH_INVALID_REQUEST,
	OAUTH_INVALID_CLIENT,  /* 401; a client registers anew at it */
	OAUTH_INVALID_GRANT,
	OAUTH_INVALID_SCOPE,
	OAUTH_INVALID_TARGET,
	OAUTH_UNSUPPORTED_GRANT_TYPE,
	OAUTH_TOO_MANY,        /* 429 */
};

const char *oauth_token_error_name(enum oauth_token_error e);
int         oauth_token_error_status(enum oauth_token_error e);

enum oauth_grant {
	OAUTH_BY_CODE,
	OAUTH_BY_REFRESH,
};

/* What a form asks for: hashes only, as the messages to grants want them. */
struct oauth_token_request {
	enum oauth_grant grant;
	uint8_t client[SHA256_LEN];
	uint8_t shown[SHA256_LEN];          /* of the code or the refresh token */
	bool    has_redirect;
	uint8_t redirect[SHA256_LEN];
	uint8_t challenge[SHA256_LEN];      /* that the verifier has */
	uint8_t scopes;                     /* of a refresh; 0: as before */
};

/* In this order: form, client, grant type, what it is about. */
enum oauth_token_error oauth_token_check(const struct oauth_form *f, const char *origin, const struct key *key,
    struct oauth_token_request *out);

struct oauth_revoke_request {
	uint8_t client[SHA256_LEN];
	uint8_t token[SHA256_LEN];
	bool    is_nobodys; /* it has no token's form: there is nothing to ask */
};

enum oauth_token_error oauth_revoke_check(const struct oauth_form *f, const struct key *key,
    struct oauth_revoke_request *out);

/* The body of a success. */
void oauth_token_write(struct json_writer *w, const char *access, const char *refresh, uint8_t scopes,
    uint64_t access_s);

#endif
