/*
 * profile: the facts that its owner keeps for remote assistants, what of them
 * is shared with whom, and what was proposed.
 *
 * Owns    profile/ LMDB, everything in it sealed under the profile key; that
 *         key and all facts, in memory, while it is open.
 * Holds   no vault's key, no token.
 */
#ifndef ACTORS_PROFILE_H
#define ACTORS_PROFILE_H

#include "mailbox/actor.h"

extern const struct actor_spec profile_actor;

#endif
