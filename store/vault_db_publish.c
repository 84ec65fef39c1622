/*
 * A publish first decides from what is stored, changing nothing, and then puts;
 * a put that fails takes the whole group with it, so no half of a publish can
 * be committed.
 */
#include "store/vault_db_inside.h"

/* What a publish changes, as it stands before and then after. */
struct publishing {
	const struct new_revision *r;
	struct vault_row vault;
	struct db_asset  asset;
	bool             is_new;  /* the asset */
	bool             was_live;
	bool             staged;
};

static enum err
check_form(const struct new_revision *r)
{
	const struct revision_row *row = &r->row;

	if (!kind_known(row->kind) || !revision_class_fits(row->kind, row->key_class))
		return ERR_INVALID_ARGUMENT;
	if (row->bytes > FILE_LEN_MAX || (row->deleted && row->bytes > 0))
		return ERR_INVALID_ARGUMENT;
	if (row->n_parents > REVISION_PARENTS_MAX)
		return ERR_INVALID_ARGUMENT;
	if (r->sealed_head.len != SEALED_HEAD_LEN && (r->sealed_head.len != 0 || !r->quarantined))
		return ERR_INVALID_ARGUMENT;
	if (r->sealed_title.len > SEALED_TITLE_MAX || r->sealed_meta.len > SEALED_META_MAX)
		return ERR_INVALID_ARGUMENT;
	return OK;
}

enum err
vault_db_check_absent(struct vault_db *db, enum vault_db_name name, struct db_key key)
{
	struct span value;
	enum err e = env_get(db->env, name, db_records_span(&key), &value);

	if (e == OK)
		return ERR_INVALID_ARGUMENT;
	return e == ERR_NOT_FOUND ? OK : e;
}

/* Neither a revision nor a proposal has that id, and what it settles is there. */
static enum err
check_ids(struct vault_db *db, const struct new_revision *r)
{
	struct db_key key = db_records_key1(r->row.revision);
	struct proposal settled;
	enum err e;

	if ((e = vault_db_check_absent(db, DB_REVISION, key)) != OK ||
	    (e = vault_db_check_absent(db, DB_PROPOSAL, key)) != OK)
		return e;
	return uuid_is_zero(r->settles) ? OK : vault_db_get_proposal(db, r->row.vault, r->settles, &settled);
}

static enum err
check_parents(struct vault_db *db, const struct revision_row *row)
{
	struct db_key key;
	enum err e;

	for (size_t i = 0; i < row->n_parents; i++) {
		for (size_t j = 0; j < i; j++)
			if (uuid_equal(row->parents[i], row->parents[j]))
				return ERR_INVALID_ARGUMENT;
		key = db_records_key3(row->vault, row->asset, row->parents[i]);
		if ((e = vault_db_check_absent(db, DB_HISTORY, key)) != ERR_INVALID_ARGUMENT)
			return e == OK ? ERR_INVALID_ARGUMENT : e;
	}
	return OK;
}

static enum err
check_asset(struct vault_db *db, struct publishing *p)
{
	const struct revision_row *row = &p->r->row;
	enum err e = vault_db_get_asset(db, row->vault, row->asset, &p->asset);

	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	p->is_new = e == ERR_NOT_FOUND;
	if (p->is_new != (row->n_parents == 0))
		return ERR_INVALID_ARGUMENT;
	if (p->is_new) {
		p->asset = (struct db_asset){ .row = { .vault = row->vault, .asset = row->asset,
		    .kind = row->kind, .key_class = row->key_class, .created = row->asset_created } };
		return OK;
	}
	p->was_live = db_records_is_live(&p->asset);
	if (p->asset.row.kind != row->kind || p->asset.row.key_class != row->key_class)
		return ERR_INVALID_ARGUMENT;
	if (p->asset.row.created.ms != row->asset_created.ms && !p->r->quarantined)
		return ERR_INVALID_ARGUMENT;
	return check_parents(db, row);
}

static bool
is_parent(const struct revision_row *row, struct uuid id)
{
	for (size_t i = 0; i < row->n_parents; i++)
		if (uuid_equal(row->parents[i], id))
			return true;
	return false;
}

/* Parents are named once each, so as many as there are heads, all of them heads, are the heads. */
static enum err
check_base(const struct publishing *p)
{
	const struct revision_row *row = &p->r->row;
	const struct asset_row *a = &p->asset.row;

	if (p->r->mode == PUBLISH_BESIDE || p->r->quarantined)
		return OK;
	if (row->n_parents != a->n_heads)
		return ERR_STALE_BASE;
	for (size_t i = 0; i < a->n_heads; i++)
		if (!is_parent(row, a->heads[i]))
			return ERR_STALE_BASE;
	return OK;
}

/* Takes the parents out of the heads and the revision in, in the order of ids. */
static enum err
move_heads(struct db_asset *a, const struct revision_row *row)
{
	struct db_asset old = *a;
	uint16_t n = 0, at;

	for (size_t i = 0; i < old.row.n_heads; i++) {
		if (is_parent(row, old.row.heads[i]))
			continue;
		a->row.heads[n] = old.row.heads[i];
		a->tombstone[n++] = old.tombstone[i];
	}
	if (n == ASSET_HEADS_MAX)
		return ERR_INVALID_ARGUMENT;
	for (at = n; at > 0 && uuid_compare(a->row.heads[at - 1], row->revision) > 0; at--) {
		a->row.heads[at] = a->row.heads[at - 1];
		a->tombstone[at] = a->tombstone[at - 1];
	}
	a->row.heads[at] = row->revision;
	a->tombstone[at] = row->deleted;
	a->row.n_heads = (uint16_t)(n + 1);
	return OK;
}

static enum err
decide(struct vault_db *db, struct publishing *p)
{
	enum err e;

	if ((e = vault_db_get_active(db, p->r->row.vault, &p->vault)) != OK)
		return e;
	if ((e = check_form(p->r)) != OK)
		return e;
	if ((e = check_ids(db, p->r)) != OK)
		return e;
	if ((e = check_asset(db, p)) != OK || (e = check_base(p)) != OK)
		return e;
	if ((e = vault_db_check_staged(db, &p->r->row, p->r->quarantined, &p->staged)) != OK)
		return e;
	return p->r->quarantined ? OK : move_heads(&p->asset, &p->r->row);
}

static enum err
put_revision(struct vault_db *db, const struct new_revision *r)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf), none = wire_out(buf, 0);
	struct db_key key = db_records_key1(r->row.revision);
	enum err e;

	db_records_put_revision(&o, r);
	if ((e = vault_db_put(db, DB_REVISION, &key, &o)) != OK)
		return e;
	key = db_records_key3(r->row.vault, r->row.asset, r->row.revision);
	return vault_db_put(db, DB_HISTORY, &key, &none);
}

static enum err
put_asset(struct vault_db *db, const struct db_asset *a)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = db_records_key2(a->row.vault, a->row.asset);

	db_records_put_asset(&o, a);
	return vault_db_put(db, DB_ASSET, &key, &o);
}

/* The two counts: of the asset's block, and of its vault. */
static enum err
count(struct vault_db *db, struct publishing *p)
{
	bool live = db_records_is_live(&p->asset);
	enum err e = OK;

	if (p->is_new)
		e = vault_db_directory_add(db, &p->asset);
	else if (live != p->was_live)
		e = vault_db_directory_change(db, &p->asset);
	if (e != OK || live == p->was_live)
		return e;
	p->vault.n_assets += live ? 1 : UINT64_MAX;
	return vault_db_put_vault_row(db, &p->vault);
}

static enum err
apply(struct vault_db *db, struct publishing *p)
{
	struct db_key key = db_records_key1(p->r->row.revision);
	enum err e;

	if ((e = put_revision(db, p->r)) != OK)
		return e;
	if ((e = put_asset(db, &p->asset)) != OK)
		return e;
	if ((e = count(db, p)) != OK)
		return e;
	if (!uuid_is_zero(p->r->settles) && (e = vault_db_take_out_proposal(db, p->r->settles)) != OK)
		return e;
	return p->staged ? env_delete(db->env, DB_STAGING, db_records_span(&key)) : OK;
}

static bool
is_refusal(enum err e)
{
	return e == ERR_NOT_FOUND || e == ERR_VAULT_NOT_ACTIVE || e == ERR_STALE_BASE || e == ERR_INVALID_ARGUMENT;
}

enum err
vault_db_publish(struct vault_db *db, const struct new_revision *r)
{
	struct publishing p = { .r = r };
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	if ((e = decide(db, &p)) != OK)
		return is_refusal(e) ? e : env_fail(db->env, e);
	if ((e = apply(db, &p)) != OK)
		return env_fail(db->env, e);
	return OK;
}
