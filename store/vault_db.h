/*
 * vault_db: vaults, assets, revisions and sealed chunks, in one LMDB
 * environment. It holds no key and no plaintext: every sealed_* span is bytes
 * that it cannot open.
 *
 * Used from one thread at a time. Writes collect in one transaction, the
 * group, until vault_db_commit; reads see what is committed and, inside a
 * group, that group too. The map grows by itself.
 *
 * A group takes about 32 MiB of chunks or 1,000 revisions; a write over that
 * is ERR_BUSY and changes nothing: commit, then call again. A group of 4 MiB is
 * as fast and keeps less in memory.
 *
 * Every call may return ERR_STORAGE_FAILED (a read or write failed; after a
 * failed commit the environment refuses everything until it is opened anew),
 * ERR_STORAGE_FULL (nothing of the group was changed), ERR_STORAGE_CORRUPT
 * (a record does not have its form) and ERR_NO_MEMORY; those are not repeated
 * below. A write that fails with one of them forgets the whole group, and
 * later writes and the commit answer the same, until that commit or
 * vault_db_abort. Other errors leave the group as it was.
 * Source: docs/store-format.md, "The vault".
 */
#ifndef STORE_VAULT_DB_H
#define STORE_VAULT_DB_H

#include "store/log_head.h"
#include "store/revision.h"

#define SEALED_HEAD_LEN   48   /* 8 bytes and a seal */
#define SEALED_TITLE_MAX  1064 /* 1 KiB and a seal */
#define SEALED_META_MAX   4136 /* 4 KiB and a seal */
#define SEALED_NAME_MAX   296  /* 256 bytes and a seal */
#define SEALED_CHUNK_MAX  (CHUNK_LEN + 40)
#define ASSET_HEADS_MAX   16

struct vault_db;

/*
 * Opens or makes the environment in dir (exists, 0700), takes the directory's
 * flock (waiting up to 2 s), clears stale readers and sweeps the chunks of
 * revisions that were never published.
 * ERR_BUSY: another process holds it.
 */
enum err vault_db_open(const char *dir, struct vault_db **out);
void     vault_db_close(struct vault_db **db); /* forgets an open group */

/* Ends what is borrowed: until then the last read holds old pages. Before waiting, and cheap. */
void vault_db_release(struct vault_db *db);

/* For idle times: releases, and gives the memory of the map back. ERR_BUSY: within a group. */
enum err vault_db_rest(struct vault_db *db);

struct vault_row {
	struct uuid    vault;
	bool           active;
	struct wall_ms created;
	struct uuid    name_revision;
	uint64_t       n_assets; /* tombstoned ones left out */
	uint16_t       name_len;
	uint8_t        sealed_name[SEALED_NAME_MAX];
};

/*
 * Makes the vault, active, or gives it another name: then created stays what
 * it was. active and n_assets are not taken from the row.
 * ERR_INVALID_ARGUMENT: the name is too long. ERR_VAULT_NOT_ACTIVE: it was
 * removed, for ever.
 */
enum err vault_db_put_vault(struct vault_db *db, const struct vault_row *row);

/* What is in it stays, and nobody reads it. ERR_NOT_FOUND. ERR_VAULT_NOT_ACTIVE: it was removed before. */
enum err vault_db_remove_vault(struct vault_db *db, struct uuid vault);

/* ERR_NOT_FOUND. */
enum err vault_db_vault(struct vault_db *db, struct uuid vault, struct vault_row *out);

/* Whether it may be read and written. ERR_NOT_FOUND. ERR_VAULT_NOT_ACTIVE: it was removed. */
enum err vault_db_check_active(struct vault_db *db, struct uuid vault);

/* In the order of ids. *n rows of at most limit from offset; *more when others follow. */
enum err vault_db_list_vaults(struct vault_db *db, uint64_t offset, size_t limit,
    struct vault_row *rows, size_t *n, bool *more);

struct asset_row {
	struct uuid    vault;
	struct uuid    asset;
	enum kind      kind;
	enum key_class key_class; /* of each of its revisions */
	bool           deleted;  /* there are heads, and every one is a tombstone */
	struct wall_ms created;
	uint16_t       n_heads;  /* > 1: a conflict; 0: all revisions are quarantined */
	struct uuid    heads[ASSET_HEADS_MAX]; /* in the order of ids */
};

bool vault_db_has_head(const struct asset_row *a, struct uuid revision);

/*
 * In what follows, classes are bits, 1 << enum key_class: who has not the bit
 * of an asset is answered as if nobody had ever made it.
 */

/* ERR_NOT_FOUND also when the asset is in another vault. */
enum err vault_db_asset(struct vault_db *db, struct uuid vault, struct uuid asset, unsigned classes,
    struct asset_row *out);

struct revision_record {
	struct revision_row row;
	bool        quarantined;
	bool        head;
	struct span sealed_head;  /* borrowed until the next call on this db */
	struct span sealed_title;
	struct span sealed_meta;
};

/*
 * ERR_NOT_FOUND: no such revision. ERR_REVISION_MISMATCH: it is another
 * asset's or another vault's.
 */
enum err vault_db_revision(struct vault_db *db, struct uuid vault, struct uuid asset,
    struct uuid revision, unsigned classes, struct revision_record *out);

/*
 * A page of live assets (they have a head that is no tombstone) in the order
 * of ids, each with the record of its first head that is no tombstone. The
 * time does not depend on the offset, nor on what lies between that is of
 * another class. ERR_NOT_FOUND: no such vault.
 */
struct asset_page_row {
	struct asset_row       asset;
	struct revision_record first_head; /* spans borrowed until the next call on this db */
};
enum err vault_db_list_assets(struct vault_db *db, struct uuid vault, unsigned classes, uint64_t offset,
    size_t limit, struct asset_page_row *rows, size_t *n, bool *more);

/*
 * The first live asset of the vault at or after that id, with its first head
 * that is no tombstone. ERR_NOT_FOUND: there is none.
 */
enum err vault_db_next_asset(struct vault_db *db, struct uuid vault, struct uuid from, struct asset_page_row *out);

/* A page of an asset's revisions in the order of ids, quarantined ones too. ERR_NOT_FOUND: no such asset. */
enum err vault_db_history(struct vault_db *db, struct uuid vault, struct uuid asset, unsigned classes,
    uint64_t offset, size_t limit, struct revision_record *rows, size_t *n, bool *more);

/* A sealed content chunk of a published revision. Borrowed until the next call. ERR_NOT_FOUND. */
enum err vault_db_chunk(struct vault_db *db, struct uuid revision, uint32_t index, struct span *out);

/*
 * Stores a chunk of a revision that nobody sees yet. The same (revision,
 * index) again replaces it. ERR_INVALID_ARGUMENT: the revision is published or
 * being discarded, the chunk is too long, or no file has so many.
 */
enum err vault_db_stage_chunk(struct vault_db *db, struct uuid revision, uint32_t index, struct span sealed);

/*
 * A proposal: a revision that a grant's holder wrote and the owner has not
 * decided on. Its id is the revision's. It is no part of its asset: no list,
 * history or read of revisions finds it. Its row says what it would do: without
 * parents it adds an asset, as a tombstone it removes one, else it edits it.
 */
#define PROPOSALS_MAX    100 /* that wait, of one grant */
#define PROPOSAL_LEN_MAX ((uint64_t)1 << 20)

struct proposal {
	struct uuid         grant;
	struct revision_row row;
	struct span         sealed_head, sealed_title, sealed_meta; /* of one that was read: borrowed until the next call */
};

/*
 * Files a staged revision as a proposal. ERR_TOO_MANY_PROPOSALS: the grant has
 * PROPOSALS_MAX. ERR_NOT_FOUND: no such vault, or no such ordinary asset, of an
 * edit. ERR_VAULT_NOT_ACTIVE. ERR_STALE_BASE: a parent is no head now.
 * ERR_INVALID_ARGUMENT: the class is not ordinary, an asset without parents
 * exists, the revision or the proposal exists, the kind differs, or a length,
 * a parent or a chunk is wrong as for vault_db_publish.
 */
enum err vault_db_put_proposal(struct vault_db *db, const struct proposal *p);

/* Whether the grant may file another: ERR_TOO_MANY_PROPOSALS. */
enum err vault_db_proposals_room(struct vault_db *db, struct uuid grant);

/* ERR_NOT_FOUND also when it is for another vault. */
enum err vault_db_proposal(struct vault_db *db, struct uuid vault, struct uuid proposal, struct proposal *out);

/* A page of the proposals for a vault, in the order of ids. */
enum err vault_db_list_proposals(struct vault_db *db, struct uuid vault, uint64_t offset, size_t limit,
    struct proposal *rows, size_t *n, bool *more);

/* Forgets it and its chunks. ERR_NOT_FOUND. */
enum err vault_db_drop_proposal(struct vault_db *db, struct uuid proposal);

struct new_revision {
	struct revision_row row;
	enum publish_mode mode;
	struct uuid settles; /* a proposal for that vault, dropped with it; zero: none */
	struct span sealed_head, sealed_title, sealed_meta;
	bool        quarantined;
};

/*
 * Publishes a staged revision: its row, its chunks, its asset's heads (the
 * parents stop being heads; another head left over is a conflict).
 * The first revision of an asset has no parents and makes the asset. A
 * tombstone has no chunks; every other revision has those of row.bytes.
 *
 * A quarantined revision becomes no head and leaves its parents heads, whatever
 * the mode; its chunks are kept as they are, all, some or none, and its
 * sealed_head may be empty.
 *
 * A revision has the kind and the class of its asset, and says when that was
 * made, for ever; of a quarantined one the time may be wrong.
 *
 * ERR_NOT_FOUND: no such vault, or no such proposal. ERR_VAULT_NOT_ACTIVE.
 * ERR_STALE_BASE: the parents are not what the mode wants, but may have been.
 * ERR_INVALID_ARGUMENT: the revision exists or is being discarded, an asset
 * without parents exists, a parent is not of this asset or named twice, the
 * kind, the class or the time of the asset differs, the class is not of that
 * kind, a sealed part has a wrong length, a chunk of row.bytes is missing or
 * too many are there, or the asset would have more than ASSET_HEADS_MAX heads.
 */
enum err vault_db_publish(struct vault_db *db, const struct new_revision *r);

/*
 * Drops a staged revision and its chunks; those of a long one remain for
 * vault_db_tend or the next open, and until then its id cannot be staged.
 * OK when there is none.
 */
enum err vault_db_discard(struct vault_db *db, struct uuid revision);

/*
 * Idle work: removes some chunks of discarded revisions, in a group of its own
 * that it commits. *more when others are left. ERR_BUSY: within a group.
 */
enum err vault_db_tend(struct vault_db *db, bool *more);

/*
 * Makes the group of writes durable. OK without one. On an error nothing of
 * the group is visible, except after ERR_STORAGE_FAILED, where the outcome is
 * unknown until the environment is opened anew.
 */
enum err vault_db_commit(struct vault_db *db);

/*
 * The anchor of the log: the newest head that was noted, now or before this
 * environment was opened; size 0: none. It goes with the next commit;
 * vault_db_keep_anchor is one for it alone, and OK when it is on the disk.
 */
struct log_head vault_db_anchor(const struct vault_db *db);
void            vault_db_note_head(struct vault_db *db, const struct log_head *head);
enum err        vault_db_keep_anchor(struct vault_db *db);

/* Forgets the group of writes. */
void vault_db_abort(struct vault_db *db);

#endif
