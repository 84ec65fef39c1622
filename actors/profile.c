#include <stdlib.h>

#include "actors/profile.h"

struct profile {
	bool is_open;
};

static void
profile_stop(void *self)
{
	free(self);
}

static enum err
profile_start(const struct actor_context *context, void **self)
{
	(void)context;
	*self = calloc(1, sizeof(struct profile));
	return *self == NULL ? ERR_NO_MEMORY : OK;
}

const struct actor_spec profile_actor = {
	.id = ACTOR_PROFILE,
	.start = profile_start,
	.stop = profile_stop,
	.blocks = true,
};
