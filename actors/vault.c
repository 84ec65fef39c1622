#include <stdlib.h>

#include "actors/collect.h"
#include "actors/head.h"
#include "actors/index_page.h"
#include "actors/vault.h"
#include "mailbox/host.h"
#include "store/vault_db.h"

#define VAULT_DIR "vault"
#define GROUP_MAX 256

/* Uploads that are watched, and how long one may rest before it is given up. */
#define UPLOADS_MAX  256
#define UPLOAD_IDLE_MS (15u * 60 * 1000)

struct upload {
	struct uuid    revision; /* zero: free */
	struct mono_ms used;
};

/*
 * The map's pages that reads touch stay resident: after so many pieces, 128
 * reads of a chunk, they are given back, at a microsecond a read.
 */
#define PIECES_RESIDENT_MAX 256

struct vault {
	struct vault_db   *db;         /* owned */
	struct collection *collection; /* owned; reused from ask to ask */
	struct index_page *page;       /* owned; likewise, for search */
	uint64_t           group[GROUP_MAX]; /* writes that wait for the commit */
	size_t             n_group;
	struct asset_changed_body changed[GROUP_MAX]; /* by the group: search is told once it is committed */
	size_t             n_changed;
	bool               search_up;
	struct upload      uploads[UPLOADS_MAX]; /* staged, not published; what does not fit is swept at the next start */
	size_t             n_pieces;   /* read since memory was given back */
	struct mono_ms     anchored;   /* when the log's head was last kept for itself */
	bool               keyring_up; /* its edge: without it no deposit can ever be opened */
	enum err           failure;    /* of the disk; the process ends at the next tick */
	bool               busy;       /* something was read or written since the last tick */
	bool               rested;     /* and nothing since the one before: memory was given back */
};

static enum err on_record_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_chunk_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_publish_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_name_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_discard_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_proposal_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_proposal_drop(void *self, const struct inbound *in, struct outbox *out);
static enum err on_vault_remove(void *self, const struct inbound *in, struct outbox *out);
static enum err on_index_page_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_head(void *self, const struct inbound *in, struct outbox *out);

static const struct handler handlers[] = {
	{ MSG_RECORD_WANTED, on_record_wanted },
	{ MSG_CHUNK_WANTED, on_chunk_wanted },
	{ MSG_PUBLISH_WANTED, on_publish_wanted },
	{ MSG_NAME_WANTED, on_name_wanted },
	{ MSG_DISCARD_WANTED, on_discard_wanted },
	{ MSG_PROPOSAL_WANTED, on_proposal_wanted },
	{ MSG_PROPOSAL_DROP, on_proposal_drop },
	{ MSG_VAULT_REMOVE, on_vault_remove },
	{ MSG_INDEX_PAGE_WANTED, on_index_page_wanted },
	{ MSG_VAULT_HEAD, on_head },
};

static void
vault_stop(void *self)
{
	struct vault *v = self;

	if (v == NULL)
		return;
	if (v->db != NULL)
		(void)vault_db_keep_anchor(v->db);
	vault_db_close(&v->db);
	collection_free(&v->collection);
	index_page_free(&v->page);
	free(v);
}

static enum err
vault_start(const struct actor_context *context, void **self)
{
	struct vault *v = calloc(1, sizeof *v);
	enum err e;

	(void)context;
	if (v == NULL)
		return ERR_NO_MEMORY;
	if ((e = collection_new(&v->collection)) != OK || (e = index_page_new(&v->page)) != OK || (e = vault_db_open(VAULT_DIR, &v->db)) != OK) {
		vault_stop(v);
		return e;
	}
	*self = v;
	return OK;
}

static enum err
refuse(const struct inbound *in, const struct ruling_body *ruling, enum err why, const char *detail,
    struct outbox *out)
{
	struct refusal_body refusal = { .error = (uint16_t)why };

	if (ruling != NULL) {
		refusal.authenticated = true;
		refusal.subject_kind = ruling->subject_kind;
		refusal.subject = ruling->subject;
	}
	while (detail != NULL && detail[refusal.detail.len] != '\0')
		refusal.detail.len++;
	refusal.detail.p = (const uint8_t *)detail;
	return outbox_put(out, MSG_RECORD_REFUSED, in->ask_id, &refusal);
}

/* The deposit goes straight to the gate, useless there until the ack brings its keys. */
static enum err
on_record_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct vault *v = self;
	struct collection *c = v->collection;
	enum err e;

	v->busy = true;
	if (!v->keyring_up)
		return refuse(in, &in->body->ruling, ERR_INTERRUPTED, NULL, out);
	e = collect(v->db, &in->body->ruling, c);
	vault_db_release(v->db);
	v->n_pieces += c->deposit.n_items;
	if (e != OK)
		return refuse(in, &in->body->ruling, e, c->detail, out);
	if ((e = outbox_put(out, MSG_DEPOSIT, in->ask_id, &c->deposit)) != OK)
		return e;
	return outbox_put(out, MSG_KEYS_WANTED, in->ask_id, &c->wanted);
}

/* Tells search what is not any more as it was. A commit of which nobody knows whether it was made changes all. */
static enum err
tell_changed(struct vault *v, enum err committed, struct outbox *out)
{
	enum err e = OK;

	for (size_t i = 0; i < v->n_changed && committed == OK && v->search_up && e == OK; i++)
		e = outbox_put(out, MSG_ASSET_CHANGED, 0, &v->changed[i]);
	v->n_changed = 0;
	return e;
}

/* Each is of a write in the group, so there is room. */
static void
note_change(struct vault *v, struct uuid vault, struct uuid asset)
{
	if (v->n_changed < GROUP_MAX)
		v->changed[v->n_changed++] = (struct asset_changed_body){ .vault = vault, .asset = asset };
}

/* Makes the group durable and answers each of its writes. */
static enum err
commit_group(struct vault *v, struct outbox *out)
{
	enum err e, put = OK;

	if (v->n_group == 0) {
		/* A write that was refused may have opened a transaction, which belongs to this thread. */
		vault_db_abort(v->db);
		return OK;
	}
	v->busy = true;
	if ((e = vault_db_commit(v->db)) == ERR_STORAGE_FAILED)
		v->failure = e;
	for (size_t i = 0; i < v->n_group && put == OK; i++) {
		if (e == OK)
			put = outbox_put(out, MSG_KEPT, v->group[i], &(struct nothing_body){ 0 });
		else
			put = outbox_put(out, MSG_RECORD_REFUSED, v->group[i],
			    &(struct refusal_body){ .error = (uint16_t)e });
	}
	v->n_group = 0;
	return put == OK ? tell_changed(v, e, out) : put;
}

/* Within a group the map stays as it is; the group's end is soon. */
static void
rest_if_due(struct vault *v)
{
	if (v->n_pieces >= PIECES_RESIDENT_MAX && vault_db_rest(v->db) == OK)
		v->n_pieces = 0;
}

static enum err
on_batch(void *self, struct outbox *out)
{
	struct vault *v = self;
	enum err e = commit_group(v, out);

	rest_if_due(v);
	return e;
}

/* A write that went into the group waits for its commit; one that did not is refused now. */
static enum err
wrote(struct vault *v, const struct inbound *in, enum err e, struct outbox *out)
{
	if (e != OK)
		return refuse(in, NULL, e, NULL, out);
	v->group[v->n_group++] = in->ask_id;
	return v->n_group == GROUP_MAX ? commit_group(v, out) : OK;
}

static void
note_upload(struct vault *v, struct uuid revision)
{
	struct upload *at = NULL;

	for (struct upload *u = v->uploads; u < v->uploads + UPLOADS_MAX; u++) {
		if (uuid_equal(u->revision, revision)) {
			at = u;
			break;
		}
		if (at == NULL && uuid_is_zero(u->revision))
			at = u;
	}
	if (at != NULL)
		*at = (struct upload){ revision, clock_mono() };
}

static void
forget_upload(struct vault *v, struct uuid revision)
{
	for (struct upload *u = v->uploads; u < v->uploads + UPLOADS_MAX; u++)
		if (uuid_equal(u->revision, revision))
			*u = (struct upload){ .used = { 0 } };
}

/* Discards what a writer left behind without a word. */
static void
drop_idle_uploads(struct vault *v, struct mono_ms now)
{
	for (struct upload *u = v->uploads; u < v->uploads + UPLOADS_MAX; u++)
		if (!uuid_is_zero(u->revision) && now.ms >= u->used.ms + UPLOAD_IDLE_MS &&
		    vault_db_discard(v->db, u->revision) == OK && vault_db_commit(v->db) == OK)
			*u = (struct upload){ .used = { 0 } };
	vault_db_abort(v->db);
}

static enum err
on_chunk_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct vault *v = self;
	const struct chunk_put_body *b = &in->body->chunk_put;
	enum err e = vault_db_stage_chunk(v->db, b->revision, b->index, b->sealed);

	if (e == ERR_BUSY && (e = commit_group(v, out)) == OK)
		e = vault_db_stage_chunk(v->db, b->revision, b->index, b->sealed);
	if (e == OK)
		note_upload(v, b->revision);
	return wrote(v, in, e, out);
}

static enum err
on_publish_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct vault *v = self;
	const struct revision_put_body *b = &in->body->revision_put;
	struct wire_in row = wire_in(b->row.p, b->row.len);
	struct new_revision fresh = {
		.mode = (enum publish_mode)b->mode, .settles = b->proposal,
		.sealed_head = b->sealed_head, .sealed_title = b->sealed_title, .sealed_meta = b->sealed_meta,
	};
	enum err e;

	revision_row_take(&row, &fresh.row);
	if (!wire_done(&row) || b->mode > PUBLISH_BESIDE)
		return refuse(in, NULL, ERR_INVALID_ARGUMENT, NULL, out);
	if ((e = vault_db_publish(v->db, &fresh)) == ERR_BUSY && (e = commit_group(v, out)) == OK)
		e = vault_db_publish(v->db, &fresh);
	if (e == OK) {
		forget_upload(v, fresh.row.revision);
		note_change(v, fresh.row.vault, fresh.row.asset);
	}
	return wrote(v, in, e, out);
}

static enum err
on_name_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct vault *v = self;
	const struct name_put_body *b = &in->body->name_put;
	struct vault_row row = {
		.vault = b->vault, .active = true, .created = { b->created_wall_ms },
		.name_revision = b->revision, .name_len = (uint16_t)b->sealed.len,
	};
	enum err e;

	for (size_t i = 0; i < b->sealed.len; i++)
		row.sealed_name[i] = b->sealed.p[i];
	if ((e = vault_db_put_vault(v->db, &row)) == ERR_BUSY && (e = commit_group(v, out)) == OK)
		e = vault_db_put_vault(v->db, &row);
	if (e == OK)
		note_change(v, b->vault, (struct uuid){ { 0 } });
	return wrote(v, in, e, out);
}

/* Does something to what has that id; if the group is full, after its commit. */
static enum err
do_to(struct vault *v, enum err (*what)(struct vault_db *db, struct uuid id), struct uuid id, struct outbox *out)
{
	enum err e = what(v->db, id);

	return e == ERR_BUSY && (e = commit_group(v, out)) == OK ? what(v->db, id) : e;
}

static enum err
on_discard_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct vault *v = self;
	enum err e = do_to(v, vault_db_discard, in->body->one_id.id, out);

	if (e == OK)
		forget_upload(v, in->body->one_id.id);
	return wrote(v, in, e, out);
}

/* Sealed as it lies there: search opens it with a key that it has only by a record. */
static enum err
on_index_page_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct vault *v = self;
	struct index_page_body page = index_page_make(v->page, v->db, &in->body->index_page_wanted);

	v->busy = true;
	vault_db_release(v->db);
	v->n_pieces += page.n_items;
	return outbox_put(out, MSG_INDEX_PAGE, in->ask_id, &page);
}

static enum err
on_proposal_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct vault *v = self;
	const struct proposal_put_body *b = &in->body->proposal_put;
	struct wire_in row = wire_in(b->row.p, b->row.len);
	struct proposal p = {
		.grant = b->grant, .sealed_head = b->sealed_head, .sealed_title = b->sealed_title, .sealed_meta = b->sealed_meta,
	};
	enum err e;

	revision_row_take(&row, &p.row);
	if (!wire_done(&row))
		return refuse(in, NULL, ERR_INVALID_ARGUMENT, NULL, out);
	if ((e = vault_db_put_proposal(v->db, &p)) == ERR_BUSY && (e = commit_group(v, out)) == OK)
		e = vault_db_put_proposal(v->db, &p);
	if (e == OK)
		forget_upload(v, p.row.revision);
	return wrote(v, in, e, out);
}

static enum err
on_proposal_drop(void *self, const struct inbound *in, struct outbox *out)
{
	return wrote(self, in, do_to(self, vault_db_drop_proposal, in->body->one_id.id, out), out);
}

static enum err
on_vault_remove(void *self, const struct inbound *in, struct outbox *out)
{
	enum err e = do_to(self, vault_db_remove_vault, in->body->one_id.id, out);

	if (e == OK)
		note_change(self, in->body->one_id.id, (struct uuid){ { 0 } });
	return wrote(self, in, e, out);
}

static enum err
on_head(void *self, const struct inbound *in, struct outbox *out)
{
	struct vault *v = self;
	struct log_head head = head_from_body(&in->body->head);

	(void)out;
	vault_db_note_head(v->db, &head);
	return OK;
}

static void
tell_anchor(const struct vault *v, struct outbox *out)
{
	struct log_head anchor = vault_db_anchor(v->db);
	struct head_body b = head_to_body(&anchor);

	(void)outbox_put(out, MSG_VAULT_ANCHOR, 0, &b);
}

static void
on_edge(void *self, enum actor other, bool up, struct outbox *out)
{
	struct vault *v = self;

	if (other == ACTOR_SEARCH)
		v->search_up = up;
	if (other == ACTOR_KEYRING)
		v->keyring_up = up;
	else if (other == ACTOR_AUDIT && up)
		tell_anchor(v, out);
}

static void
keep_anchor(struct vault *v, struct mono_ms now)
{
	if (now.ms < v->anchored.ms + HEAD_KEEP_MS)
		return;
	v->anchored = now;
	if (vault_db_keep_anchor(v->db) == ERR_STORAGE_FAILED)
		v->failure = ERR_STORAGE_FAILED;
}

/*
 * After a failed commit the environment refuses everything: a new process
 * reads it anew. A second without work is the time for what may wait.
 */
static struct mono_ms
on_tick(void *self, struct mono_ms now, struct outbox *out)
{
	struct vault *v = self;
	bool more = false;

	(void)out;
	if (v->failure != OK)
		host_fail(v->failure);
	/* A group that waits is the end of this batch's to commit. */
	if (v->n_group > 0)
		return (struct mono_ms){ 0 };
	keep_anchor(v, now);
	if (v->busy) {
		v->busy = v->rested = false;
		return (struct mono_ms){ 0 };
	}
	drop_idle_uploads(v, now);
	if (vault_db_tend(v->db, &more) == OK && more)
		return now;
	if (!v->rested)
		(void)vault_db_rest(v->db);
	v->rested = true;
	return (struct mono_ms){ 0 };
}

const struct actor_spec vault_actor = {
	.id = ACTOR_VAULT,
	.start = vault_start,
	.stop = vault_stop,
	.handlers = handlers,
	.n_handlers = sizeof handlers / sizeof *handlers,
	.on_edge = on_edge,
	.on_batch = on_batch,
	.on_tick = on_tick,
};
