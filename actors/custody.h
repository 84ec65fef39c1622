/*
 * custody: talks with the backend that holds the unattended key's material.
 *
 * Owns    nothing but the talk: the backend is named in every message.
 * Hears   MATERIAL_STORE from keyring; MATERIAL_WANTED, MATERIAL_REMOVE from grants.
 * Says    MATERIAL, boxed, to keyring; results to grants.
 * Fails   the unattended key is not loaded; nothing falls back to anything else.
 */
#ifndef ACTORS_CUSTODY_H
#define ACTORS_CUSTODY_H

#include "mailbox/actor.h"

extern const struct actor_spec custody_actor;

#endif
