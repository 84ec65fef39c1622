/* What changes the vault: each write joins the group, and is answered when that is durable. */
#include "actors/vault_state.h"

/* How long an upload may rest before it is given up. */
#define UPLOAD_IDLE_MS (15u * 60 * 1000)

/* Each is of a write in the group, so there is room. */
static void
note_change(struct vault *v, struct uuid vault, struct uuid asset)
{
	if (v->n_changed < GROUP_MAX)
		v->changed[v->n_changed++] = (struct asset_changed_body){ .vault = vault, .asset = asset };
}

/* A write that went into the group waits for its commit; one that did not is refused now. */
static enum err
wrote(struct vault *v, const struct inbound *in, enum err e, struct outbox *out)
{
	if (e != OK)
		return vault_refuse(in, NULL, e, NULL, out);
	v->group[v->n_group++] = in->ask_id;
	return v->n_group == GROUP_MAX ? vault_commit_group(v, out) : OK;
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

void
vault_drop_idle_uploads(struct vault *v, struct mono_ms now)
{
	for (struct upload *u = v->uploads; u < v->uploads + UPLOADS_MAX; u++)
		if (!uuid_is_zero(u->revision) && now.ms >= u->used.ms + UPLOAD_IDLE_MS &&
		    vault_db_discard(v->db, u->revision) == OK && vault_db_commit(v->db) == OK)
			*u = (struct upload){ .used = { 0 } };
	vault_db_abort(v->db);
}

enum err
vault_on_chunk_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct vault *v = self;
	const struct chunk_put_body *b = &in->body->chunk_put;
	enum err e = vault_db_stage_chunk(v->db, b->revision, b->index, b->sealed);

	if (e == ERR_BUSY && (e = vault_commit_group(v, out)) == OK)
		e = vault_db_stage_chunk(v->db, b->revision, b->index, b->sealed);
	if (e == OK)
		note_upload(v, b->revision);
	return wrote(v, in, e, out);
}

enum err
vault_on_publish_wanted(void *self, const struct inbound *in, struct outbox *out)
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
		return vault_refuse(in, NULL, ERR_INVALID_ARGUMENT, NULL, out);
	if ((e = vault_db_publish(v->db, &fresh)) == ERR_BUSY && (e = vault_commit_group(v, out)) == OK)
		e = vault_db_publish(v->db, &fresh);
	if (e == OK) {
		forget_upload(v, fresh.row.revision);
		note_change(v, fresh.row.vault, fresh.row.asset);
	}
	return wrote(v, in, e, out);
}

enum err
vault_on_name_wanted(void *self, const struct inbound *in, struct outbox *out)
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
	if ((e = vault_db_put_vault(v->db, &row)) == ERR_BUSY && (e = vault_commit_group(v, out)) == OK)
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

	return e == ERR_BUSY && (e = vault_commit_group(v, out)) == OK ? what(v->db, id) : e;
}

enum err
vault_on_discard_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct vault *v = self;
	enum err e = do_to(v, vault_db_discard, in->body->one_id.id, out);

	if (e == OK)
		forget_upload(v, in->body->one_id.id);
	return wrote(v, in, e, out);
}

enum err
vault_on_proposal_wanted(void *self, const struct inbound *in, struct outbox *out)
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
		return vault_refuse(in, NULL, ERR_INVALID_ARGUMENT, NULL, out);
	if ((e = vault_db_put_proposal(v->db, &p)) == ERR_BUSY && (e = vault_commit_group(v, out)) == OK)
		e = vault_db_put_proposal(v->db, &p);
	if (e == OK)
		forget_upload(v, p.row.revision);
	return wrote(v, in, e, out);
}

enum err
vault_on_proposal_drop(void *self, const struct inbound *in, struct outbox *out)
{
	return wrote(self, in, do_to(self, vault_db_drop_proposal, in->body->one_id.id, out), out);
}

enum err
vault_on_vault_remove(void *self, const struct inbound *in, struct outbox *out)
{
	enum err e = do_to(self, vault_db_remove_vault, in->body->one_id.id, out);

	if (e == OK)
		note_change(self, in->body->one_id.id, (struct uuid){ { 0 } });
	return wrote(self, in, e, out);
}
