#include "store/grants_db_inside.h"

enum err
grants_db_list_vaults(struct grants_db *db, struct uuid *vaults, size_t max, size_t *n)
{
	struct db_key from = db_records_key1((struct uuid){ { 0 } });
	struct env_row row;
	size_t n_vaults = 0;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = env_seek(db->env, DB_VAULT_KEYS, db_records_span(&from), &row);
	for (; e == OK && n_vaults < max; e = env_next(db->env, DB_VAULT_KEYS, &row))
		if (!db_records_key_id(row.key, 1, 0, &vaults[n_vaults++])) {
			e = ERR_STORAGE_CORRUPT;
			break;
		}
	env_release(db->env);
	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	*n = n_vaults;
	return OK;
}
