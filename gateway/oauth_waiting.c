#include <stdlib.h>

#include "escrow/random.h"
#include "gateway/oauth_waiting.h"
#include "gateway/span.h"
#include "mailbox/base64.h"

static void
end_at(struct oauth_waitings *w, size_t i)
{
	struct oauth_waiting *one = w->at[i];

	if (one == NULL)
		return;
	wipe(one, sizeof *one + one->name.len + one->redirect.len + one->redirect_registered.len + one->state.len);
	free(one);
	w->at[i] = NULL;
}

/* What is looked for among those that wait; OAUTH_WAITING_MAX: there is none. */
struct places {
	size_t n, n_peer;                 /* of the kind, and of its address */
	size_t free_place, oldest, of_peer, of_all;
};

static size_t
older(const struct oauth_waitings *w, size_t a, size_t b)
{
	return b == OAUTH_WAITING_MAX || w->at[a]->since.ms < w->at[b]->since.ms ? a : b;
}

static struct places
look(const struct oauth_waitings *w, const uint8_t peer[SHA256_LEN], bool is_owners)
{
	struct places p = { 0, 0, OAUTH_WAITING_MAX, OAUTH_WAITING_MAX, OAUTH_WAITING_MAX, OAUTH_WAITING_MAX };

	for (size_t i = 0; i < OAUTH_WAITING_MAX; i++) {
		if (w->at[i] == NULL) {
			p.free_place = i;
			continue;
		}
		p.of_all = older(w, i, p.of_all);
		if (w->at[i]->is_owners != is_owners)
			continue;
		p.n++;
		p.oldest = older(w, i, p.oldest);
		if (memcmp(w->at[i]->peer, peer, SHA256_LEN) != 0)
			continue;
		p.n_peer++;
		p.of_peer = older(w, i, p.of_peer);
	}
	return p;
}

/* Where the next one goes: a free place, or that of the oldest of its kind, of its address when that has too many. */
static size_t
place_for(const struct oauth_waitings *w, const uint8_t peer[SHA256_LEN], bool is_owners)
{
	struct places p = look(w, peer, is_owners);
	size_t room = is_owners ? OAUTH_WAITING_OWN : OAUTH_WAITING_MAX - OAUTH_WAITING_OWN;

	if (p.n_peer >= OAUTH_WAITING_PEER)
		return p.of_peer;
	if (p.n < room && p.free_place < OAUTH_WAITING_MAX)
		return p.free_place;
	return p.oldest < OAUTH_WAITING_MAX ? p.oldest : p.of_all;
}

static struct span
keep(uint8_t **to, struct span text)
{
	struct span kept = { text.p == NULL ? NULL : *to, text.len };

	if (text.len > 0)
		memcpy(*to, text.p, text.len);
	*to += text.len;
	return kept;
}

static struct oauth_waiting *
copy(const struct oauth_request *r)
{
	struct oauth_waiting *one = calloc(1, sizeof *one + r->client.name.len + r->redirect.len +
	    r->redirect_registered.len + r->state.len);
	uint8_t *to = (uint8_t *)(one + 1);

	if (one == NULL)
		return NULL;
	memcpy(one->client, r->client.hash, SHA256_LEN);
	memcpy(one->challenge, r->challenge, SHA256_LEN);
	one->client_is_known = r->client.is_known;
	one->error = r->error;
	one->scopes = r->scopes;
	one->name = keep(&to, r->client.name);
	one->redirect = keep(&to, r->redirect);
	one->redirect_registered = keep(&to, r->redirect_registered);
	one->state = keep(&to, r->state);
	return one;
}

enum err
oauth_waiting_add(struct oauth_waitings *w, const struct oauth_request *r, const uint8_t browser[SHA256_LEN],
    struct span peer, bool is_owners, struct mono_ms now, struct oauth_waiting **out)
{
	struct oauth_waiting *one = copy(r);
	uint8_t id[OAUTH_TX_BYTES];
	size_t place;

	if (one == NULL)
		return ERR_NO_MEMORY;
	random_bytes(id, sizeof id);
	base64_encode((struct span){ id, sizeof id }, one->tx);
	sha256(peer.p, peer.len, one->peer);
	memcpy(one->browser, browser, SHA256_LEN);
	one->since = now;
	one->is_owners = is_owners;
	place = place_for(w, one->peer, is_owners);
	end_at(w, place);
	w->at[place] = one;
	*out = one;
	return OK;
}

struct oauth_waiting *
oauth_waiting_find(struct oauth_waitings *w, struct span tx, const uint8_t browser[SHA256_LEN], struct mono_ms now)
{
	for (size_t i = 0; i < OAUTH_WAITING_MAX; i++) {
		if (w->at[i] == NULL || tx.len != OAUTH_TX_LEN || !same_bytes(tx.p, w->at[i]->tx, OAUTH_TX_LEN))
			continue;
		if (now.ms - w->at[i]->since.ms >= OAUTH_WAITING_MS) {
			end_at(w, i);
			return NULL;
		}
		return same_bytes(w->at[i]->browser, browser, SHA256_LEN) ? w->at[i] : NULL;
	}
	return NULL;
}

void
oauth_waiting_logged_in(struct oauth_waiting *one, const uint8_t browser[SHA256_LEN])
{
	memcpy(one->browser, browser, SHA256_LEN);
	one->is_owners = one->is_logged_in = true;
}

void
oauth_waiting_end(struct oauth_waitings *w, struct oauth_waiting *one)
{
	for (size_t i = 0; i < OAUTH_WAITING_MAX; i++)
		if (w->at[i] == one)
			end_at(w, i);
}

void
oauth_waiting_end_all(struct oauth_waitings *w)
{
	for (size_t i = 0; i < OAUTH_WAITING_MAX; i++)
		end_at(w, i);
}
