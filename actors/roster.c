#include "actors/audit.h"
#include "actors/custody.h"
#include "actors/grants.h"
#include "actors/http_gateway.h"
#include "actors/keyring.h"
#include "actors/mcp_gateway.h"
#include "actors/profile.h"
#include "actors/roster.h"
#include "actors/search.h"
#include "actors/vault.h"

const struct roster roster_default = {
	.name = "default",
	.n_processes = 6,
	.processes = {
		{ "keyring", SANDBOX_KEYRING, { &keyring_actor } },
		{ "audit", SANDBOX_AUDIT, { &audit_actor } },
		{ "search", SANDBOX_SEARCH, { &search_actor } },
		{ "profile", SANDBOX_PROFILE, { &profile_actor } },
		{ "http", SANDBOX_HTTP, { &http_gateway_actor } },
		{ "core", SANDBOX_NONE, { &vault_actor, &grants_actor, &custody_actor, &mcp_gateway_actor } },
	},
};

const struct roster roster_one_process = {
	.name = "one process",
	.n_processes = 1,
	.processes = {
		{ "core", SANDBOX_NONE, { &audit_actor, &keyring_actor, &vault_actor, &grants_actor,
		    &custody_actor, &mcp_gateway_actor, &search_actor, &profile_actor, &http_gateway_actor } },
	},
};

size_t
roster_process_of(const struct roster *r, enum actor a)
{
	for (size_t p = 0; p < r->n_processes; p++)
		for (size_t i = 0; r->processes[p].actors[i] != NULL; i++)
			if (r->processes[p].actors[i]->id == a)
				return p;
	return r->n_processes;
}

bool
roster_edge(size_t i, enum actor *a, enum actor *b)
{
	for (unsigned x = ACTOR_GATE; x < ACTOR__COUNT; x++)
		for (unsigned y = x + 1; y < ACTOR__COUNT; y++)
			if (actors_joined((enum actor)x, (enum actor)y) && i-- == 0) {
				*a = (enum actor)x;
				*b = (enum actor)y;
				return true;
			}
	return false;
}
