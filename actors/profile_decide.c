/* What the owner says to a proposal. Whatever it says, the same proposal is not made again. */
#include "actors/profile_state.h"

static enum err
say(struct profile *p, struct profile_asking *a, struct uuid proposal, const struct profile_fact *f)
{
	enum err e = profile_db_commit(p->db);

	if (e != OK)
		return e;
	json_write_object(&a->w);
	json_member_id(&a->w, "proposal", proposal);
	json_write_key(&a->w, "fact");
	if (f != NULL) {
		json_write_id(&a->w, f->fact);
		a->shown.rows[a->shown.n++] = (struct profile_ref){ f->fact, f->revision };
	} else {
		json_write_null(&a->w);
	}
	json_write_end(&a->w);
	return OK;
}

/* Why there is none: it was decided, or its time is over; or there never was one. */
static enum err
why_none(const struct profile_book *b, struct uuid proposal)
{
	for (size_t i = 0; i < b->n_ended; i++)
		if (uuid_equal(b->ended[i].proposal, proposal))
			return ERR_CONFLICT;
	return ERR_NOT_FOUND;
}

/* The fact as it will be: the target with the proposal's words, which the owner may have changed. */
static enum err
make_fact(struct profile *p, const struct profile_asking *a, const struct profile_proposal *q, struct profile_fact *f)
{
	const struct profile_request *r = &a->request;
	const struct profile_fact *target;

	*f = (struct profile_fact){ .evidence = q->evidence };
	if (q->op != PROFILE_ADD) {
		target = profile_book_fact(profile_db_book(p->db), q->target);
		/* What was proposed for the fact as it was says nothing of the fact as it is. */
		if (target == NULL || target->archived || !uuid_equal(target->revision, q->target_revision))
			return ERR_CONFLICT;
		*f = *target;
	}
	if (q->op == PROFILE_ARCHIVE)
		return OK;
	f->category = (r->has & PROFILE_HAS_CATEGORY) != 0 ? r->category : q->category;
	f->label = (r->has & PROFILE_HAS_LABEL) != 0 ? r->label : q->label;
	f->value = (r->has & PROFILE_HAS_VALUE) != 0 ? r->value : q->value;
	if (q->evidence.len > 0)
		f->evidence = q->evidence;
	return OK;
}

static enum err
confirm(struct profile *p, struct profile_asking *a, const struct profile_proposal *q)
{
	struct uuid proposal = q->proposal;
	struct profile_fact f;
	enum err e;

	if (a->request.what == PROFILE_PROPOSAL_EDIT && q->op == PROFILE_ARCHIVE)
		return ERR_INVALID_ARGUMENT;
	if ((e = make_fact(p, a, q, &f)) != OK)
		return e;
	if (q->op == PROFILE_ADD && (e = profile_put_new(p, &f)) != OK)
		return e;
	if (q->op == PROFILE_UPDATE)
		profile_put_version(p, &f);
	if (q->op == PROFILE_ARCHIVE)
		profile_put_archived(p, &f);
	profile_end(p, q, PROFILE_CONFIRMED);
	return say(p, a, proposal, &f);
}

enum err
profile_do_decide(struct profile *p, struct profile_asking *a)
{
	const struct profile_proposal *q;
	enum err e;

	if ((e = profile_expire(p)) != OK)
		return e;
	if ((q = profile_book_proposal(profile_db_book(p->db), a->request.id)) == NULL)
		return why_none(profile_db_book(p->db), a->request.id);
	if (a->request.what != PROFILE_PROPOSAL_DISMISS)
		return confirm(p, a, q);
	profile_end(p, q, PROFILE_DISMISSED);
	return say(p, a, a->request.id, NULL);
}
