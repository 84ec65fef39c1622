/*
 * oauth_metadata: the documents under /.well-known/: what the resource and the
 * authorization server are. Sources: RFC 9728, RFC 8414.
 */
#ifndef GATEWAY_OAUTH_METADATA_H
#define GATEWAY_OAUTH_METADATA_H

#include "gateway/json_write.h"

enum oauth_document {
	OAUTH_NO_DOCUMENT,
	OAUTH_RESOURCE, /* RFC 9728 */
	OAUTH_SERVER,   /* RFC 8414 */
};

/* Which of them stands under a path: both have aliases, for clients look in many places. */
enum oauth_document oauth_document_at(struct span path);

/* origin: without a slash at its end. The same bytes under every path. */
void oauth_metadata_write(struct json_writer *w, enum oauth_document what, const char *origin);

#endif
