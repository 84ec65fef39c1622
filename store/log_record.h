/*
 * log_record: one entry of the signed log, and its one canonical encoding, the
 * leaf. No content, no title, no name is in it.
 * Source: docs/store-format.md, "Log records".
 */
#ifndef STORE_LOG_RECORD_H
#define STORE_LOG_RECORD_H

#include "escrow/hash.h"
#include "mailbox/clock.h"
#include "mailbox/words.h"
#include "mailbox/wire.h"

enum log_type {
	LOG_INTENT = 1, /* bytes may leave; the chunks or rows that the ticket opens */
	LOG_WRITE,      /* keys for a new revision were given to its writer */
	LOG_INDEX,      /* a search index was built over a vault */
	LOG_REFUSAL,
	LOG_GRANT,
	LOG_REVOKE,
	LOG_UNLOCK,     /* outcome says whether it worked */
	LOG_LOCK,
	LOG_RESUME,
	LOG_ENABLE,
	LOG_DISABLE,
	LOG_EPOCH,
	LOG_REPAIR,
	LOG_CHECKPOINT,
	LOG_CONFIG,
	LOG__COUNT
};

/* What a LOG_CONFIG record says was changed: the first byte of its extra, before the id that it is about. */
enum log_config {
	CONFIG_NONE,
	CONFIG_PASSWORD,
	CONFIG_CENTER,         /* a Center manages the library from now on */
	CONFIG_NO_CENTER,
	CONFIG_DEVICE_REMOVED, /* id: the device */
	CONFIG_VAULT_REMOVED,  /* id: the vault */
	CONFIG_DEVICE_ADDED,   /* id: the device */
	CONFIG_PROFILE_ENABLED,
	CONFIG_PROFILE_DISABLED,
	CONFIG_PROFILE_MAINTENANCE,
	CONFIG_PROFILE_NO_MAINTENANCE,
	CONFIG_CONNECTION_REDUCED, /* id: the connection */
	CONFIG__COUNT
};

#define LOG_CONFIG_LEN (1 + UUID_LEN)

enum log_outcome {
	LOG_DONE,
	LOG_REFUSED,
};

enum log_subject {
	LOG_NOBODY,
	LOG_GRANT_ID,      /* subject is a grant */
	LOG_CONNECTION_ID, /* subject is an OAuth connection */
	LOG_TERMINAL,      /* subject is 16 bytes of a hash of uid, session and terminal */
	LOG_DAEMON,
};

/* One row that a page shows. */
struct log_ref {
	struct uuid asset;
	struct uuid revision;
};

#define LOG_REFS_MAX   100
#define LOG_REASON_MAX 32   /* a stable error code, without NUL */
#define LOG_EXTRA_MAX  512  /* what a type adds: an epoch's key and certificate */
#define LOG_SEALED_MAX 1024 /* a sealed text of the owner */
#define LOG_LEAF_MAX   8192

struct log_record {
	uint64_t         index;   /* set by the log */
	struct uuid      epoch;   /* set by the log */
	struct wall_ms   wall;    /* set by the log */
	struct mono_ms   boot;    /* set by the log */
	enum log_type    type;
	enum log_outcome outcome;
	enum surface     surface;
	enum log_subject subject_kind;
	struct uuid      subject;
	enum op          op;
	struct uuid      vault;
	struct uuid      asset;
	struct uuid      revision;
	uint64_t         offset;
	uint64_t         length;
	uint32_t         first_chunk; /* for bytes: the chunks whose keys left */
	uint32_t         n_chunks;
	uint64_t         ask_id;
	uint8_t          ticket_hash[SHA256_LEN]; /* zero when no ticket was made */
	char             reason[LOG_REASON_MAX + 1];
	uint16_t         n_refs;
	struct span      refs;    /* n_refs encoded struct log_ref, 32 bytes each */
	struct span      extra;
	struct span      sealed;
};

/* The leaf: at most LOG_LEAF_MAX bytes for every record within the limits above. */
void log_record_put(struct wire_out *o, const struct log_record *r);

/*
 * Takes exactly one leaf; spans point into it. Fails the reader on any byte
 * that the encoder would not have written.
 */
void log_record_take(struct wire_in *in, struct log_record *out);

/* The i-th row of a page's record; i < n_refs. */
struct log_ref log_record_ref(const struct log_record *r, size_t i);

/* Fills the extra of a LOG_CONFIG record; and takes it: false when it is none of ours. */
void log_config_put(enum log_config what, struct uuid about, uint8_t out[LOG_CONFIG_LEN]);
bool log_config_take(struct span extra, enum log_config *what, struct uuid *about);

/* "password", "center", ...; "?" out of range. */
const char *log_config_name(enum log_config c);

/* "intent", "write", ...; "?" out of range. */
const char *log_type_name(enum log_type t);

#endif
