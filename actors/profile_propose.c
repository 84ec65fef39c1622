/* What assistants propose, until the owner decides or its time is over. */
#include <string.h>

#include "actors/profile_state.h"
#include "escrow/random.h"

#define EXPIRED_AT_ONCE 256 /* in one change, which has a limit */

static void
drop_oldest_ended(struct profile *p, const struct profile_ended *among, size_t n)
{
	size_t oldest = 0;

	for (size_t i = 1; i < n; i++)
		if (among[i].ended.ms < among[oldest].ended.ms)
			oldest = i;
	profile_db_remove_ended(p->db, among[oldest].connection, among[oldest].same);
}

void
profile_end(struct profile *p, const struct profile_proposal *proposal, enum profile_end end)
{
	const struct profile_book *b = profile_db_book(p->db);
	struct profile_ended x = { .connection = proposal->connection, .proposal = proposal->proposal, .end = end,
		.ended = profile_db_now(p->db) };
	const struct profile_ended *before;
	size_t n;

	profile_db_same(p->db, proposal, x.same);
	before = profile_book_ended_of(b, proposal->connection, &n);
	if (n >= PROFILE_ENDED_OF_ONE_MAX)
		drop_oldest_ended(p, before, n);
	else if (b->n_ended >= PROFILE_ENDED_MAX)
		drop_oldest_ended(p, b->ended, b->n_ended);
	profile_db_put_ended(p->db, &x);
	profile_db_remove_proposal(p->db, x.proposal);
}

enum err
profile_expire(struct profile *p)
{
	const struct profile_book *b = profile_db_book(p->db);
	struct wall_ms now = profile_db_now(p->db);
	size_t n = 0;
	enum err e;

	for (size_t i = b->n_proposals; i-- > 0;) {
		if (b->proposals[i]->expires.ms > now.ms)
			continue;
		profile_end(p, b->proposals[i], PROFILE_EXPIRED);
		if (++n % EXPIRED_AT_ONCE == 0 && (e = profile_db_commit(p->db)) != OK)
			return e;
	}
	return profile_db_commit(p->db);
}

/* The fact that it is about, as the connection sees it. */
static enum err
take_target(struct profile *p, const struct profile_asking *a, struct profile_proposal *out)
{
	const struct profile_book *b = profile_db_book(p->db);
	const struct profile_fact *f = profile_book_fact(b, a->request.id);

	if (f == NULL || !profile_fact_visible(b, f, a->connection, a->ruling->categories))
		return ERR_NOT_FOUND;
	out->target = f->fact;
	out->target_revision = f->revision;
	if ((a->request.has & PROFILE_HAS_CATEGORY) == 0)
		out->category = f->category;
	return OK;
}

/* The proposal that is asked for, if it may be made. */
static enum err
take(struct profile *p, const struct profile_asking *a, struct profile_proposal *out)
{
	const struct profile_request *r = &a->request;
	struct profile_fact words = { .label = r->label, .value = r->value, .evidence = r->evidence };
	enum err e;

	*out = (struct profile_proposal){ .connection = a->connection, .op = r->op, .category = r->category, .label = r->label,
		.value = r->value, .evidence = r->evidence };
	if (r->op != PROFILE_ADD && (e = take_target(p, a, out)) != OK)
		return e;
	if ((1u << out->category & CATEGORIES_SHAREABLE & a->ruling->categories) == 0)
		return ERR_NOT_SHAREABLE;
	return profile_is_sensitive(&words) ? ERR_SENSITIVE_CONTENT : OK;
}

/* One of that connection that waits and wants the same. */
static const struct profile_proposal *
find_same(struct profile *p, const struct profile_proposal *wanted, const uint8_t same[PROFILE_SAME_LEN], size_t *n_of_it)
{
	const struct profile_book *b = profile_db_book(p->db);
	const struct profile_proposal *found = NULL;
	uint8_t other[PROFILE_SAME_LEN];

	*n_of_it = 0;
	for (size_t i = 0; i < b->n_proposals; i++) {
		if (!uuid_equal(b->proposals[i]->connection, wanted->connection))
			continue;
		++*n_of_it;
		profile_db_same(p->db, b->proposals[i], other);
		if (memcmp(same, other, sizeof other) == 0)
			found = b->proposals[i];
	}
	return found;
}

static enum err
keep(struct profile *p, struct profile_proposal *wanted)
{
	struct wall_ms now = clock_wall();

	wanted->proposal = uuid_make(now);
	wanted->created = now;
	wanted->expires.ms = profile_db_now(p->db).ms + PROFILE_PROPOSAL_MS;
	profile_db_put_proposal(p->db, wanted);
	return profile_db_commit(p->db);
}

enum err
profile_do_propose(struct profile *p, struct profile_asking *a)
{
	const struct profile_book *b = profile_db_book(p->db);
	const struct profile_proposal *before;
	uint8_t same[PROFILE_SAME_LEN];
	struct profile_proposal wanted;
	size_t n_of_it;
	enum err e;

	if ((e = profile_expire(p)) != OK || (e = take(p, a, &wanted)) != OK)
		return e;
	profile_db_same(p->db, &wanted, same);
	if ((before = find_same(p, &wanted, same, &n_of_it)) != NULL) {
		profile_pending_write(before->proposal, &a->w);
		return OK;
	}
	if (profile_book_ended(b, a->connection, same) != NULL)
		return ERR_CONFLICT;
	if (n_of_it >= PROFILE_PENDING_OF_ONE_MAX || b->n_proposals >= PROFILE_PENDING_MAX)
		return ERR_PROFILE_FULL;
	if ((e = keep(p, &wanted)) == OK)
		profile_pending_write(wanted.proposal, &a->w);
	return e;
}
