/* change: a further revision of an asset that is there. */
#ifndef TOOLS_COMMAND_CHANGE_H
#define TOOLS_COMMAND_CHANGE_H

#include "gateway/writer.h"
#include "tools/command/revision.h"
#include "tools/command/source.h"

struct change {
	const struct revision_row *like;   /* a revision of the asset: its vault, kind, class and creation */
	enum publish_mode          mode;
	size_t                     n_parents;
	struct uuid                parents[REVISION_PARENTS_MAX];
	bool                       deleted; /* a tombstone; else one of the three next is where its content comes from */
	struct span                content; /* p NULL: not here */
	const struct source       *source;
	const struct revision     *copied;
	struct span                title, meta;
};

/* All heads become parents. */
void change_stands_on(struct change *ch, const struct heads *heads);

/* Writes and publishes it. Errors as writer_open, writer_add, writer_publish, client_read. */
enum err change_publish(struct invocation *in, struct client *c, const struct change *ch, struct uuid *revision);

/* What the contract says of a command that made a revision; for people one of its ids alone. */
enum err change_print(const struct invocation *in, struct uuid vault, struct uuid asset, struct uuid revision,
    struct uuid for_people);

#endif
