/* vault_state: the vault actor's own state, shared by the files that hold its handlers and by nobody else. */
#ifndef ACTORS_VAULT_STATE_H
#define ACTORS_VAULT_STATE_H

#include "actors/collect.h"
#include "actors/index_page.h"
#include "mailbox/actor.h"

#define GROUP_MAX 256

#define UPLOADS_MAX 256 /* that are watched */

struct upload {
	struct uuid    revision; /* zero: free */
	struct mono_ms used;
};

struct vault {
	struct vault_db   *db;         /* owned */
	struct collection *collection; /* owned; reused from ask to ask */
	struct index_page *page;       /* owned; likewise, for search */
	uint64_t           group[GROUP_MAX]; /* writes that wait for the commit */
	size_t             n_group;
	struct asset_changed_body changed[GROUP_MAX]; /* by the group: search is told once it is committed */
	size_t             n_changed;
	bool               search_up;
	struct upload      uploads[UPLOADS_MAX]; /* staged, not published; what does not fit is swept at the next start */
	size_t             n_pieces;   /* read since memory was given back */
	struct mono_ms     anchored;   /* when the log's head was last kept for itself */
	bool               keyring_up; /* its edge: without it no deposit can ever be opened */
	enum err           failure;    /* of the disk; the process ends at the next tick */
	bool               busy;       /* something was read or written since the last tick */
	bool               rested;     /* and nothing since the one before: memory was given back */
};

/* Refuses an ask; with a ruling, as that of somebody who had a right to ask. */
enum err vault_refuse(const struct inbound *in, const struct ruling_body *ruling, enum err why, const char *detail,
    struct outbox *out);

/* Makes the group durable and answers each of its writes. */
enum err vault_commit_group(struct vault *v, struct outbox *out);

/* vault_writes.c */
enum err vault_on_chunk_wanted(void *self, const struct inbound *in, struct outbox *out);
enum err vault_on_publish_wanted(void *self, const struct inbound *in, struct outbox *out);
enum err vault_on_name_wanted(void *self, const struct inbound *in, struct outbox *out);
enum err vault_on_discard_wanted(void *self, const struct inbound *in, struct outbox *out);
enum err vault_on_proposal_wanted(void *self, const struct inbound *in, struct outbox *out);
enum err vault_on_proposal_drop(void *self, const struct inbound *in, struct outbox *out);
enum err vault_on_vault_remove(void *self, const struct inbound *in, struct outbox *out);

/* Discards what a writer left behind without a word. */
void vault_drop_idle_uploads(struct vault *v, struct mono_ms now);

#endif
