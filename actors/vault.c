#include <stdlib.h>

#include "actors/head.h"
#include "actors/vault.h"
#include "actors/vault_state.h"
#include "mailbox/host.h"

#define VAULT_DIR "vault"

/*
 * The map's pages that reads touch stay resident: after so many pieces, 128
 * reads of a chunk, they are given back, at a microsecond a read.
 */
#define PIECES_RESIDENT_MAX 256

static enum err on_record_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_index_page_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_head(void *self, const struct inbound *in, struct outbox *out);

static const struct handler handlers[] = {
	{ MSG_RECORD_WANTED, on_record_wanted },
	{ MSG_CHUNK_WANTED, vault_on_chunk_wanted },
	{ MSG_PUBLISH_WANTED, vault_on_publish_wanted },
	{ MSG_NAME_WANTED, vault_on_name_wanted },
	{ MSG_DISCARD_WANTED, vault_on_discard_wanted },
	{ MSG_PROPOSAL_WANTED, vault_on_proposal_wanted },
	{ MSG_PROPOSAL_DROP, vault_on_proposal_drop },
	{ MSG_VAULT_REMOVE, vault_on_vault_remove },
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

enum err
vault_refuse(const struct inbound *in, const struct ruling_body *ruling, enum err why, const char *detail,
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
		return vault_refuse(in, &in->body->ruling, ERR_INTERRUPTED, NULL, out);
	e = collect(v->db, &in->body->ruling, c);
	vault_db_release(v->db);
	v->n_pieces += c->deposit.n_items;
	if (e != OK)
		return vault_refuse(in, &in->body->ruling, e, c->detail, out);
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

enum err
vault_commit_group(struct vault *v, struct outbox *out)
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
	enum err e = vault_commit_group(v, out);

	rest_if_due(v);
	return e;
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
	vault_drop_idle_uploads(v, now);
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
