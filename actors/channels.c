#include <stdlib.h>
#include <string.h>

#include "actors/channels.h"

struct entry {
	uint8_t        opener[CHANNEL_PUBLIC_LEN];
	struct channel channel; /* up is NULL while the entry is empty */
	uint64_t       used;
};

struct channels {
	struct entry entries[CHANNELS_MAX];
	uint64_t     clock;
};

enum err
channels_new(struct channels **out)
{
	struct channels *c = calloc(1, sizeof *c);

	if (c == NULL)
		return ERR_NO_MEMORY;
	*out = c;
	return OK;
}

void
channels_free(struct channels **c)
{
	if (*c == NULL)
		return;
	for (size_t i = 0; i < CHANNELS_MAX; i++)
		channel_free(&(*c)->entries[i].channel);
	free(*c);
	*c = NULL;
}

enum err
channels_find(struct channels *c, const struct key_pair *boot,
    const uint8_t opener_public[CHANNEL_PUBLIC_LEN], const struct channel **out)
{
	struct entry *oldest = &c->entries[0];
	struct channel fresh;
	enum err e;

	for (struct entry *at = c->entries; at < c->entries + CHANNELS_MAX; at++) {
		if (at->channel.up != NULL && memcmp(at->opener, opener_public, sizeof at->opener) == 0) {
			at->used = ++c->clock;
			*out = &at->channel;
			return OK;
		}
		if (at->used < oldest->used)
			oldest = at;
	}
	if ((e = channel_of_boot(boot, opener_public, &fresh)) != OK)
		return e;
	channel_free(&oldest->channel);
	memcpy(oldest->opener, opener_public, sizeof oldest->opener);
	oldest->channel = fresh;
	oldest->used = ++c->clock;
	*out = &oldest->channel;
	return OK;
}
