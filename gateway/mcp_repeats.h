/*
 * mcp_repeats: which calls a connection keeps repeating in vain. A tool that
 * has failed three times in a row with the same arguments is blocked until its
 * arguments change. Of each connection and tool the last arguments are kept,
 * as a hash; calls of other tools in between change nothing.
 *
 * Only failures of the call itself count: what it names is not there, does not
 * fit, or was changed. One that failed because the profile was locked or busy
 * may be tried again for ever. Memory only: a restart forgets.
 */
#ifndef GATEWAY_MCP_REPEATS_H
#define GATEWAY_MCP_REPEATS_H

#include "gateway/profile_tools.h"

#define MCP_REPEATS_MAX         256 /* connections; past it the one that was quiet longest is forgotten */
#define MCP_REPEATS_IN_A_ROW_MAX 3

struct mcp_repeats;

enum err mcp_repeats_new(struct mcp_repeats **out); /* ERR_NO_MEMORY */
void     mcp_repeats_free(struct mcp_repeats **r);

/* It is ERR_REPEATED_FAILURE, and is not to be asked. */
bool mcp_repeats_blocked(const struct mcp_repeats *r, struct uuid connection, const struct profile_ask *ask);

/* What came of it. */
void mcp_repeats_note(struct mcp_repeats *r, struct uuid connection, const struct profile_ask *ask, enum err outcome);

/* The connection has ended or has other rights: what failed may not fail any more. */
void mcp_repeats_forget(struct mcp_repeats *r, struct uuid connection);

#endif
