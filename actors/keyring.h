/*
 * keyring: holds every key while it is loaded, and gives out exactly the chunk
 * keys that a ruling covers, sealed to the opener, to the audit actor alone.
 *
 * Owns    the boot key pair; what the password opened (root key, log key);
 *         what custody gave (unattended key, delegate). All in memory only.
 * Hears   KEYS_WANTED from vault; KEK_TRY, KEYS_DROP, GRANT_DROP, ENROL,
 *         VAULT_KEYS_WANTED, GRANT_KEYS_WANTED from grants; MATERIAL from
 *         custody; EPOCH from audit; INDEX_WANTED, QUERY_WANTED from grants;
 *         FOUND_KEY_WANTED from search.
 * Says    AUDIT_INTENT, INDEX_INTENT to audit, written from what it really
 *         releases; QUERY, SEARCH_BOOT to search; refusals
 *         to the gate; sealed keys to grants; boxed material to custody.
 * Fails   locked: when its process dies every key is gone, and the daemon is
 *         locked until a password or a key-only start.
 */
#ifndef ACTORS_KEYRING_H
#define ACTORS_KEYRING_H

#include "mailbox/actor.h"

extern const struct actor_spec keyring_actor;

#endif
