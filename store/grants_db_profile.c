#include <string.h>

#include "store/grants_db_inside.h"
#include "store/grants_db_profile.h"

enum err
grants_db_put_profile(struct grants_db *db, const struct profile_record *r)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = grants_db_only_key();
	size_t len = strnlen(r->message, sizeof r->message);
	enum err e;

	if (len > MAINTENANCE_MESSAGE_MAX)
		return ERR_INVALID_ARGUMENT;
	if ((e = env_begin(db->env)) != OK)
		return e;
	wire_put_u8(&o, DB_RECORD_VERSION);
	wire_put_u8(&o, r->enabled);
	wire_put_u8(&o, r->maintenance);
	wire_put_bytes(&o, r->sealed, sizeof r->sealed);
	wire_put_bytes(&o, r->sealed_custody, sizeof r->sealed_custody);
	wire_put_span(&o, (struct span){ (const uint8_t *)r->message, len });
	return grants_db_end(db, grants_db_put(db, DB_PROFILE, db_records_span(&key), &o));
}

static bool
take(struct span value, struct profile_record *out)
{
	struct wire_in in = db_records_start(value);
	struct profile_record r = { .enabled = db_records_take_bool(&in) };
	struct span message;

	r.maintenance = db_records_take_bool(&in);
	wire_take_bytes(&in, r.sealed, sizeof r.sealed);
	wire_take_bytes(&in, r.sealed_custody, sizeof r.sealed_custody);
	message = wire_take_span(&in, MAINTENANCE_MESSAGE_MAX);
	if (!wire_done(&in) || (message.len > 0 && memchr(message.p, 0, message.len) != NULL))
		return false;
	if (message.len > 0)
		memcpy(r.message, message.p, message.len);
	*out = r;
	return true;
}

enum err
grants_db_profile(struct grants_db *db, struct profile_record *out)
{
	struct db_key key = grants_db_only_key();
	struct span value;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = env_get(db->env, DB_PROFILE, db_records_span(&key), &value);
	if (e == OK && !take(value, out))
		e = ERR_STORAGE_CORRUPT;
	env_release(db->env);
	return e;
}
