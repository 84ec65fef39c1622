/*
 * audit: writes down every delivery before it happens, and only then passes
 * the ticket on.
 *
 * Owns    the directory audit/ and the key of the running epoch.
 * Hears   AUDIT_INTENT, INDEX_INTENT from keyring; LIBRARY, EVENT, EVENT_KEEP, USAGE_WANTED
 *         from grants; REFUSAL_NOTED, LOG_STATE_WANTED from the gate;
 *         EPOCH_CERTIFIED, CHECKPOINT_SIGNED from keyring; VAULT_ANCHOR,
 *         GRANTS_ANCHOR; CHECKPOINT_DUE, CHECKPOINT_ALLOWED, REPAIR_ALLOWED
 *         from grants.
 * Says    AUDIT_ACK to the gate, for every intent of a group after one sync, and
 *         INDEX_ACK to search;
 *         EPOCH to keyring; LOG_BAN, EVENT_KEPT to grants; VAULT_HEAD,
 *         GRANTS_HEAD: how far the log reaches; CHECKPOINT_WANTED to keyring,
 *         CHECKPOINT_OVER to grants, CHECKPOINT_MADE, REPAIR_OVER to the gate.
 * Fails   closed: when the log cannot be written it acks nothing, and its
 *         process ends; a new one recovers, or says why it cannot. A log that
 *         is not the one that vault and grants knew is closed.
 */
#ifndef ACTORS_AUDIT_H
#define ACTORS_AUDIT_H

#include "mailbox/actor.h"

extern const struct actor_spec audit_actor;

#endif
