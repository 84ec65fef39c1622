/*
 * search_state: the search actor's own state, shared by the files that hold
 * its handlers and by nobody else.
 */
#ifndef ACTORS_SEARCH_STATE_H
#define ACTORS_SEARCH_STATE_H

#include "actors/search.h"
#include "escrow/channel.h"
#include "mailbox/pending.h"
#include "store/revision.h"
#include "store/search_index.h"

#define SEARCH_VAULTS_MAX  4096
#define SEARCH_CHANGES_MAX 4096
#define SEARCH_WAITING_MAX 32

enum search_vault_phase {
	VAULT_UNKNOWN,  /* is there such a vault? */
	VAULT_KEYLESS,  /* its key is to be asked for */
	VAULT_BUILDING,
	VAULT_BUILT,
	VAULT_ABSENT,   /* not made yet, or removed */
};

struct search_vault {
	struct uuid vault;
	enum search_vault_phase phase;
	bool        removed; /* of an ABSENT one: it was there once */
	struct key *key;  /* owned: the ordinary class key; NULL while KEYLESS */
	struct index_page_wanted_body next; /* where building goes on */
};

/* An asset, or with a zero id a vault, that is not any more as the index has it. */
struct search_change {
	struct uuid vault;
	struct uuid asset;
};

/* The one request that is under way. */
struct search_request {
	uint64_t       ask_id; /* 0: none */
	struct mono_ms by;
	bool           is_change;
	bool           has_come; /* of a change: the asset was there */
	struct uuid    vault;
	struct index_page_wanted_body page; /* what was wanted; of a key nothing */
};

/* A revision of which not all chunks have come. */
struct search_partial {
	bool           active;
	struct revision_row row;
	uint32_t       next_chunk;
	size_t         have;
	struct secret *content; /* owned */
	struct index_page_wanted_body rest; /* what brings the others */
};

struct search {
	struct channel       channel;   /* with keyring: what it seals for this actor is under `down` */
	struct uuid          boot;      /* keyring's; zero: it has not said it */
	bool                 grants_up, vault_up, gate_up;
	bool                 unlocked;  /* as grants last said */
	struct search_index *index;     /* owned */
	struct search_vault *vaults;    /* owned */
	size_t               n_vaults;
	struct search_change changes[SEARCH_CHANGES_MAX];
	size_t               n_changes;
	struct search_request request;
	struct search_partial partial;
	struct mono_ms       pause;     /* after a refusal: nothing is asked for before */
	uint64_t             own_asks;
	struct pending      *waiting;   /* owned: queries that came before what they ask about was built */
	struct search_state_body told;  /* to the gate */
	bool                 told_once;
};

/* The place of that vault; NULL when it is not known. */
struct search_vault *search_vault(struct search *s, struct uuid vault);

/* Forgets and wipes all that was built, its keys and what is under way. */
void search_forget(struct search *s);

/* Asks for what is next, if nothing is under way. */
enum err search_go_on(struct search *s, struct outbox *out);

enum search_phase search_phase(const struct search *s);

/* What was asked for last was refused or not answered: it is asked for again in a while, from its beginning. */
void search_pause(struct search *s);

/* Tells the gate when it is in another state, or with `figures` when they changed. */
enum err search_tell(struct search *s, bool figures, struct outbox *out);

/* search_build.c */
enum err search_on_ack(void *self, const struct inbound *in, struct outbox *out);
enum err search_on_no_key(void *self, const struct inbound *in, struct outbox *out);
enum err search_on_page(void *self, const struct inbound *in, struct outbox *out);
enum err search_on_changed(void *self, const struct inbound *in, struct outbox *out);
void     search_partial_free(struct search_partial *p);

/* The documents go, the keys stay: from the first page again. */
void     search_build_anew(struct search *s);

/* The index is brought up to date with it; if too many wait, with all. */
void     search_note_change(struct search *s, struct uuid vault, struct uuid asset);

/* search_text.c: the document that a revision's Content JSON makes. ERR_INVALID_CONTENT: it makes none. */
enum err search_put_content(struct search_index *ix, const struct revision_row *row, struct span content);

/* search_query.c */
enum err search_waiting_new(struct pending **out);
enum err search_on_query(void *self, const struct inbound *in, struct outbox *out);
enum err search_answer_waiting(struct search *s, struct mono_ms now, struct outbox *out);
void     search_refuse_waiting(struct search *s, enum err why, struct outbox *out);

#endif
