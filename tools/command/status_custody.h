/*
 * status_custody: what `status` says of the custody of the unattended key:
 * who keeps it, against what that protects, and against what not.
 */
#ifndef TOOLS_COMMAND_STATUS_CUSTODY_H
#define TOOLS_COMMAND_STATUS_CUSTODY_H

#include "gateway/json_write.h"
#include "mailbox/protocol.h"

/* The member "custody" of an open object: null while nothing is enrolled. */
void status_custody_json(struct json_writer *w, const struct state_body *s);

/* The same for people, where something is enrolled. */
void status_custody_text(const struct state_body *s);

#endif
