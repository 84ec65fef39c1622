/*
 * profile_db: facts, what of them is shared with which connection, proposals,
 * and the verifier of the pages' password; every value sealed under the
 * profile key. Opening reads and checks all of it; while it is open it is held
 * in memory too, and read from there.
 *
 * A change is made of puts and removals and then one profile_db_commit, which
 * makes it durable as a whole. When any part of it fails, nothing is changed:
 * what is in memory is read anew from the disk, and the commit tells why. If
 * that cannot be done, profile_db_failure tells so, and there is nothing left
 * but to close it.
 *
 * A row that somebody put in the place of another, put back as it once was, or
 * took away is seen when it is opened, since one row holds a tag of them all;
 * that all of them were put back together is not.
 *
 * ERR_STORAGE_CORRUPT: a row has not its form, does not authenticate, or the
 * rows are not those of the last change. ERR_STORAGE_FULL, ERR_STORAGE_FAILED,
 * ERR_NO_MEMORY: as store/env.h.
 */
#ifndef STORE_PROFILE_DB_H
#define STORE_PROFILE_DB_H

#include "escrow/secret.h"
#include "store/profile_book.h"

struct profile_db;

/* Says whether a fact may not be shared for what it says. */
typedef bool profile_sensitive(const struct profile_fact *f);

/* dir exists. sensitive: asked at each fact that is loaded or put. */
enum err profile_db_open(const char *dir, const struct key *profile_key, profile_sensitive *sensitive, struct profile_db **out);

/* Wipes and frees all that was in memory. Sets the pointer to NULL; accepts NULL inside. */
void profile_db_close(struct profile_db **db);

/* Notes, without the key, that a connection is over: what belongs to it goes when the database is opened next. */
enum err profile_db_note_gone(const char *dir, struct uuid connection);

/* OK, or why it cannot be used any more. */
enum err profile_db_failure(const struct profile_db *db);

/* All that is there; borrowed until the next change. */
const struct profile_book *profile_db_book(const struct profile_db *db);

/* Another number after each change. */
uint64_t profile_db_change(const struct profile_db *db);

/* The wall clock, but never before what it was at an earlier commit or call: what has expired stays so. */
struct wall_ms profile_db_now(struct profile_db *db);

/* Empty while there is none; borrowed until the next change. */
struct span profile_db_verifier(const struct profile_db *db);

/* What makes two proposals of a connection the same: all but their evidence and time. */
void profile_db_same(const struct profile_db *db, const struct profile_proposal *p, uint8_t out[PROFILE_SAME_LEN]);

/* Has the next commit keep the clock, if nothing else. */
void profile_db_keep_clock(struct profile_db *db);

void profile_db_put_fact(struct profile_db *db, const struct profile_fact *f);
void profile_db_remove_fact(struct profile_db *db, struct uuid fact);
void profile_db_put_share(struct profile_db *db, const struct profile_share *s);
void profile_db_remove_share(struct profile_db *db, struct uuid connection, struct uuid fact);
void profile_db_put_proposal(struct profile_db *db, const struct profile_proposal *p);
void profile_db_remove_proposal(struct profile_db *db, struct uuid proposal);
void profile_db_put_ended(struct profile_db *db, const struct profile_ended *x);
void profile_db_remove_ended(struct profile_db *db, struct uuid connection, const uint8_t same[PROFILE_SAME_LEN]);
void profile_db_remove_connection(struct profile_db *db, struct uuid connection);
void profile_db_put_verifier(struct profile_db *db, struct span verifier);

enum err profile_db_commit(struct profile_db *db);

#endif
