/* What the owner changes: facts, what is shared, the pages' password. */
#include "actors/profile_state.h"
#include "escrow/random.h"

static size_t
count(const struct profile_book *b, bool archived)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n_facts; i++)
		n += b->facts[i]->archived == archived;
	return n;
}

void
profile_put_version(struct profile *p, struct profile_fact *f)
{
	struct wall_ms now = clock_wall();

	f->revision = uuid_make(now);
	f->version++;
	f->updated = now;
	profile_db_put_fact(p->db, f);
}

enum err
profile_put_new(struct profile *p, struct profile_fact *f)
{
	if (count(profile_db_book(p->db), false) >= PROFILE_FACTS_MAX)
		return ERR_PROFILE_FULL;
	f->created = clock_wall();
	f->fact = uuid_make(f->created);
	f->version = 0;
	profile_put_version(p, f);
	return OK;
}

/* Those that were archived long ago make room for this one. */
static void
drop_oldest_archived(struct profile *p)
{
	const struct profile_book *b = profile_db_book(p->db);
	const struct profile_fact *oldest = NULL;

	if (count(b, true) <= PROFILE_FACTS_MAX)
		return;
	for (size_t i = 0; i < b->n_facts; i++)
		if (b->facts[i]->archived && (oldest == NULL || b->facts[i]->updated.ms < oldest->updated.ms))
			oldest = b->facts[i];
	profile_db_remove_fact(p->db, oldest->fact);
}

void
profile_put_archived(struct profile *p, struct profile_fact *f)
{
	const struct profile_book *b = profile_db_book(p->db);

	f->archived = true;
	profile_put_version(p, f);
	for (size_t i = b->n_shares; i-- > 0;)
		if (uuid_equal(b->shares[i].fact, f->fact))
			profile_db_remove_share(p->db, b->shares[i].connection, f->fact);
	drop_oldest_archived(p);
}

/* {"fact":ID,"version":N}, and the row of it. */
static void
say_fact(struct profile_asking *a, struct uuid fact, struct uuid revision, uint64_t version)
{
	json_write_object(&a->w);
	json_member_id(&a->w, "fact", fact);
	json_member_u64(&a->w, "version", version);
	json_write_end(&a->w);
	a->shown.rows[a->shown.n++] = (struct profile_ref){ fact, revision };
}

static enum err
commit_fact(struct profile *p, struct profile_asking *a, const struct profile_fact *f)
{
	enum err e = profile_db_commit(p->db);

	if (e == OK)
		say_fact(a, f->fact, f->revision, f->version);
	return e;
}

static enum err
add(struct profile *p, struct profile_asking *a)
{
	const struct profile_request *r = &a->request;
	struct profile_fact f = { .category = r->category, .label = r->label, .value = r->value, .evidence = r->evidence,
		.uncertain = r->uncertain };
	enum err e = profile_put_new(p, &f);

	return e != OK ? e : commit_fact(p, a, &f);
}

static bool
take_text(bool has, struct span given, struct span *text)
{
	bool changed = has && (given.len != text->len || !same_bytes(given.p, text->p, given.len));

	if (changed)
		*text = given;
	return changed;
}

/* Applies what is given; false when all of it is so already. */
static bool
apply(const struct profile_request *r, struct profile_fact *f)
{
	bool changed = take_text((r->has & PROFILE_HAS_LABEL) != 0, r->label, &f->label);

	changed = take_text((r->has & PROFILE_HAS_VALUE) != 0, r->value, &f->value) || changed;
	changed = take_text((r->has & PROFILE_HAS_EVIDENCE) != 0, r->evidence, &f->evidence) || changed;
	if ((r->has & PROFILE_HAS_CATEGORY) != 0 && r->category != f->category) {
		f->category = r->category;
		changed = true;
	}
	if ((r->has & PROFILE_HAS_UNCERTAIN) != 0 && r->uncertain != f->uncertain) {
		f->uncertain = r->uncertain;
		changed = true;
	}
	return changed;
}

/* The old texts stay where they are until the new fact is in their place, so f may point at them. */
static enum err
edit(struct profile *p, struct profile_asking *a, const struct profile_fact *now)
{
	struct profile_fact f = *now;

	if (f.archived || ((a->request.has & PROFILE_HAS_VERSION) != 0 && a->request.version != f.version))
		return ERR_CONFLICT;
	if (apply(&a->request, &f))
		profile_put_version(p, &f);
	return commit_fact(p, a, &f);
}

static enum err
archive(struct profile *p, struct profile_asking *a, const struct profile_fact *now)
{
	struct profile_fact f = *now;

	if (!f.archived)
		profile_put_archived(p, &f);
	return commit_fact(p, a, &f);
}

static enum err
share(struct profile *p, struct profile_asking *a, const struct profile_fact *f)
{
	const struct profile_book *b = profile_db_book(p->db);
	struct profile_share s = { .connection = a->connection, .fact = f->fact, .revision = f->revision, .made = clock_wall() };

	if (!profile_fact_shareable(f, a->ruling->categories))
		return ERR_NOT_SHAREABLE;
	if (b->n_shares >= PROFILE_SHARES_MAX && profile_book_share(b, a->connection, f->fact) == NULL)
		return ERR_PROFILE_FULL;
	profile_db_put_share(p->db, &s);
	return commit_fact(p, a, f);
}

static enum err
unshare(struct profile *p, struct profile_asking *a, const struct profile_fact *f)
{
	profile_db_remove_share(p->db, a->connection, f->fact);
	return commit_fact(p, a, f);
}

/* Grants cannot see which change it rules on, so what needs sudo is seen here. */
static enum err
set_password(struct profile *p, struct profile_asking *a)
{
	enum err e;

	if (!a->ruling->sudo)
		return ERR_SUDO_REQUIRED;
	profile_db_put_verifier(p->db, a->request.verifier);
	if ((e = profile_db_commit(p->db)) != OK)
		return e;
	a->new_password = true;
	json_write_object(&a->w);
	json_write_end(&a->w);
	return OK;
}

enum err
profile_do_change(struct profile *p, struct profile_asking *a)
{
	bool shares = a->request.what == PROFILE_SHARE || a->request.what == PROFILE_UNSHARE;
	const struct profile_fact *f;

	if (a->request.what == PROFILE_FACT_ADD)
		return add(p, a);
	if (a->request.what == PROFILE_PASSWD)
		return set_password(p, a);
	/* The record names connection and fact as the ask does. */
	if (shares && (uuid_is_zero(a->connection) || !uuid_equal(a->ruling->ask.asset, a->request.id)))
		return ERR_INVALID_ARGUMENT;
	if ((f = profile_book_fact(profile_db_book(p->db), a->request.id)) == NULL)
		return ERR_NOT_FOUND;
	if (a->request.what == PROFILE_FACT_EDIT)
		return edit(p, a, f);
	if (a->request.what == PROFILE_FACT_ARCHIVE)
		return archive(p, a, f);
	return a->request.what == PROFILE_SHARE ? share(p, a, f) : unshare(p, a, f);
}
