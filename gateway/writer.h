/*
 * writer: seals a new revision here, in the owner's process, and hands the
 * daemon sealed pieces only. Content is taken in a stream of any length, cut
 * into chunks of CHUNK_LEN, in constant memory.
 */
#ifndef GATEWAY_WRITER_H
#define GATEWAY_WRITER_H

#include "gateway/client.h"

#define TITLE_LEN_MAX 1024u
#define META_LEN_MAX  4096u
#define NAME_LEN_MAX  256u

struct writer;

/*
 * Asks for the keys of a new revision; asset is zero for a new one.
 * Errors as client_ask.
 */
enum err writer_open(struct client *c, struct uuid vault, struct uuid asset, enum kind kind,
    bool is_private, struct writer **out);

/* Takes the next bytes of the content. ERR_TOO_LARGE: past the limit of the kind. */
enum err writer_add(struct writer *w, const void *p, size_t len);

/*
 * Publishes the revision with this title (at most TITLE_LEN_MAX bytes) and
 * meta (META_LEN_MAX). On an error nothing of it will ever be seen; after
 * ERR_TIMEOUT and ERR_INTERRUPTED it may have been published all the same.
 */
enum err writer_publish(struct writer *w, struct span title, struct span meta,
    struct uuid *asset, struct uuid *revision);

/* Without a publish, what was stored is discarded. */
void writer_close(struct writer **w);

/* Makes a vault of that name, 1 .. NAME_LEN_MAX bytes. */
enum err writer_make_vault(struct client *c, struct span name, struct uuid *vault);

#endif
