/*
 * channels: the keyring's table of what it shares with openers, so that X25519
 * is paid once an opener and not once an ask. Bounded; the one that was used
 * longest ago goes.
 */
#ifndef ACTORS_CHANNELS_H
#define ACTORS_CHANNELS_H

#include "escrow/channel.h"

#define CHANNELS_MAX 128

struct channels;

enum err channels_new(struct channels **out);
void     channels_free(struct channels **c);

/*
 * The channel with that opener; borrowed until the next call.
 * ERR_INVALID_ARGUMENT: a key of low order. ERR_NO_MEMORY.
 */
enum err channels_find(struct channels *c, const struct key_pair *boot,
    const uint8_t opener_public[CHANNEL_PUBLIC_LEN], const struct channel **out);

#endif
