/* A repair of the log is the owner's to allow, at a terminal with sudo. The rest is audit's. */
#include "actors/grants_state.h"

enum err
grants_on_repair(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct repair_ask_body *b = &in->body->repair_ask;
	enum err e = grants_check_sudo(g, &b->peer);

	if (e == OK && (!g->audit_up || !g->keyring_up))
		e = g->audit_up ? ERR_INTERRUPTED : ERR_AUDIT_UNAVAILABLE;
	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	return outbox_put(out, MSG_REPAIR_ALLOWED, in->ask_id,
	    &(struct repair_order_body){ .look = b->look, .subject = terminal_tag(&b->peer) });
}
