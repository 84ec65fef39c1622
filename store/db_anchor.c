#include "store/db_anchor.h"
#include "store/db_records.h"

/* Of the one record. */
static const struct uuid only;

enum err
db_anchor_load(struct env *env, size_t db, struct db_anchor *a)
{
	struct db_key key = db_records_key1(only);
	struct wire_in in;
	struct span value;
	enum err e;

	if ((e = env_look(env)) != OK)
		return e;
	if ((e = env_get(env, db, db_records_span(&key), &value)) == OK) {
		in = db_records_start(value);
		log_head_take(&in, &a->kept);
		if (!wire_done(&in) || a->kept.size == 0)
			e = ERR_STORAGE_CORRUPT;
	}
	env_release(env);
	return e == ERR_NOT_FOUND ? OK : e;
}

void
db_anchor_note(struct db_anchor *a, const struct log_head *head)
{
	if (head->size > 0 && log_head_newer(head, &a->kept) && log_head_newer(head, &a->next))
		a->next = *head;
}

static bool
waits(const struct db_anchor *a)
{
	return a->next.size > 0;
}

struct log_head
db_anchor_newest(const struct db_anchor *a)
{
	return waits(a) ? a->next : a->kept;
}

enum err
db_anchor_commit(struct env *env, size_t db, struct db_anchor *a)
{
	uint8_t buf[1 + LOG_HEAD_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = db_records_key1(only);
	bool writes = env_in_group(env) && waits(a);
	enum err e;

	if (writes) {
		wire_put_u8(&o, DB_RECORD_VERSION);
		log_head_put(&o, &a->next);
		/* A put that fails forgets the group, and the commit says so. */
		(void)env_put(env, db, db_records_span(&key), wire_written(&o), NULL);
	}
	if ((e = env_commit(env)) != OK || !writes)
		return e;
	a->kept = a->next;
	a->next.size = 0;
	return OK;
}

enum err
db_anchor_keep(struct env *env, size_t db, struct db_anchor *a)
{
	enum err e;

	if (!waits(a))
		return OK;
	if ((e = env_begin(env)) != OK)
		return e;
	return db_anchor_commit(env, db, a);
}
