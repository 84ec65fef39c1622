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

/* A new revision, and what it stands on. */
struct writer_want {
	struct uuid       vault;
	struct uuid       asset;         /* zero: a new one, without parents */
	struct wall_ms    asset_created; /* of one that is there, as its rows have it */
	enum kind         kind;
	bool              is_private;    /* as the asset is, if there is one */
	bool              deleted;       /* a tombstone: it takes no content */
	enum publish_mode mode;
	size_t            n_parents;     /* at most REVISION_PARENTS_MAX */
	struct uuid       parents[REVISION_PARENTS_MAX];
	struct uuid       proposal;      /* that this revision settles; zero: none */
	const struct key *token;         /* of an ordinary grant, which can only propose; NULL: the owner writes. Borrowed for the call */
};

/* Asks for the keys of a new revision. Errors as client_ask. */
enum err writer_open(struct client *c, const struct writer_want *want, struct writer **out);

/* Takes the next bytes of the content. ERR_TOO_LARGE: past the limit of the kind. ERR_INVALID_ARGUMENT: a tombstone. */
enum err writer_add(struct writer *w, const void *p, size_t len);

/*
 * Publishes the revision with this title (at most TITLE_LEN_MAX bytes) and
 * meta (META_LEN_MAX). Opened with a token it is filed as a proposal, whose id
 * is the revision's: without parents it adds the asset, as a tombstone it
 * removes it, else it edits it, and its parents are heads. On an error nothing of it will ever be seen; after
 * ERR_TIMEOUT and ERR_INTERRUPTED it may have been published all the same.
 * ERR_STALE_BASE: the parents are no longer what the mode wants.
 * ERR_NOT_FOUND: the proposal that it settles waits no more.
 * ERR_TOO_MANY_PROPOSALS: of this grant wait already.
 */
enum err writer_publish(struct writer *w, struct span title, struct span meta,
    struct uuid *asset, struct uuid *revision);

/* The place in the log of the record that brought its keys. */
uint64_t writer_index(const struct writer *w);

/* Without a publish, what was stored is discarded. */
void writer_close(struct writer **w);

/* Makes a vault of that name, 1 .. NAME_LEN_MAX bytes. */
enum err writer_make_vault(struct client *c, struct span name, struct uuid *vault);

/* Gives a vault another name. ERR_NOT_FOUND, ERR_VAULT_NOT_ACTIVE. */
enum err writer_rename_vault(struct client *c, struct uuid vault, struct span name);

#endif
