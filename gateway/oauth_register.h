/*
 * oauth_register: dynamic client registration. Nothing is stored: the answer's
 * client_id says it all. Source: RFC 7591.
 */
#ifndef GATEWAY_OAUTH_REGISTER_H
#define GATEWAY_OAUTH_REGISTER_H

#include "gateway/json_write.h"
#include "gateway/oauth_client.h"

#define OAUTH_REGISTER_BODY_MAX ((size_t)16 << 10)

enum oauth_registered {
	OAUTH_REGISTERED,
	OAUTH_BAD_METADATA, /* invalid_client_metadata */
	OAUTH_BAD_REDIRECT, /* invalid_redirect_uri */
};

/*
 * Reads a request and writes the answer's body: the client's metadata as they
 * are kept, never null and never "", or {"error","error_description"}.
 *
 * Members that we do not know, or do not keep, are passed over. Of redirect
 * URIs those that are acceptable are kept; OAUTH_BAD_REDIRECT: none is.
 *
 * now_s  seconds since 1970
 */
enum oauth_registered oauth_register(struct span body, const struct key *key, uint64_t now_s, struct json_writer *w);

#endif
