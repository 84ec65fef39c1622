#include <string.h>

#include "gateway/web_throttle.h"

#define FORGET_MS 3600000u

/* Failures that cost nothing, and the longest delay. */
#define PEER_FREE   5
#define PEER_MAX_MS 900000u
#define ALL_FREE    20
#define ALL_MAX_MS  60000u

/* Tries that are counted apart. */
struct table {
	struct web_tries *at;
	size_t            n;
	uint8_t           who[SHA256_LEN];
};

static struct table
table_of(struct web_throttle *t, const struct web_who *who)
{
	struct table own = { t->peers, WEB_THROTTLE_PEERS, { 0 } };

	if (who->is_known) {
		own.at = t->known;
		own.n = WEB_THROTTLE_KNOWN;
		sha256(who->known, sizeof who->known, own.who);
	} else
		sha256(who->peer.p, who->peer.len, own.who);
	return own;
}

static uint64_t
wait_of(const struct web_tries *e, unsigned free_tries, uint64_t max_ms, struct mono_ms now)
{
	uint64_t delay, since = now.ms - e->last.ms;
	unsigned over;

	if (e->n < free_tries || since >= FORGET_MS)
		return 0;
	over = e->n - free_tries;
	delay = over > 20 ? max_ms : (uint64_t)1000 << over;
	if (delay > max_ms)
		delay = max_ms;
	return since >= delay ? 0 : delay - since;
}

/* NULL: it has not tried. */
static struct web_tries *
find(const struct table *own)
{
	for (size_t i = 0; i < own->n; i++)
		if (own->at[i].n > 0 && memcmp(own->at[i].who, own->who, SHA256_LEN) == 0)
			return &own->at[i];
	return NULL;
}

uint64_t
web_throttle_wait(struct web_throttle *t, const struct web_who *who, struct mono_ms now)
{
	struct table table = table_of(t, who);
	const struct web_tries *e = find(&table);
	uint64_t own = e == NULL ? 0 : wait_of(e, PEER_FREE, PEER_MAX_MS, now);
	uint64_t all = who->is_known ? 0 : wait_of(&t->all, ALL_FREE, ALL_MAX_MS, now);

	return own > all ? own : all;
}

/* Its entry, or that of whoever tried longest ago. */
static struct web_tries *
take(const struct table *own)
{
	struct web_tries *e = find(own);

	if (e != NULL)
		return e;
	e = &own->at[0];
	for (size_t i = 1; i < own->n && e->n > 0; i++)
		if (own->at[i].n == 0 || own->at[i].last.ms < e->last.ms)
			e = &own->at[i];
	e->n = 0;
	memcpy(e->who, own->who, SHA256_LEN);
	return e;
}

static void
count(struct web_tries *e, struct mono_ms now)
{
	if (now.ms - e->last.ms >= FORGET_MS)
		e->n = 0;
	e->n++;
	e->last = now;
}

void
web_throttle_tried(struct web_throttle *t, const struct web_who *who, struct mono_ms now)
{
	struct table own = table_of(t, who);

	count(take(&own), now);
	if (!who->is_known)
		count(&t->all, now);
}

void
web_throttle_passed(struct web_throttle *t, const struct web_who *who)
{
	struct table own = table_of(t, who);
	struct web_tries *e = find(&own);

	if (e != NULL)
		e->n = 0;
	if (!who->is_known && t->all.n > 0)
		t->all.n--;
}
