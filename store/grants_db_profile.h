/*
 * grants_db_profile: what grants keeps of the remote profile: that it is
 * enabled, what its owner says while it is not to serve, and its key, sealed.
 * As grants_db.h in all that stands there.
 */
#ifndef STORE_GRANTS_DB_PROFILE_H
#define STORE_GRANTS_DB_PROFILE_H

#include "store/grants_db.h"

#define MAINTENANCE_MESSAGE_MAX 1200 /* bytes */

struct profile_record {
	bool    enabled;
	bool    maintenance;
	uint8_t sealed[SEALED_KEY_LEN];         /* under the root key */
	uint8_t sealed_custody[SEALED_KEY_LEN]; /* under what the profile's custody gives; zero: it has none */
	char    message[MAINTENANCE_MESSAGE_MAX + 1];
};

/* Makes or replaces it. ERR_INVALID_ARGUMENT: the message has no end. */
enum err grants_db_put_profile(struct grants_db *db, const struct profile_record *r);
enum err grants_db_profile(struct grants_db *db, struct profile_record *out); /* ERR_NOT_FOUND: it was never enabled */

#endif
