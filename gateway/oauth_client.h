/*
 * oauth_client: who a client says it is. A client id carries its client's
 * metadata and a MAC over them, so nothing is stored for a client that no
 * owner has let in, and an id never goes stale while the profile has its key:
 *
 *   "mc1." base64url({"n":name,"r":[redirects],"t":seconds}) "." base64url(MAC)
 *
 * A few ids that are URLs of known clients' own metadata (RFC 7591 and the
 * draft of client id metadata documents) are known here, with what those
 * documents say; nothing is ever fetched.
 */
#ifndef GATEWAY_OAUTH_CLIENT_H
#define GATEWAY_OAUTH_CLIENT_H

#include "escrow/hash.h"
#include "gateway/oauth_redirect.h"

#define OAUTH_CLIENT_ID_MAX    1536
#define OAUTH_NAME_CHARS_MAX   80
#define OAUTH_NAME_MAX         (4 * OAUTH_NAME_CHARS_MAX)
#define OAUTH_REDIRECTS_MAX    10
#define OAUTH_CLIENT_TEXT_MAX  2304

struct oauth_client {
	struct span name;       /* len 0: it gave none. Attacker's text, of visible characters only */
	struct span redirects[OAUTH_REDIRECTS_MAX];
	size_t      n_redirects;
	uint64_t    issued_s;   /* seconds since 1970; 0 for one that is known here */
	bool        is_known;   /* from the table of known ids */
	uint8_t     hash[SHA256_LEN]; /* of the id */

	/* What name and redirects point into; the struct is not copied. */
	uint8_t     text[OAUTH_CLIENT_TEXT_MAX];
	size_t      text_len;
};

/* The key of the MAC, from the profile's web key. */
void oauth_client_key(const struct key *web, struct key *out);

/* Empties it. Then name and redirects are added; false: it does not fit. */
void oauth_client_start(struct oauth_client *c);
bool oauth_client_set_name(struct oauth_client *c, struct span name);
bool oauth_client_add_redirect(struct oauth_client *c, struct span uri);

/*
 * The id of a client that was put together; sets its hash. Returns its length,
 * and a NUL follows; 0: it would be longer than OAUTH_CLIENT_ID_MAX.
 */
size_t oauth_client_write(struct oauth_client *c, const struct key *key, char out[OAUTH_CLIENT_ID_MAX + 1]);

/* False for an id that was not made under this key and is not known. */
bool oauth_client_read(struct span id, const struct key *key, struct oauth_client *out);

/* The registered redirect URI that a request's matches; p NULL: none does. */
struct span oauth_client_redirect(const struct oauth_client *c, struct span given);

/*
 * A name as it may be kept and shown: controls, marks of direction and what
 * has no width are left out, blanks around it too, and what is past
 * OAUTH_NAME_CHARS_MAX characters. Returns its length; text is UTF-8.
 */
size_t oauth_client_name(struct span text, uint8_t out[OAUTH_NAME_MAX]);

#endif
