/*
 * Proposals keep their chunks under their own id, as revisions do, so that they
 * are written and read the same way; what makes a chunk count is that its
 * revision is staged no more.
 */
#include "store/vault_db_inside.h"

static enum err
check_form(const struct proposal *p)
{
	const struct revision_row *row = &p->row;

	if ((row->kind != KIND_MEMORY && row->kind != KIND_CARD) || row->key_class != CLASS_ORDINARY)
		return ERR_INVALID_ARGUMENT;
	if (row->bytes > PROPOSAL_LEN_MAX || (row->deleted && row->bytes > 0) || row->n_parents > ASSET_HEADS_MAX)
		return ERR_INVALID_ARGUMENT;
	if (p->sealed_head.len != SEALED_HEAD_LEN || p->sealed_title.len > SEALED_TITLE_MAX ||
	    p->sealed_meta.len > SEALED_META_MAX)
		return ERR_INVALID_ARGUMENT;
	return OK;
}

/* An addition has no asset yet; an edit or a removal stands on heads of one that a grant can see. */
static enum err
check_base(struct vault_db *db, const struct revision_row *row)
{
	struct db_asset a;
	enum err e = vault_db_get_asset(db, row->vault, row->asset, &a);

	if (row->n_parents == 0)
		return e == ERR_NOT_FOUND && !row->deleted ? OK : e == OK || e == ERR_NOT_FOUND ? ERR_INVALID_ARGUMENT : e;
	if (e != OK)
		return e;
	if (a.row.key_class != CLASS_ORDINARY)
		return ERR_NOT_FOUND;
	if (a.row.kind != row->kind)
		return ERR_INVALID_ARGUMENT;
	for (size_t i = 0; i < row->n_parents; i++) {
		for (size_t j = 0; j < i; j++)
			if (uuid_equal(row->parents[i], row->parents[j]))
				return ERR_INVALID_ARGUMENT;
		if (!vault_db_has_head(&a.row, row->parents[i]))
			return ERR_STALE_BASE;
	}
	return OK;
}

static enum err
take_proposal(const struct env_row *row, struct proposal *out)
{
	struct uuid id;

	return db_records_key_id(row->key, 1, 0, &id) && db_records_take_proposal(row->value, id, out) ? OK
	    : ERR_STORAGE_CORRUPT;
}

static enum err
first_proposal(struct vault_db *db, struct env_row *row)
{
	struct db_key from = db_records_key1((struct uuid){ { 0 } });

	return env_seek(db->env, DB_PROPOSAL, db_records_span(&from), row);
}

/* Few wait at a time: they are counted one by one. */
static enum err
check_room(struct vault_db *db, struct uuid grant)
{
	struct env_row row;
	struct proposal p;
	size_t n = 0;
	enum err e, taken;

	for (e = first_proposal(db, &row); e == OK; e = env_next(db->env, DB_PROPOSAL, &row)) {
		if ((taken = take_proposal(&row, &p)) != OK)
			return taken;
		n += uuid_equal(p.grant, grant);
	}
	if (e != ERR_NOT_FOUND)
		return e;
	return n < PROPOSALS_MAX ? OK : ERR_TOO_MANY_PROPOSALS;
}

static enum err
decide(struct vault_db *db, const struct proposal *p, bool *staged)
{
	struct db_key key = db_records_key1(p->row.revision);
	struct vault_row vault;
	enum err e;

	if ((e = check_form(p)) != OK || (e = vault_db_get_active(db, p->row.vault, &vault)) != OK ||
	    (e = vault_db_check_absent(db, DB_REVISION, key)) != OK ||
	    (e = vault_db_check_absent(db, DB_PROPOSAL, key)) != OK || (e = check_base(db, &p->row)) != OK ||
	    (e = vault_db_check_staged(db, &p->row, false, staged)) != OK)
		return e;
	return check_room(db, p->grant);
}

static bool
is_refusal(enum err e)
{
	return e == ERR_NOT_FOUND || e == ERR_VAULT_NOT_ACTIVE || e == ERR_STALE_BASE ||
	    e == ERR_TOO_MANY_PROPOSALS || e == ERR_INVALID_ARGUMENT;
}

enum err
vault_db_put_proposal(struct vault_db *db, const struct proposal *p)
{
	struct db_key key = db_records_key1(p->row.revision);
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	bool staged = false;
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	if ((e = decide(db, p, &staged)) != OK)
		return is_refusal(e) ? e : env_fail(db->env, e);
	db_records_put_proposal(&o, p);
	if ((e = vault_db_put(db, DB_PROPOSAL, &key, &o)) != OK)
		return e;
	return staged ? env_delete(db->env, DB_STAGING, db_records_span(&key)) : OK;
}

enum err
vault_db_proposals_room(struct vault_db *db, struct uuid grant)
{
	enum err e = env_look(db->env);

	return e != OK ? e : check_room(db, grant);
}

enum err
vault_db_get_proposal(struct vault_db *db, struct uuid vault, struct uuid proposal, struct proposal *out)
{
	struct db_key key = db_records_key1(proposal);
	struct proposal p;
	struct span value;
	enum err e = env_get(db->env, DB_PROPOSAL, db_records_span(&key), &value);

	if (e != OK)
		return e;
	if (!db_records_take_proposal(value, proposal, &p))
		return ERR_STORAGE_CORRUPT;
	if (!uuid_equal(p.row.vault, vault))
		return ERR_NOT_FOUND;
	*out = p;
	return OK;
}

enum err
vault_db_proposal(struct vault_db *db, struct uuid vault, struct uuid proposal, struct proposal *out)
{
	enum err e = env_look(db->env);

	return e != OK ? e : vault_db_get_proposal(db, vault, proposal, out);
}

enum err
vault_db_list_proposals(struct vault_db *db, struct uuid vault, uint64_t offset, size_t limit,
    struct proposal *rows, size_t *n, bool *more)
{
	struct env_row row;
	struct proposal p;
	uint64_t place = 0;
	size_t n_rows = 0;
	enum err e, taken;

	if ((e = env_look(db->env)) != OK)
		return e;
	for (e = first_proposal(db, &row); e == OK; e = env_next(db->env, DB_PROPOSAL, &row)) {
		if ((taken = take_proposal(&row, &p)) != OK)
			return taken;
		if (!uuid_equal(p.row.vault, vault) || place++ < offset)
			continue;
		if (n_rows == limit)
			break;
		rows[n_rows++] = p;
	}
	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	*n = n_rows;
	*more = e == OK;
	return OK;
}

enum err
vault_db_take_out_proposal(struct vault_db *db, struct uuid proposal)
{
	struct db_key key = db_records_key1(proposal);
	bool left;
	enum err e;

	/* So few that they fit into any group that has begun. */
	if ((e = vault_db_drop_chunks(db, proposal, revision_n_chunks(PROPOSAL_LEN_MAX), &left)) != OK)
		return e;
	return left ? env_fail(db->env, ERR_STORAGE_CORRUPT) : env_delete(db->env, DB_PROPOSAL, db_records_span(&key));
}

enum err
vault_db_drop_proposal(struct vault_db *db, struct uuid proposal)
{
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	e = vault_db_check_absent(db, DB_PROPOSAL, db_records_key1(proposal));
	if (e == OK)
		return ERR_NOT_FOUND;
	return e == ERR_INVALID_ARGUMENT ? vault_db_take_out_proposal(db, proposal) : env_fail(db->env, e);
}
