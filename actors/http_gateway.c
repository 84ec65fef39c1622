#include <stdlib.h>

#include "actors/http_gateway.h"

struct http_gateway {
	bool serves;
};

static void
http_gateway_stop(void *self)
{
	free(self);
}

static enum err
http_gateway_start(const struct actor_context *context, void **self)
{
	(void)context;
	*self = calloc(1, sizeof(struct http_gateway));
	return *self == NULL ? ERR_NO_MEMORY : OK;
}

const struct actor_spec http_gateway_actor = {
	.id = ACTOR_HTTP,
	.start = http_gateway_start,
	.stop = http_gateway_stop,
};
