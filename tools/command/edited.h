/*
 * edited: what an asset will hold, made from what it holds and from what its
 * owner gave: a file, an edited draft, or a title and tags alone.
 */
#ifndef TOOLS_COMMAND_EDITED_H
#define TOOLS_COMMAND_EDITED_H

#include "gateway/draft_text.h"
#include "tools/command/credential.h"
#include "tools/command/revision.h"
#include "tools/command/source.h"

struct edited {
	struct secret     *raw;         /* owned; what was read of a file, which a credential's content is */
	struct credential_fields fields; /* owned; of a credential */
	struct json       *old;         /* owned; the old Content JSON or meta, which labels point into */
	struct draft       draft;       /* owned */
	struct secret     *card_title;  /* owned */
	struct json_writer content;     /* owned; of a memory or card */
	struct json_writer meta;        /* owned */
	struct span        title;       /* borrowed from the others */
};

/* What stands there now. */
struct edited_base {
	const struct revision *revision;
	const struct secret   *content;  /* of a memory or card */
};

/* True when --title, --tag, --media-type or a field of a credential is given. */
bool edited_has_labels(const struct invocation *in);

/*
 * The content comes from a source, but of a file, whose bytes stay with the source. Labels that are not given
 * stay, but those that a card has inside itself. ERR_INVALID_ARGUMENT, ERR_INVALID_CONTENT, ERR_TOO_LARGE,
 * ERR_SUDO_REQUIRED: the meta of a credential would be lost.
 */
enum err edited_from_source(struct invocation *in, const struct edited_base *base, const struct source *s, struct edited *out);

/* Labels alone. Errors as before. */
enum err edited_relabelled(struct invocation *in, const struct edited_base *base, struct edited *out);

/* From an edited draft, which must outlive it. ERR_INVALID_CONTENT: reason says why, for people. */
enum err edited_from_draft(const struct edited_base *base, struct span text, char reason[DRAFT_REASON_MAX], struct edited *out);

/* True when a memory or card would be what it is. */
bool edited_is_same(const struct edited *ed, const struct edited_base *base);

void edited_free(struct edited *ed);

#endif
