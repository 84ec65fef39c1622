/*
 * grants_db: who may read what: the library's envelopes, wrapped keys, grants,
 * enrolment and device, in one LMDB environment of its own. Everything sealed
 * in it is sealed with keys that it does not hold; of a token it knows a hash.
 *
 * Used from one thread at a time; each call that changes something is one
 * durable commit, and nothing changes when it fails with another error than
 * ERR_STORAGE_FAILED. Reads give copies and hold nothing. The errors of
 * vault_db.h hold here too.
 * Source: docs/store-format.md, "Grants".
 */
#ifndef STORE_GRANTS_DB_H
#define STORE_GRANTS_DB_H

#include "escrow/cert.h"
#include "escrow/custody.h"
#include "escrow/seal.h"
#include "mailbox/clock.h"
#include "mailbox/words.h"
#include "store/log_head.h"

#define KDF_SALT_LEN     16
#define BACKEND_NAME_MAX 31
#define GRANT_VAULTS_MAX 64
#define GRANT_LABEL_MAX  128 /* bytes */

struct grants_db;

/* As vault_db_open: dir exists, 0700; its flock; ERR_BUSY. */
enum err grants_db_open(const char *dir, struct grants_db **out);
void     grants_db_close(struct grants_db **db);

/* The anchor of the log, as in vault_db.h: a noted head goes with each later commit. */
struct log_head grants_db_anchor(const struct grants_db *db);
void            grants_db_note_head(struct grants_db *db, const struct log_head *head);
enum err        grants_db_keep_anchor(struct grants_db *db);

/* The password envelope: Argon2id parameters and the root key sealed under what they give. */
struct envelope {
	uint32_t passes;
	uint32_t memory_kib;
	uint8_t  salt[KDF_SALT_LEN];
	uint8_t  sealed_root[SEALED_KEY_LEN];
};

struct library_record {
	struct uuid     library;
	struct uuid     device;
	struct wall_ms  created;
	bool            device_member;
	bool            center_managed;
	uint8_t         log_public[SIGN_PUBLIC_LEN];
	uint8_t         sealed_log_key[SEALED_KEY_LEN]; /* under the root key */
	struct envelope envelope;
};

/* ERR_NOT_INITIALIZED: there is none. */
enum err grants_db_library(struct grants_db *db, struct library_record *out);

/* Makes the library. ERR_ALREADY_INITIALIZED. */
enum err grants_db_init_library(struct grants_db *db, const struct library_record *r);

/* Replaces it. ERR_NOT_INITIALIZED. ERR_INVALID_ARGUMENT: another library id. */
enum err grants_db_put_library(struct grants_db *db, const struct library_record *r);

struct vault_keys {
	struct uuid vault;
	uint8_t     sealed[CLASS__COUNT][SEALED_KEY_LEN]; /* class keys under the root key */
};

/* Makes or replaces them. */
enum err grants_db_put_vault_keys(struct grants_db *db, const struct vault_keys *k);
/* The vaults that have them, in the order of ids, at most max. */
enum err grants_db_list_vaults(struct grants_db *db, struct uuid *vaults, size_t max, size_t *n);
enum err grants_db_vault_keys(struct grants_db *db, struct uuid vault, struct vault_keys *out); /* ERR_NOT_FOUND */

/* The class keys of one vault of a grant, under the grant's key (escrow/keys.h). */
struct grant_vault {
	struct uuid vault;
	uint8_t     classes; /* bit (1 << enum key_class): the grant's; none once it expired */
	uint8_t     sealed[CLASS__COUNT][SEALED_KEY_LEN]; /* zero where the class is not granted */
};

/* How long a grant lasts, by two clocks: boot and minted say when it was made by the one that nobody can set. */
struct grant_life {
	struct wall_ms created;
	struct wall_ms expires; /* 0: never */
	struct uuid    boot;    /* of the machine; zero: not known */
	struct mono_ms minted;  /* in that boot */
	bool           expired; /* for ever, whatever a clock says later: its keys are gone */
};

struct grant_record {
	struct uuid       grant;
	enum grant_type   type;
	uint64_t          revision;    /* rises with each change */
	struct grant_life life;
	uint8_t           classes;     /* bit (1 << enum key_class), at least one; the same in each vault */
	bool              may_propose; /* an ordinary grant's only */
	char              label[GRANT_LABEL_MAX + 1];
	bool              revoked;
	uint8_t           token_hash[32]; /* zero once revoked or expired */
	uint16_t          n_vaults;    /* 1 .. GRANT_VAULTS_MAX; 0 once revoked: the wraps are gone */
	struct grant_vault vaults[GRANT_VAULTS_MAX]; /* read back in the order of ids */
};

/*
 * Makes a grant. ERR_INVALID_ARGUMENT: the id or the token hash exists, it is
 * revoked or expired, of no type, proposes without being ordinary, or its
 * vaults are none, too many, named twice or not all of its classes.
 */
enum err grants_db_add_grant(struct grants_db *db, const struct grant_record *g);
enum err grants_db_grant(struct grants_db *db, struct uuid grant, struct grant_record *out); /* ERR_NOT_FOUND */

/*
 * Only what a read needs of a grant: its head and one vault's wraps. ERR_NOT_FOUND.
 * ERR_VAULT_NOT_GRANTED: *out is set all the same, its vault to zeros.
 */
struct grant_use {
	struct uuid        grant;
	enum grant_type    type;
	uint64_t           revision;
	struct grant_life  life;
	bool               may_propose;
	struct grant_vault vault;
};
enum err grants_db_use(struct grants_db *db, const uint8_t token_hash[32], struct uuid vault, struct grant_use *out);

/*
 * Marks it revoked (its revision rises) and removes its wraps and its token
 * hash, and notes it as unrecorded. OK again on a revoked one. ERR_NOT_FOUND:
 * there is none, or it is of another type.
 */
enum err grants_db_revoke(struct grants_db *db, enum grant_type type, struct uuid grant);

/*
 * Marks it expired (its revision rises), takes the keys out of its wraps and
 * its token hash away, and notes it as unrecorded: a revocation, but that the
 * list still shows it. OK again on an expired or revoked one. ERR_NOT_FOUND.
 */
enum err grants_db_expire(struct grants_db *db, struct uuid grant);

/* The first after that id (zero: of all) which is alive and not for ever. ERR_NOT_FOUND. */
enum err grants_db_next_mortal(struct grants_db *db, struct uuid after, struct uuid *grant, struct grant_life *out);

/* Those of a type, in the order of ids; revoked ones left out. */
enum err grants_db_list(struct grants_db *db, enum grant_type type, uint64_t offset, size_t limit,
    struct grant_record *rows, size_t *n, bool *more);

/*
 * Revokes every unattended grant in one commit, and notes it as unrecorded.
 * `by` is who did it, as the log names him.
 */
enum err grants_db_revoke_all(struct grants_db *db, struct uuid by);

/*
 * A revocation that the log is not known to hold, noted with the commit that
 * made it. What is noted already is not noted twice, so there is at most one
 * for each grant and connection and one for all.
 */
struct unrecorded {
	uint64_t    number; /* rises in the order of what happened */
	bool        all;        /* every unattended grant there was */
	bool        connection; /* the end of a connection */
	struct uuid id;         /* the grant or connection; of all: who did it */
};

/* The first at or after that number. ERR_NOT_FOUND. */
enum err grants_db_unrecorded(struct grants_db *db, uint64_t from, struct unrecorded *out);

/* Higher than the number of each that there is. */
uint64_t grants_db_unrecorded_end(const struct grants_db *db);

/* The log holds it. OK when there is none. */
enum err grants_db_recorded(struct grants_db *db, uint64_t number);

struct enrolment_record {
	struct uuid       enrolment;
	char              backend[BACKEND_NAME_MAX + 1];
	struct wall_ms    created;
	uint8_t           sealed_unattended[SEALED_KEY_LEN]; /* the purpose's key under the custody material, bound to backend, home and library */
	uint8_t           sealed_delegate[SEALED_KEY_LEN];   /* the delegate's seed under that key */
	struct delegation delegation;
};

/* One a purpose. Makes or replaces it. ERR_INVALID_ARGUMENT: the backend's name is empty or has no end. */
enum err grants_db_put_enrolment(struct grants_db *db, enum custody_purpose purpose, const struct enrolment_record *r);
enum err grants_db_enrolment(struct grants_db *db, enum custody_purpose purpose, struct enrolment_record *out); /* ERR_NOT_ENABLED */
enum err grants_db_drop_enrolment(struct grants_db *db, enum custody_purpose purpose); /* OK when there is none */

#endif
