/* proposal: what an assistant proposes, held here for its owner. */
#ifndef TOOLS_COMMAND_PROPOSAL_H
#define TOOLS_COMMAND_PROPOSAL_H

#include "gateway/draft_text.h"
#include "gateway/json.h"
#include "tools/command/revision.h"
#include "tools/command/shown.h"

enum proposed {
	PROPOSED_ADD,
	PROPOSED_UPDATE,
	PROPOSED_REMOVE,
};

struct proposal_held {
	struct revision_row row;      /* of the revision that it would be; its id is the proposal's */
	struct uuid         grant;
	struct secret      *title;    /* owned, as all below */
	struct json        *meta;
	struct span         reason;   /* points into meta; may be empty */
	struct secret      *content;  /* Content JSON; NULL of a removal */

	/* What it would change, as it is now; nothing of an addition. */
	bool                is_there;
	struct heads        heads;
	struct revision     old;      /* the one head */
	struct secret      *old_content;
};

enum proposed proposal_what(const struct revision_row *row);

/* As its id has it, which is the keyring's; what the row says is the proposer's word. */
struct wall_ms proposal_time(const struct revision_row *row);

/* "add", "update", "remove". */
const char *proposal_word(enum proposed p);

/*
 * Goes through what waits, in the order of vaults and ids.
 *
 * vault  NULL: of all vaults
 * take   for each, its title and meta; false ends it
 *
 * Errors as owner_ask.
 */
enum err proposal_walk(struct invocation *in, struct client *c, const struct uuid *vault,
    bool (*take)(void *arg, const struct client_item *title, const struct client_item *meta), void *arg);

/*
 * Finds it, with its content and what it would change. ERR_NOT_FOUND.
 * ERR_INVALID_CONTENT: its content is not what a kind of that name holds.
 * Errors as owner_ask, client_read.
 */
enum err proposal_read(struct invocation *in, struct client *c, struct uuid id, struct proposal_held *out);
void     proposal_free(struct proposal_held *p);

/* True when what it would change has changed since it was made. */
bool proposal_is_stale(const struct proposal_held *p);

/* The title and reason of a row of client_item; *meta is new and holds reason. */
struct span proposal_reason(const struct client_item *item, struct json **meta);

/* Old and new beside each other, for people; or as JSON on stdout. */
enum err proposal_show(const struct proposal_held *p, struct shown *out);
enum err proposal_show_json(const struct proposal_held *p);

/* Content JSON out of a text as it is shown and edited. New. ERR_INVALID_CONTENT: reason says why. */
enum err proposal_take_text(enum kind kind, struct span text, char reason[DRAFT_REASON_MAX], struct secret **out);

/*
 * Lets the owner change the content. ERR_INVALID_CONTENT: it was left in a wrong
 * form. ERR_NOT_CONFIRMED: nothing was left in the file. Errors of draft_file, editor.
 */
enum err proposal_edit(struct invocation *in, struct proposal_held *p);

#endif
