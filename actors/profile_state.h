/*
 * profile_state: the profile actor's own state, shared by the files that hold
 * its handlers and by nobody else.
 */
#ifndef ACTORS_PROFILE_STATE_H
#define ACTORS_PROFILE_STATE_H

#include "actors/profile.h"
#include "escrow/channel.h"
#include "gateway/profile_result.h"
#include "store/profile_db.h"
#include "store/search_index.h"

#define PROFILE_DIR                 "profile"
#define PROFILE_FACTS_MAX           5000  /* not archived; and as many that are, of which then the oldest goes */
#define PROFILE_SHARES_MAX          50000
#define PROFILE_PENDING_MAX         2000
#define PROFILE_PENDING_OF_ONE_MAX  64
#define PROFILE_ENDED_MAX           20000 /* then the oldest goes */
#define PROFILE_ENDED_OF_ONE_MAX    1000
#define PROFILE_PROPOSAL_MS         ((uint64_t)30 * 24 * 3600 * 1000)
#define PROFILE_READERS_MAX         64

/* What a connection sees, as it was worked out last; the one that asked longest ago makes room for another. */
struct profile_reader {
	struct uuid         connection; /* zero: the place is free */
	unsigned            categories;
	uint64_t            change;     /* of the database, when it was worked out */
	uint64_t            used;
	struct profile_view view;
	uint8_t            *overview;   /* in the actor's memory; NULL: not written yet */
	size_t              overview_len;
	struct profile_shown shown;     /* in the overview */
	bool                is_indexed; /* the view as it is */
	struct profile_ref *indexed;    /* owned: what the index has of it, by fact */
	size_t              n_indexed;
};

struct profile {
	struct channel        keyring, http;
	bool                  http_up;
	enum err              open_error; /* of the last time that it was to be opened */
	struct profile_db    *db;       /* NULL: it is closed, and so is all below */
	struct key           *web;
	struct search_bill    bill;
	struct search_memory *memory;
	struct search_index  *index;    /* a vault a connection, an asset a fact */
	struct profile_reader readers[PROFILE_READERS_MAX];
	uint64_t              n_used;
	struct wall_ms        kept;     /* when the clock was written down last */
};

/* One ask as it is worked on. */
struct profile_asking {
	const struct ruling_body *ruling;
	struct uuid            connection; /* that asks, or that the owner names; zero: none */
	struct profile_request request;
	struct json_writer     w;          /* owned: where an answer is written that is not kept */
	struct span            text;       /* the answer */
	struct profile_shown   shown;
	bool                   new_password;
};

/* Why a fact may not be shared for what it says. */
bool profile_is_sensitive(const struct profile_fact *f);

/* profile_query.c */
enum err profile_on_query(void *self, const struct inbound *in, struct outbox *out);

/* profile.c: what the pages need, or that there is nothing any more. */
enum err profile_tell_web(struct profile *p, struct outbox *out);

/* profile_readers.c: the view of that connection as it is now; good until the next change. ERR_NO_MEMORY. */
enum err profile_reader_of(struct profile *p, struct uuid connection, unsigned categories, struct profile_reader **out);
void     profile_readers_unindex(struct profile *p); /* the search index is empty then */
void     profile_readers_forget(struct profile *p);
void     profile_reader_forget(struct profile *p, struct uuid connection);

/* profile_read.c: context, page, search */
enum err profile_do_read(struct profile *p, struct profile_asking *a);
enum err profile_do_find(struct profile *p, struct profile_asking *a);

/* profile_propose.c */
enum err profile_do_propose(struct profile *p, struct profile_asking *a);
enum err profile_expire(struct profile *p);   /* ends what is over by its time */

/* Takes a proposal out for that reason, in the change that is being made. */
void     profile_end(struct profile *p, const struct profile_proposal *proposal, enum profile_end end);

/* profile_change.c: what the owner changes. */
enum err profile_do_change(struct profile *p, struct profile_asking *a);

/* profile_decide.c: what the owner says to a proposal. */
enum err profile_do_decide(struct profile *p, struct profile_asking *a);

/* Puts a fact as it is to be from now on: a new revision, and one version more. */
void     profile_put_version(struct profile *p, struct profile_fact *f);

/* Puts a new fact of those words; then *f is it. ERR_PROFILE_FULL. */
enum err profile_put_new(struct profile *p, struct profile_fact *f);

/* Archives it in the change that is being made; its shares go. */
void     profile_put_archived(struct profile *p, struct profile_fact *f);

#endif
