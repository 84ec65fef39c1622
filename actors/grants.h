/*
 * grants: rules on every ask, and keeps what the rulings rest on.
 *
 * Owns    the LMDB environment grants/: envelopes, wrapped keys, grants, token
 *         hashes, enrolment; the ban file; sudo tickets, in memory only.
 * Hears   the owner's commands and RULING_WANTED from the gate; results from
 *         keyring, custody and audit; INDEX_ASK from search.
 * Says    RECORD_WANTED to vault, with a ruling that only the keyring can check;
 *         refusals and results to the gate; what happened to audit.
 *         to search which vaults there are, and that the index is to go.
 * Fails   closed: without it no ask gets a ruling.
 */
#ifndef ACTORS_GRANTS_H
#define ACTORS_GRANTS_H

#include "mailbox/actor.h"

extern const struct actor_spec grants_actor;

#endif
