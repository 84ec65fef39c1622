/* profile_proposal: what a connection proposes, as the owner sees it. */
#ifndef TOOLS_COMMAND_PROFILE_PROPOSAL_H
#define TOOLS_COMMAND_PROFILE_PROPOSAL_H

#include "tools/command/profile.h"
#include "tools/command/shown.h"

#define PROPOSER_MAX 321

/* How the proposal's connection calls itself; "" where that is not known. */
void profile_proposal_who(struct invocation *in, struct client *c, const struct json *row, char out[PROPOSER_MAX]);

/* For people: old beside new, hidden characters by their numbers. f: what the owner makes of it; NULL: as it was proposed. */
void profile_proposal_show(const struct json *row, const char *who, const struct fact_form *f, struct shown *out);

/* As it came, with "client" and "hidden_characters" beside it. */
void profile_proposal_json(struct json_writer *w, struct span raw, const struct json *row, const char *who);

#endif
