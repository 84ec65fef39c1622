/*
 * http_gateway: the door for remote assistants: HTTP/1.1, the OAuth server and
 * its pages, MCP.
 *
 * Owns    the listener, connections, page sessions, and its own opener key.
 * Holds   tokens and codes as they pass through, and what is opened for an
 *         answer; no database, no root key, no signing key, never the
 *         library's password. It connects to nobody.
 */
#ifndef ACTORS_HTTP_GATEWAY_H
#define ACTORS_HTTP_GATEWAY_H

#include "mailbox/actor.h"

extern const struct actor_spec http_gateway_actor;

#endif
