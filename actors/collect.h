/*
 * collect: what a ruling's ask finds in the vault: the sealed pieces for the
 * deposit, and the same pieces named for the keyring, in the same order.
 */
#ifndef ACTORS_COLLECT_H
#define ACTORS_COLLECT_H

#include "mailbox/protocol.h"
#include "store/vault_db.h"

struct collection {
	struct deposit_body     deposit;
	struct keys_wanted_body wanted; /* ruling, refs, revision and length */
	struct wire_out items;          /* what deposit.items and wanted.refs point at */
	struct wire_out refs;
	char            detail[1024];   /* with ERR_REVISION_REQUIRED: the heads */
};

/* Room for the largest deposit and its refs; reused from ask to ask. ERR_NO_MEMORY. */
enum err collection_new(struct collection **out);
void     collection_free(struct collection **c);

/*
 * Answers the ask of the ruling. The content errors of docs/errors.md, with
 * nothing in the collection that may be used.
 */
enum err collect(struct vault_db *db, const struct ruling_body *ruling, struct collection *c);

#endif
