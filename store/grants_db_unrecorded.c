/* Revocations that the log is not known to hold. */
#include "store/grants_db_inside.h"

static struct db_key
number_key(uint64_t number)
{
	struct db_key key;
	struct wire_out o = wire_out(key.b, sizeof key.b);

	wire_put_u64(&o, number);
	key.len = o.len;
	return key;
}

/* In a look or a group, as grants_db_unrecorded. */
static enum err
find(struct grants_db *db, uint64_t from, struct unrecorded *out)
{
	struct db_key key = number_key(from);
	struct unrecorded u;
	struct wire_in in;
	struct env_row row;
	enum err e;

	if ((e = env_seek(db->env, DB_UNRECORDED, db_records_span(&key), &row)) != OK)
		return e;
	in = wire_in(row.key.p, row.key.len);
	u.number = wire_take_u64(&in);
	if (!wire_done(&in) || u.number == UINT64_MAX || !db_records_take_unrecorded(row.value, &u))
		return ERR_STORAGE_CORRUPT;
	*out = u;
	return OK;
}

static enum err
find_alike(struct grants_db *db, const struct unrecorded *what)
{
	struct unrecorded u;
	uint64_t from = 0;
	enum err e;

	for (; (e = find(db, from, &u)) == OK; from = u.number + 1)
		if (u.all == what->all && u.connection == what->connection && (u.all || uuid_equal(u.id, what->id)))
			return OK;
	return e;
}

enum err
grants_db_load_unrecorded(struct grants_db *db)
{
	struct unrecorded u;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	while ((e = find(db, db->unrecorded_end, &u)) == OK)
		db->unrecorded_end = u.number + 1;
	env_release(db->env);
	return e == ERR_NOT_FOUND ? OK : e;
}

enum err
grants_db_note_unrecorded(struct grants_db *db, struct unrecorded u)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = number_key(db->unrecorded_end);
	enum err e;

	if ((e = find_alike(db, &u)) != ERR_NOT_FOUND)
		return e;
	db_records_put_unrecorded(&o, &u);
	if ((e = grants_db_put(db, DB_UNRECORDED, db_records_span(&key), &o)) == OK)
		db->unrecorded_end++;
	return e;
}

enum err
grants_db_unrecorded(struct grants_db *db, uint64_t from, struct unrecorded *out)
{
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = find(db, from, out);
	env_release(db->env);
	return e;
}

uint64_t
grants_db_unrecorded_end(const struct grants_db *db)
{
	return db->unrecorded_end;
}

enum err
grants_db_recorded(struct grants_db *db, uint64_t number)
{
	struct db_key key = number_key(number);
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	return grants_db_end(db, env_delete(db->env, DB_UNRECORDED, db_records_span(&key)));
}
