/* How far the log reached: told to audit when it comes up, and kept with what grants writes. */
#include "actors/grants_state.h"
#include "actors/head.h"
#include "mailbox/host.h"

void
grants_anchor_tell(const struct grants *g, struct outbox *out)
{
	struct log_head anchor = grants_db_anchor(g->db);
	struct head_body b = head_to_body(&anchor);

	(void)outbox_put(out, MSG_GRANTS_ANCHOR, 0, &b);
}

/*
 * One for which there is no room goes with a later commit. After a failed
 * commit the environment refuses everything: a new process reads it anew.
 */
void
grants_anchor_tick(struct grants *g, struct mono_ms now)
{
	if (now.ms < g->anchored.ms + HEAD_KEEP_MS)
		return;
	g->anchored = now;
	if (grants_db_keep_anchor(g->db) == ERR_STORAGE_FAILED)
		host_fail(ERR_STORAGE_FAILED);
}

enum err
grants_on_head(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct log_head head = head_from_body(&in->body->head);

	grants_db_note_head(g->db, &head);
	return grants_events_again(g, out);
}
