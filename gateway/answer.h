/* answer: what the answers of all our surfaces write alike. */
#ifndef GATEWAY_ANSWER_H
#define GATEWAY_ANSWER_H

#include "gateway/client.h"
#include "gateway/json_write.h"
#include "mailbox/clock.h"

/* A member with a time, RFC 3339. */

/* The members of an asset's row from `revision` to `conflict`: the revision is null under one. */
void answer_head(struct json_writer *w, const struct client_item *item);

/* "heads":[…] */
void answer_heads(struct json_writer *w, const struct client_item *item);

/* "audit":{"index":…,"log":…}: where in the library's log the delivery stands. */
void answer_audit(struct json_writer *w, uint64_t index, struct uuid library);

#endif
