/*
 * db_records_connections: the form of every record of connections and their
 * tokens, by the rules of db_records.h.
 * Source: docs/store-format.md, "Connections".
 */
#ifndef STORE_DB_RECORDS_CONNECTIONS_H
#define STORE_DB_RECORDS_CONNECTIONS_H

#include "store/db_records.h"
#include "store/grants_db_tokens.h"

void db_records_put_connection(struct wire_out *o, const struct connection_record *c);
bool db_records_take_connection(struct span value, struct uuid connection, struct connection_record *out);

/* Of which consent a code or token is. */
struct db_family {
	struct uuid connection;
	uint32_t    generation;
};

struct db_code {
	struct db_family  family;
	uint8_t           redirect_given[SHA256_LEN];
	uint8_t           challenge[SHA256_LEN];
	uint8_t           scopes;
	struct forward_ms ends;
	uint8_t           n_wrong; /* CODE_WRONG_MAX: it is burnt */
	bool              used;
};

void db_records_put_code(struct wire_out *o, const struct db_code *c);
bool db_records_take_code(struct span value, struct db_code *out);

struct db_access {
	struct db_family  family;
	uint8_t           scopes;
	struct forward_ms ends;
};

void db_records_put_access(struct wire_out *o, const struct db_access *a);
bool db_records_take_access(struct span value, struct db_access *out);

struct db_refresh {
	struct db_family family;
	uint8_t          scopes;
	bool             spent;
};

void db_records_put_refresh(struct wire_out *o, const struct db_refresh *r);
bool db_records_take_refresh(struct span value, struct db_refresh *out);

void db_records_put_moment(struct wire_out *o, const struct moment *m);
bool db_records_take_moment(struct span value, struct moment *out);

#endif
