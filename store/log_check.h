/*
 * log_check: the rules by which a group of records continues a log. The owner
 * follows them, recovery and verify demand them, through the same functions.
 * Source: docs/store-format.md, "What a log must hold".
 */
#ifndef STORE_LOG_CHECK_H
#define STORE_LOG_CHECK_H

#include "escrow/cert.h"
#include "store/log_anchor.h"
#include "store/log_frame.h"
#include "store/log_head.h"
#include "store/log_note.h"
#include "store/merkle.h"

struct log_epoch {
	bool        begun;
	bool        certified;
	struct uuid id;
	uint8_t     public_key[SIGN_PUBLIC_LEN];
};

/* What the next group must continue. All zero before the first. */
struct log_chain {
	uint64_t         size;
	struct merkle    tree;
	uint8_t          previous[SHA256_LEN];
	bool             manual_lock;
	struct log_epoch epoch;
	struct log_epoch next_epoch; /* within a group that rotates to it; not begun everywhere else */
	uint64_t         n_epochs;
	uint64_t         n_pending_epochs; /* that no certificate followed so far */
	bool             has_found;        /* the running epoch is its process's first, and holds no repair: */
	struct log_head  found;            /* the log before it */
	uint64_t         n_repairs;        /* repair records */
	uint64_t         n_lost;           /* records that they gave up, as far as sizes tell */
	uint32_t         repaired;         /* the count that the last of them names; 0: none */
};

/* May a record of this kind stand in an epoch that is not certified? */
bool log_check_pending_allows(const struct log_record *r);

/* The manual lock after r, when it was `before`. */
bool log_check_manual_lock(const struct log_record *r, bool before);

/* The record that ends the running epoch for the next one. */
struct log_rotation {
	struct uuid        next;
	uint8_t            next_public[SIGN_PUBLIC_LEN];
	uint8_t            seal_hash[SHA256_LEN]; /* of the seal that stands for all before the group; zeros: none */
	const struct cert *certificate;           /* NULL: the next epoch is pending */
};

/* The extra of an epoch record: its key, its certificate, or the epoch after it. Points into buf. */
#define LOG_EPOCH_EXTRA_MAX (1 + UUID_LEN + SIGN_PUBLIC_LEN + SHA256_LEN + CERT_LEN)
struct span log_check_put_begin(const uint8_t public_key[SIGN_PUBLIC_LEN], uint8_t buf[LOG_EPOCH_EXTRA_MAX]);
struct span log_check_put_cert(const struct cert *c, uint8_t buf[LOG_EPOCH_EXTRA_MAX]);
struct span log_check_put_rotation(const struct log_rotation *rotation, uint8_t buf[LOG_EPOCH_EXTRA_MAX]);

/* False when r does not rotate. The certificate's form is checked, and put into *certificate; not what it says. */
bool log_check_take_rotation(const struct log_record *r, struct log_rotation *out, struct cert *certificate);

/* Does c certify this epoch under the log's public key? */
bool log_check_cert(const struct cert *c, const struct log_epoch *epoch, const uint8_t log_public[SIGN_PUBLIC_LEN]);

/*
 * What the record does to the running epoch of a group's chain: begins it,
 * certifies it, ends it for the next one, or stands in it. NULL when it may;
 * otherwise why not.
 */
const char *log_check_epoch_rule(const uint8_t *log_public, const struct log_record *r,
    struct log_chain *chain);

/*
 * Ends a group: counts the epochs that it began or certified, and has the one
 * run that it rotated to. `before` is the epoch in which the group before ended.
 */
void log_check_settle(struct log_chain *chain, const struct log_epoch *before);

/*
 * What a repair record says must fit the log before its epoch, and raise the
 * count of repairs. NULL when it does, and for every other record.
 */
const char *log_check_repair_rule(const struct log_record *r, struct log_chain *chain);

/* What such a record leaves in the chain. */
void log_check_count_repair(const struct log_repaired *repaired, struct log_chain *chain);

/* True when a repair in this group, which holds, names the anchor as what it gave up. */
bool log_check_gives_up(const struct log_frame_group *g, const struct log_anchor *anchor);

enum log_check_depth {
	LOG_CHECK_CHAIN, /* frames, indices and the chain of commits: no tree, no epochs, no signatures */
	LOG_CHECK_FAST,  /* and all the rest, of the signatures only those that no later one vouches for */
	LOG_CHECK_FULL,  /* every signature */
};

enum log_held {
	LOG_HOLDS,
	LOG_LOOSE,  /* this group does not hold; a crash can have torn it */
	LOG_BROKEN, /* a group that counted before does not hold */
};

struct log_check {
	/* Set by the caller; the rest zero. */
	enum log_check_depth    depth;
	const uint8_t          *log_public; /* not needed for LOG_CHECK_CHAIN */
	bool                    has_anchor;
	struct log_anchor       anchor;
	const struct log_note  *checkpoint;   /* NULL: none; its signature is the caller's business */
	bool                  (*each)(void *arg, const struct log_record *r); /* may be NULL */
	void                   *arg;

	struct log_chain        chain;
	bool                    beside_anchor; /* the log has another root where the anchor stands */
	bool                    beside_checkpoint;
	bool                    stopped;       /* each() returned false */
	bool                    broken;
	uint64_t                bad_index;     /* when broken */
	const char             *reason;        /* why the last group did not hold */

	bool                    owes_signature; /* that of the commit below was left to a later one */
	struct log_commit       owed;
};

/* Checks a group; when it holds it counts, and each() gets its records. */
enum log_held log_check_group(struct log_check *k, const struct log_frame_group *g);

/* At the end of the frames: checks the signature that no later one vouched for. */
enum log_held log_check_end(struct log_check *k);

/* Marks the log as broken from record `index` on. */
void log_check_break(struct log_check *k, uint64_t index, const char *reason);

/* True when the log ends before the anchor, or before the checkpoint. */
bool log_check_behind_anchor(const struct log_check *k);
bool log_check_behind_checkpoint(const struct log_check *k);

#endif
