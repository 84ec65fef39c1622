/*
 * profile: the facts that its owner keeps for remote assistants, what of them
 * is shared with whom, and what was proposed.
 *
 * Owns    profile/ LMDB, everything in it sealed under the profile key; that
 *         key's children and all facts, in memory, while it is open.
 * Holds   no vault's key, no token.
 * Hears   PROFILE_KEY, PROFILE_QUERY from keyring; PROFILE_DROP,
 *         CONNECTION_GONE from grants.
 * Says    PROFILE_OPENED, PROFILE_DROPPED to grants; WEB_KEYS to HTTP;
 *         PROFILE_FOUND, PROFILE_REFUSED to the gate and HTTP_FOUND,
 *         HTTP_QUERY_REFUSED to HTTP, by where the ask came in; and
 *         PROFILE_KEY_WANTED to keyring: what was found, for the record that
 *         comes before it can be opened.
 * Fails   asks of the profile end with its error; reads and locks go on
 *         without it. When grants or keyring are lost it forgets what it holds.
 *
 * A change is durable when its answer is sealed, before its record is. An
 * asker whose answer does not come has to look before it asks again.
 */
#ifndef ACTORS_PROFILE_H
#define ACTORS_PROFILE_H

#include "mailbox/actor.h"

extern const struct actor_spec profile_actor;

#endif
