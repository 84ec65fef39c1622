/*
 * edit_session: a memory or card in its owner's editor, until it is stored or
 * given up. What was written is lost only by the owner's own word: where it
 * cannot be stored and nobody can be asked, it stays in its private folder, and
 * the error says where.
 */
#ifndef TOOLS_COMMAND_EDIT_SESSION_H
#define TOOLS_COMMAND_EDIT_SESSION_H

#include "tools/command/edited.h"

struct edit {
	struct invocation *in;
	struct client     *client;  /* owned; closed while the editor runs */
	struct uuid        vault, asset;
	struct revision    base;    /* owned; what is edited */
	struct secret     *content; /* owned; of a memory or card */
	bool               beside;  /* the base is one head of several, or none any more */
	struct uuid        made;    /* the revision, once there is one */
	bool               same;    /* nothing was changed, so none was made */
};

/* Makes the revision of what is edited, unless it is the same. Errors as change_publish. */
enum err edit_store(struct edit *e, const struct edited *ed, const struct source *s);

/*
 * Opens the editor, and again while what was written has not its form.
 * ERR_NOT_CONFIRMED: the owner dropped it, or left nothing in the file.
 * ERR_INVALID_CONTENT: it was left in a wrong form, or came back in it twice. What editor_run and edit_store say.
 */
enum err edit_session_run(struct edit *e);

#endif
