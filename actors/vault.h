/*
 * vault: keeps vaults, assets, revisions and sealed chunks, and gives them out
 * as they lie on disk. It holds no key.
 *
 * Owns    the LMDB environment vault/.
 * Hears   RECORD_WANTED from grants; CHUNK_WANTED, PUBLISH_WANTED, NAME_WANTED,
 *         DISCARD_WANTED from the gate; VAULT_HEAD from audit;
 *         INDEX_PAGE_WANTED from search.
 * Says    DEPOSIT to the gate, and to keyring KEYS_WANTED for exactly the
 *         pieces in it; KEPT to the gate once a write is durable; to audit
 *         VAULT_ANCHOR, the head of the log that its commits keep.
 *         INDEX_PAGE, sealed, to search, and ASSET_CHANGED after the commit.
 * Fails   a failed commit ends its process; what was acknowledged is there.
 */
#ifndef ACTORS_VAULT_H
#define ACTORS_VAULT_H

#include "mailbox/actor.h"

extern const struct actor_spec vault_actor;

#endif
