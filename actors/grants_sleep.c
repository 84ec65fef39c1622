/*
 * What the process that watches for sleep says: whether it can, and that the
 * machine is about to. The lock that follows is the one that comes by itself.
 */
#include "actors/grants_state.h"

enum sleep_word
grants_sleep_word(const struct grants *g)
{
	return clock_mono().ms < g->sleep_told.ms + SLEEP_STALE_MS ? g->sleep_word : SLEEP_UNKNOWN;
}

static enum err
lock_first(struct grants *g, const struct inbound *in, struct outbox *out)
{
	struct command *c;
	enum err e;

	sudo_end_all(&g->sudo);
	if (!g->unlocked)
		return grants_done(out, in->ask_id, NOTHING_MADE);
	if ((e = grants_begin(in, g, &in->body->sleep.peer, out, &c)) != OK || c == NULL)
		return e;
	return grants_lock_begin(g, in->ask_id, true, out);
}

enum err
grants_on_sleep(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	unsigned word = in->body->sleep.word;

	if (word == SLEEP_COMES)
		return lock_first(g, in, out);
	if (word == SLEEP_UNKNOWN || word > SLEEP_COMES)
		return grants_refuse(out, in->ask_id, ERR_INVALID_ARGUMENT);
	g->sleep_word = (enum sleep_word)word;
	g->sleep_told = clock_mono();
	return grants_done(out, in->ask_id, NOTHING_MADE);
}
