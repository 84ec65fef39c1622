/*
 * profile_book: the profile as it is held in memory while it is open: facts by
 * id, shares by connection and fact, proposals by id, ended ones by connection.
 * All of it lies in mappings that are left out of core files and locked as far
 * as the limit goes (store/search_memory.h), and is wiped when it goes.
 *
 * What find and at give is borrowed until that kind is put or removed again.
 * put replaces what has the same key; ERR_NO_MEMORY leaves all as it was.
 */
#ifndef STORE_PROFILE_BOOK_H
#define STORE_PROFILE_BOOK_H

#include "mailbox/err.h"
#include "store/profile_rows.h"
#include "store/search_memory.h"

struct profile_book {
	struct search_bill        bill;
	struct search_memory     *memory; /* owns all below */
	struct profile_fact     **facts;
	struct profile_share     *shares;
	struct profile_proposal **proposals;
	struct profile_ended     *ended;
	size_t n_facts, facts_cap, n_shares, shares_cap, n_proposals, proposals_cap, n_ended, ended_cap;
};

enum err profile_book_new(struct profile_book *b);
void     profile_book_free(struct profile_book *b); /* empty again; accepts a zeroed one */

const struct profile_fact *profile_book_fact(const struct profile_book *b, struct uuid fact);
enum err profile_book_put_fact(struct profile_book *b, const struct profile_fact *f);
void     profile_book_remove_fact(struct profile_book *b, struct uuid fact);

const struct profile_share *profile_book_share(const struct profile_book *b, struct uuid connection, struct uuid fact);
/* Those of one connection, by fact, one after the other. */
const struct profile_share *profile_book_shares_of(const struct profile_book *b, struct uuid connection, size_t *n);
enum err profile_book_put_share(struct profile_book *b, const struct profile_share *s);
void     profile_book_remove_share(struct profile_book *b, struct uuid connection, struct uuid fact);

const struct profile_proposal *profile_book_proposal(const struct profile_book *b, struct uuid proposal);
enum err profile_book_put_proposal(struct profile_book *b, const struct profile_proposal *p);
void     profile_book_remove_proposal(struct profile_book *b, struct uuid proposal);

const struct profile_ended *profile_book_ended(const struct profile_book *b, struct uuid connection,
    const uint8_t same[PROFILE_SAME_LEN]);
const struct profile_ended *profile_book_ended_of(const struct profile_book *b, struct uuid connection, size_t *n);
enum err profile_book_put_ended(struct profile_book *b, const struct profile_ended *x);
void     profile_book_remove_ended(struct profile_book *b, struct uuid connection, const uint8_t same[PROFILE_SAME_LEN]);

#endif
