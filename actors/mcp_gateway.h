/*
 * mcp_gateway: the local front door: CLI commands and stdio bridges. It passes
 * asks on with what it knows of the asker, and pairs deposit and ack into an
 * answer that only the asker can open.
 *
 * Owns    the asks in flight; the listener of service.sock is the mailbox's.
 * Hears   every row from CLIENT; results, deposits and refusals from the other
 *         actors; acks from audit.
 * Says    each ask's one end to its client.
 * Fails   open asks end with an error when what they wait for is lost, and at
 *         their deadline in any case.
 */
#ifndef ACTORS_MCP_GATEWAY_H
#define ACTORS_MCP_GATEWAY_H

#include "mailbox/actor.h"

extern const struct actor_spec mcp_gateway_actor;

#endif
