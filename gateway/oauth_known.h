/*
 * oauth_known: clients that publish their metadata under a URL which is their
 * id, and what is published there. They are taken when they come with it,
 * though the server's metadata do not invite them to (docs/decisions/0038).
 */
#ifndef GATEWAY_OAUTH_KNOWN_H
#define GATEWAY_OAUTH_KNOWN_H

#include "gateway/oauth_client.h"

/* Fills all but the hash. False: not one of them. */
bool oauth_known(struct span id, struct oauth_client *out);

#endif
