#include <string.h>

#include "actors/sudo.h"

static bool
same_terminal(const struct peer_body *a, const struct peer_body *b)
{
	return a->uid == b->uid && a->session == b->session && a->terminal == b->terminal &&
	    a->leader_start == b->leader_start;
}

enum err
sudo_give(struct sudo *s, const struct peer_body *peer, struct mono_ms now)
{
	size_t at = 0;

	if (peer->terminal == 0 || peer->session == 0)
		return ERR_TERMINAL_REQUIRED;
	sudo_end(s, peer);
	for (size_t i = 1; i < SUDO_TICKETS_MAX; i++)
		if (s->tickets[i].until.ms < s->tickets[at].until.ms)
			at = i;
	s->tickets[at].peer = *peer;
	s->tickets[at].until.ms = now.ms + SUDO_MS;
	return OK;
}

bool
sudo_has(const struct sudo *s, const struct peer_body *peer, struct mono_ms now)
{
	for (size_t i = 0; i < SUDO_TICKETS_MAX; i++)
		if (now.ms < s->tickets[i].until.ms && same_terminal(&s->tickets[i].peer, peer))
			return true;
	return false;
}

void
sudo_end(struct sudo *s, const struct peer_body *peer)
{
	for (size_t i = 0; i < SUDO_TICKETS_MAX; i++)
		if (same_terminal(&s->tickets[i].peer, peer))
			memset(&s->tickets[i], 0, sizeof s->tickets[i]);
}

void
sudo_end_all(struct sudo *s)
{
	memset(s, 0, sizeof *s);
}
