/* chain_actors: the five actors of chain.h. */
#ifndef TESTS_SUPPORT_CHAIN_ACTORS_H
#define TESTS_SUPPORT_CHAIN_ACTORS_H

#include "mailbox/actor.h"

#define CHAIN_N_ACTORS 5

extern const struct actor_spec *const chain_actors[CHAIN_N_ACTORS];

#endif
