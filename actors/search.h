/*
 * search: finds ordinary memories and cards by what they say.
 *
 * Owns    the index, in memory, and the ordinary class keys it is built with;
 *         both while the library is unlocked and no longer.
 * Hears   SEARCH_SCOPE, INDEX_DENIED, INDEX_DROP from grants; SEARCH_BOOT,
 *         INDEX_REFUSED, QUERY from keyring; INDEX_ACK, INDEX_NOT_KEPT from
 *         audit; INDEX_PAGE, ASSET_CHANGED from the vault.
 * Says    INDEX_ASK, INDEX_DROPPED to grants; INDEX_PAGE_WANTED to the vault;
 *         FOUND, sealed, QUERY_REFUSED, SEARCH_STATE to the gate;
 *         FOUND_KEY_WANTED to keyring: what was found, for the record that
 *         comes before it can be opened.
 * Fails   reads and locks go on without it; a new one builds the index anew.
 *         When grants, keyring or vault are lost it forgets what it holds.
 *
 * Of an asset in conflict the index holds its first head, as a list shows it.
 */
#ifndef ACTORS_SEARCH_H
#define ACTORS_SEARCH_H

#include "mailbox/actor.h"

/* What SEARCH_STATE says. */
enum search_phase {
	SEARCH_OFF,     /* locked */
	SEARCH_WARMING, /* a vault is not built yet */
	SEARCH_READY,
};

extern const struct actor_spec search_actor;

#endif
