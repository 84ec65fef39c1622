/* How far the log reached: told to audit when it comes up, and kept with what grants writes. */
#include <string.h>

#include "actors/grants_state.h"

/* A head that no commit has taken along is kept by one of its own, so often at most. */
#define ANCHOR_MS 30000

void
grants_anchor_tell(const struct grants *g, struct outbox *out)
{
	struct log_head anchor = grants_db_anchor(g->db);
	struct head_body b = { .repairs = anchor.repairs, .size = anchor.size };

	memcpy(b.root, anchor.root, sizeof b.root);
	(void)outbox_put(out, MSG_GRANTS_ANCHOR, 0, &b);
}

/* One that cannot be kept now goes with a later commit. */
void
grants_anchor_tick(struct grants *g, struct mono_ms now)
{
	if (now.ms < g->anchored.ms + ANCHOR_MS)
		return;
	g->anchored = now;
	(void)grants_db_keep_anchor(g->db);
}

enum err
grants_on_head(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct head_body *b = &in->body->head;
	struct log_head head = { .repairs = b->repairs, .size = b->size };

	(void)out;
	memcpy(head.root, b->root, sizeof head.root);
	grants_db_note_head(g->db, &head);
	return OK;
}
