/*
 * head: how far the log reaches, as it travels between audit, vault and grants.
 */
#ifndef ACTORS_HEAD_H
#define ACTORS_HEAD_H

#include "mailbox/protocol.h"
#include "store/log_head.h"

/* A head that no commit of a database has taken along is kept by one of its own, so often at most. */
#define HEAD_KEEP_MS 30000

struct head_body head_to_body(const struct log_head *h);
struct log_head  head_from_body(const struct head_body *b);

#endif
