/*
 * oauth_scope: the scopes of a request, as bits (1 << enum scope). Source:
 * RFC 6749, 3.3.
 */
#ifndef GATEWAY_OAUTH_SCOPE_H
#define GATEWAY_OAUTH_SCOPE_H

#include "mailbox/wire.h"
#include "mailbox/words.h"

#define OAUTH_SCOPES_DEFAULT (1u << SCOPE_READ) /* when a client names none; what the metadata list */
#define OAUTH_SCOPES_OFFER   SCOPES_ALL         /* what the challenge of a first 401 names */

#define OAUTH_SCOPE_TEXT_MAX 80

/* Those of a list that we know. Others are dropped: clients send some that only other servers know. */
uint8_t oauth_scope_bits(struct span text);

/*
 * What an authorization request asks for: as the list says, or the default
 * when it is absent or leaves nothing. SCOPE_SEARCH falls without SCOPE_READ.
 */
uint8_t oauth_scope_wanted(struct span text);

/* The names, with a blank between them, and a NUL. */
void oauth_scope_text(uint8_t scopes, char out[OAUTH_SCOPE_TEXT_MAX + 1]);

#endif
