/* What the owner gets: every fact and proposal, with what nobody else sees of it. */
#include "gateway/profile_result.h"

#define FRAME_MAX 512

/* A list that is being written: rows are counted, and those of the page written while they fit. */
struct list {
	struct json_writer   *w;
	struct json_writer    one; /* the row that is tried */
	struct profile_shown *shown;
	uint64_t              offset, limit, total;
	size_t                room;
	bool                  full; /* the next row of the page did not fit */
};

static void
list_begin(struct list *l, const char *name, const struct profile_request *r, struct json_writer *w, struct profile_shown *shown)
{
	*l = (struct list){ .w = w, .shown = shown, .offset = r->offset, .limit = r->limit,
		.room = PROFILE_RESULT_MAX - FRAME_MAX };
	json_write_object(w);
	json_write_key(w, name);
	json_write_array(w);
}

/* True when the next row is to be written, into l->one. */
static bool
list_wants(struct list *l)
{
	uint64_t at = l->total++;

	json_write_clear(&l->one);
	return at >= l->offset && at - l->offset < l->limit && !l->full;
}

static void
list_add(struct list *l, struct uuid id, struct uuid revision)
{
	struct span text;

	if (json_write_done(&l->one, &text) != OK) {
		l->w->failed = true;
		return;
	}
	if (text.len + 1 > l->room) {
		l->full = true;
		return;
	}
	l->room -= text.len + 1;
	json_write_raw(l->w, text);
	l->shown->rows[l->shown->n++] = (struct profile_ref){ id, revision };
}

static enum err
list_end(struct list *l)
{
	uint64_t next = l->offset + l->shown->n;
	struct span text;
	enum err e;

	json_write_end(l->w);
	json_member_u64(l->w, "offset", l->offset);
	json_member_u64(l->w, "total", l->total);
	json_write_key(l->w, "next_offset");
	if (next < l->total && l->shown->n > 0)
		json_write_u64(l->w, next);
	else
		json_write_null(l->w);
	json_write_end(l->w);
	e = json_write_done(l->w, &text);
	json_write_free(&l->one);
	return e != OK ? e : text.len <= PROFILE_RESULT_MAX ? OK : ERR_INTERNAL;
}

static void
write_shared_with(const struct profile_book *b, const struct profile_fact *f, struct json_writer *w)
{
	json_write_key(w, "shared_with");
	json_write_array(w);
	for (size_t i = 0; i < b->n_shares; i++)
		if (uuid_equal(b->shares[i].fact, f->fact)) {
			json_write_object(w);
			json_member_id(w, "connection", b->shares[i].connection);
			json_member_bool(w, "confirmed", uuid_equal(b->shares[i].revision, f->revision));
			json_write_end(w);
		}
	json_write_end(w);
}

static void
write_fact(const struct profile_book *b, const struct profile_fact *f, struct json_writer *w)
{
	json_write_object(w);
	profile_fact_members(f, w);
	json_member_string(w, "evidence", f->evidence);
	json_member_bool(w, "uncertain", f->uncertain);
	json_member_bool(w, "sensitive", f->sensitive);
	json_member_bool(w, "archived", f->archived);
	json_member_time(w, "created_at", f->created);
	json_member_id(w, "revision", f->revision);
	write_shared_with(b, f, w);
	json_write_end(w);
}

static bool
is_wanted(const struct profile_request *r, const struct profile_fact *f)
{
	if ((r->has & PROFILE_HAS_ID) != 0)
		return uuid_equal(f->fact, r->id);
	return f->archived == r->archived && ((r->has & PROFILE_HAS_CATEGORY) == 0 || f->category == r->category);
}

enum err
profile_facts_write(const struct profile_book *b, const struct profile_request *r, struct json_writer *w,
    struct profile_shown *shown)
{
	struct list l;

	list_begin(&l, "facts", r, w, shown);
	for (size_t i = 0; i < b->n_facts; i++)
		if (is_wanted(r, b->facts[i]) && list_wants(&l)) {
			write_fact(b, b->facts[i], &l.one);
			list_add(&l, b->facts[i]->fact, b->facts[i]->revision);
		}
	if ((r->has & PROFILE_HAS_ID) != 0 && l.total == 0) {
		json_write_free(&l.one);
		return ERR_NOT_FOUND;
	}
	return list_end(&l);
}

/* What it would change, beside what it wants. */
static void
write_now(const struct profile_proposal *p, const struct profile_fact *target, struct json_writer *w)
{
	json_write_key(w, "now");
	if (target == NULL) {
		json_write_null(w);
	} else {
		json_write_object(w);
		json_member_text(w, "category", category_name(target->category));
		json_member_string(w, "label", target->label);
		json_member_string(w, "value", target->value);
		json_member_u64(w, "version", target->version);
		json_write_end(w);
	}
	json_member_bool(w, "conflict", target == NULL || target->archived || !uuid_equal(target->revision, p->target_revision));
}

static void
write_proposal(const struct profile_proposal *p, const struct profile_fact *target, bool sensitive, struct json_writer *w)
{
	json_write_object(w);
	json_member_id(w, "id", p->proposal);
	json_member_id(w, "connection", p->connection);
	json_member_text(w, "op", profile_op_name(p->op));
	json_member_text(w, "category", category_name(p->category));
	json_member_string(w, "label", p->label);
	json_member_string(w, "value", p->value);
	json_member_string(w, "evidence", p->evidence);
	json_write_key(w, "target_fact_id");
	if (p->op == PROFILE_ADD)
		json_write_null(w);
	else
		json_write_id(w, p->target);
	json_member_time(w, "created_at", p->created);
	json_member_time(w, "expires_at", p->expires);
	json_member_text(w, "status", "pending");
	json_member_bool(w, "sensitive", sensitive);
	if (p->op != PROFILE_ADD)
		write_now(p, target, w);
	json_write_end(w);
}

enum err
profile_proposals_write(const struct profile_book *b, const struct profile_request *r,
    bool (*sensitive)(const struct profile_proposal *), struct json_writer *w, struct profile_shown *shown)
{
	struct list l;

	list_begin(&l, "proposals", r, w, shown);
	for (size_t i = 0; i < b->n_proposals; i++) {
		const struct profile_proposal *p = b->proposals[i];
		const struct profile_fact *target = p->op == PROFILE_ADD ? NULL : profile_book_fact(b, p->target);

		if (((r->has & PROFILE_HAS_ID) != 0 && !uuid_equal(p->proposal, r->id)) || !list_wants(&l))
			continue;
		write_proposal(p, target, sensitive(p), &l.one);
		list_add(&l, p->proposal, target != NULL ? target->revision : (struct uuid){ { 0 } });
	}
	if ((r->has & PROFILE_HAS_ID) != 0 && l.total == 0) {
		json_write_free(&l.one);
		return ERR_NOT_FOUND;
	}
	return list_end(&l);
}

static void
write_label(const struct profile_ref *ref, const struct profile_fact *f, struct json_writer *w)
{
	json_write_object(w);
	json_member_id(w, "fact", ref->fact);
	json_member_id(w, "revision", ref->revision);
	json_write_key(w, "category");
	if (f != NULL)
		json_write_text(w, category_name(f->category));
	else
		json_write_null(w);
	json_write_key(w, "label");
	if (f != NULL)
		json_write_string(w, f->label);
	else
		json_write_null(w);
	json_member_bool(w, "current", f != NULL && uuid_equal(f->revision, ref->revision));
	json_member_bool(w, "archived", f != NULL && f->archived);
	json_write_end(w);
}

enum err
profile_labels_write(const struct profile_book *b, const struct profile_request *r, struct json_writer *w,
    struct profile_shown *shown)
{
	struct span text;

	json_write_object(w);
	json_write_key(w, "labels");
	json_write_array(w);
	for (size_t i = 0; i < r->n_refs; i++) {
		const struct profile_fact *f = profile_book_fact(b, r->refs[i].fact);

		write_label(&r->refs[i], f, w);
		if (f != NULL)
			shown->rows[shown->n++] = (struct profile_ref){ f->fact, f->revision };
	}
	json_write_end(w);
	json_write_end(w);
	return json_write_done(w, &text);
}
