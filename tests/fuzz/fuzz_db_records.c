/*
 * Any bytes as a record of the vault or grants environment: a decoder refuses
 * them, or its encoder gives the same bytes back. The first byte says which.
 */
#include <stdlib.h>
#include <string.h>

#include "store/db_records_connections.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct uuid id; /* for what stands in the key */

static bool
recode_vault(struct span value, struct wire_out *o)
{
	struct vault_row v;

	if (!db_records_take_vault(value, id, &v))
		return false;
	db_records_put_vault(o, &v);
	return true;
}

static bool
recode_asset(struct span value, struct wire_out *o)
{
	struct db_asset a;

	if (!db_records_take_asset(value, id, id, &a))
		return false;
	db_records_put_asset(o, &a);
	return true;
}

static bool
recode_block(struct span value, struct wire_out *o)
{
	struct db_block b;

	if (!db_records_take_block(value, &b))
		return false;
	db_records_put_block(o, &b);
	return true;
}

/* Its own id stands in the value too: at this place of a record that holds. */
static bool
recode_revision(struct span value, struct wire_out *o)
{
	const size_t at = 1 + 1 + 1 + 2 * UUID_LEN;
	struct revision_record r;
	struct uuid revision;

	if (value.len < at + UUID_LEN)
		return false;
	memcpy(revision.b, value.p + at, UUID_LEN);
	if (!db_records_take_revision(value, revision, &r))
		return false;
	db_records_put_revision(o, &(struct new_revision){ .row = r.row, .quarantined = r.quarantined,
	    .sealed_head = r.sealed_head, .sealed_title = r.sealed_title, .sealed_meta = r.sealed_meta });
	return true;
}

static bool
recode_staging(struct span value, struct wire_out *o)
{
	struct db_staging s;

	if (!db_records_take_staging(value, &s))
		return false;
	db_records_put_staging(o, &s);
	return true;
}

static bool
recode_library(struct span value, struct wire_out *o)
{
	struct library_record r;

	if (!db_records_take_library(value, &r))
		return false;
	db_records_put_library(o, &r);
	return true;
}

static bool
recode_vault_keys(struct span value, struct wire_out *o)
{
	struct vault_keys k;

	if (!db_records_take_vault_keys(value, id, &k))
		return false;
	db_records_put_vault_keys(o, &k);
	return true;
}

static bool
recode_grant(struct span value, struct wire_out *o)
{
	struct db_grant g;

	if (!db_records_take_grant(value, id, &g))
		return false;
	db_records_put_grant(o, &g);
	return true;
}

static bool
recode_wrap(struct span value, struct wire_out *o)
{
	struct grant_vault w;

	if (!db_records_take_wrap(value, id, &w))
		return false;
	db_records_put_wrap(o, &w);
	return true;
}

static bool
recode_token(struct span value, struct wire_out *o)
{
	struct uuid grant;

	if (!db_records_take_token(value, &grant))
		return false;
	db_records_put_token(o, grant);
	return true;
}

static bool
recode_enrolment(struct span value, struct wire_out *o)
{
	struct enrolment_record r;

	if (!db_records_take_enrolment(value, &r))
		return false;
	db_records_put_enrolment(o, &r);
	return true;
}

static bool
recode_unrecorded(struct span value, struct wire_out *o)
{
	struct unrecorded u;

	if (!db_records_take_unrecorded(value, &u))
		return false;
	db_records_put_unrecorded(o, &u);
	return true;
}

static bool
recode_row(struct span value, struct wire_out *o)
{
	struct wire_in in = wire_in(value.p, value.len);
	struct revision_row r;

	revision_row_take(&in, &r);
	if (!wire_done(&in))
		return false;
	revision_row_put(o, &r);
	return true;
}

static bool
recode_proposal(struct span value, struct wire_out *o)
{
	const size_t at = 1 + UUID_LEN + 1 + 2 * UUID_LEN;
	struct proposal p;
	struct uuid revision;

	if (value.len < at + UUID_LEN)
		return false;
	memcpy(revision.b, value.p + at, UUID_LEN);
	if (!db_records_take_proposal(value, revision, &p))
		return false;
	db_records_put_proposal(o, &p);
	return true;
}

static bool
recode_connection(struct span value, struct wire_out *o)
{
	struct connection_record r;

	if (!db_records_take_connection(value, id, &r))
		return false;
	db_records_put_connection(o, &r);
	return true;
}

static bool
recode_code(struct span value, struct wire_out *o)
{
	struct db_code c;

	if (!db_records_take_code(value, &c))
		return false;
	db_records_put_code(o, &c);
	return true;
}

static bool
recode_access(struct span value, struct wire_out *o)
{
	struct db_access a;

	if (!db_records_take_access(value, &a))
		return false;
	db_records_put_access(o, &a);
	return true;
}

static bool
recode_refresh(struct span value, struct wire_out *o)
{
	struct db_refresh r;

	if (!db_records_take_refresh(value, &r))
		return false;
	db_records_put_refresh(o, &r);
	return true;
}

static bool
recode_moment(struct span value, struct wire_out *o)
{
	struct moment m;

	if (!db_records_take_moment(value, &m))
		return false;
	db_records_put_moment(o, &m);
	return true;
}

static bool (*const recode[])(struct span value, struct wire_out *o) = {
	recode_vault, recode_asset, recode_block, recode_revision, recode_staging, recode_library,
	recode_vault_keys, recode_grant, recode_wrap, recode_token, recode_enrolment, recode_row, recode_unrecorded, recode_proposal,
	recode_connection, recode_code, recode_access, recode_refresh, recode_moment,
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t again[DB_RECORD_MAX];
	struct wire_out o = wire_out(again, sizeof again);

	if (len == 0)
		return 0;
	if (!recode[data[0] % (sizeof recode / sizeof *recode)]((struct span){ data + 1, len - 1 }, &o))
		return 0;
	if (o.failed || o.len != len - 1 || memcmp(again, data + 1, o.len) != 0)
		abort();
	return 0;
}
