/* Changes of the profile: each to the group on disk and to what is in memory. */
#include <string.h>

#include "escrow/hash.h"
#include "store/profile_db_inside.h"

static struct profile_key
key1(struct uuid a)
{
	return profile_key_of(a.b, UUID_LEN, NULL, 0);
}

/* Keeps the first error for the commit. */
static void
keep(struct profile_db *db, enum err e)
{
	if (db->failed == OK)
		db->failed = e;
}

void
profile_db_put_fact(struct profile_db *db, const struct profile_fact *f)
{
	struct profile_key key = key1(f->fact);
	struct wire_out row = profile_rows_room(db);
	struct profile_fact kept = *f;

	kept.sensitive = db->sensitive(f);
	profile_fact_put(&row, f);
	profile_rows_put(db, TABLE_FACT, &key, &row);
	keep(db, profile_book_put_fact(&db->book, &kept));
}

void
profile_db_remove_fact(struct profile_db *db, struct uuid fact)
{
	struct profile_key key = key1(fact);

	profile_rows_remove(db, TABLE_FACT, &key);
	profile_book_remove_fact(&db->book, fact);
}

void
profile_db_put_share(struct profile_db *db, const struct profile_share *s)
{
	struct profile_key key = profile_key_of(s->connection.b, UUID_LEN, s->fact.b, UUID_LEN);
	struct wire_out row = profile_rows_room(db);

	profile_share_put(&row, s);
	profile_rows_put(db, TABLE_SHARE, &key, &row);
	keep(db, profile_book_put_share(&db->book, s));
}

void
profile_db_remove_share(struct profile_db *db, struct uuid connection, struct uuid fact)
{
	struct profile_key key = profile_key_of(connection.b, UUID_LEN, fact.b, UUID_LEN);

	if (profile_book_share(&db->book, connection, fact) == NULL)
		return;
	profile_rows_remove(db, TABLE_SHARE, &key);
	profile_book_remove_share(&db->book, connection, fact);
}

void
profile_db_put_proposal(struct profile_db *db, const struct profile_proposal *p)
{
	struct profile_key key = key1(p->proposal);
	struct wire_out row = profile_rows_room(db);

	profile_proposal_put(&row, p);
	profile_rows_put(db, TABLE_PROPOSAL, &key, &row);
	keep(db, profile_book_put_proposal(&db->book, p));
}

void
profile_db_remove_proposal(struct profile_db *db, struct uuid proposal)
{
	struct profile_key key = key1(proposal);

	profile_rows_remove(db, TABLE_PROPOSAL, &key);
	profile_book_remove_proposal(&db->book, proposal);
}

void
profile_db_put_ended(struct profile_db *db, const struct profile_ended *x)
{
	struct profile_key key = profile_key_of(x->connection.b, UUID_LEN, x->same, PROFILE_SAME_LEN);
	struct wire_out row = profile_rows_room(db);

	profile_ended_put(&row, x);
	profile_rows_put(db, TABLE_ENDED, &key, &row);
	keep(db, profile_book_put_ended(&db->book, x));
}

void
profile_db_remove_ended(struct profile_db *db, struct uuid connection, const uint8_t same[PROFILE_SAME_LEN])
{
	uint8_t kept[PROFILE_SAME_LEN];
	struct profile_key key;

	memcpy(kept, same, sizeof kept);
	key = profile_key_of(connection.b, UUID_LEN, kept, PROFILE_SAME_LEN);
	profile_rows_remove(db, TABLE_ENDED, &key);
	profile_book_remove_ended(&db->book, connection, kept);
}

void
profile_db_remove_connection(struct profile_db *db, struct uuid connection)
{
	const struct profile_share *s;
	const struct profile_ended *x;
	size_t n;

	while (s = profile_book_shares_of(&db->book, connection, &n), n > 0)
		profile_db_remove_share(db, connection, s[n - 1].fact);
	while (x = profile_book_ended_of(&db->book, connection, &n), n > 0)
		profile_db_remove_ended(db, connection, x[n - 1].same);
	for (size_t i = db->book.n_proposals; i-- > 0;)
		if (uuid_equal(db->book.proposals[i]->connection, connection))
			profile_db_remove_proposal(db, db->book.proposals[i]->proposal);
}

void
profile_db_same(const struct profile_db *db, const struct profile_proposal *p, uint8_t out[PROFILE_SAME_LEN])
{
	uint8_t buf[2 * PROFILE_TEXT_BYTES_MAX + 64];
	struct wire_out o = wire_out(buf, sizeof buf);

	wire_put_u8(&o, (uint8_t)p->op);
	wire_put_u8(&o, (uint8_t)p->category);
	wire_put_id(&o, p->target);
	wire_put_span(&o, p->label);
	wire_put_span(&o, p->value);
	keyed_tag(db->same_key, "memories/profile-proposal/v1", wire_written(&o), out);
	wipe(buf, sizeof buf);
}
