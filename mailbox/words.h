/*
 * words: the small vocabularies that messages, disk and log share. Their
 * numbers are stored, so they never change; the names are what people see.
 */
#ifndef MAILBOX_WORDS_H
#define MAILBOX_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mailbox/err.h"

enum kind {
	KIND_MEMORY = 1,
	KIND_CARD,
	KIND_FILE,
	KIND_CREDENTIAL,
};

/* Which of a vault's four class keys covers a revision. */
enum key_class {
	CLASS_ORDINARY,
	CLASS_PRIVATE,
	CLASS_FILE,
	CLASS_CREDENTIAL,
	CLASS__COUNT
};

#define CLASSES_ALL ((1u << CLASS__COUNT) - 1) /* classes as bits: 1 << enum key_class */

/* What a sealed piece of a revision is. */
enum part {
	PART_HEAD = 1, /* the total length */
	PART_TITLE,    /* what every reader in scope may see of it in a list */
	PART_META,     /* file name, media type, tags: for the owner */
	PART_CONTENT,  /* the bytes, in chunks */
	PART_NAME,     /* the name of a vault */
	PART_FOUND,    /* a page of search results; never stored */
};

/* What an ask wants done. */
enum op {
	OP_NONE,
	OP_LIST,             /* unattended or owner: the assets of a vault */
	OP_HISTORY,          /* the revisions of an asset */
	OP_READ,             /* bytes of a memory, card or file */
	OP_CREDENTIAL_BYTES, /* bytes of a credential */
	OP_VAULT_LIST,       /* owner: the vaults and their names */
	OP_WRITE_ASSET,      /* owner: a new revision */
	OP_WRITE_NAME,       /* owner: a vault's name */
	OP_DETAILS,          /* owner: one revision's title and meta */
	OP_LIST_DETAILS,     /* owner: the assets of a vault, each with title and meta */
	OP_SEARCH,           /* owner or ordinary grant: what matches a query */
	OP_PROPOSE,          /* ordinary grant: a new revision that waits for the owner's word */
	OP_PROPOSAL_LIST,    /* owner: what waits */
	OP_PROPOSAL_READ,    /* owner: bytes of one of them */
	OP_PROFILE_READ,     /* connection: the facts that it sees, or a page of them */
	OP_PROFILE_SEARCH,   /* connection: those that match */
	OP_PROFILE_PROPOSE,  /* connection: a new fact that waits for the owner's word */
	OP_PROFILE_CORRECT,  /* connection: a change or an end of one, likewise */
	OP_PROFILE_LIST,     /* owner: facts, proposals, what is shared */
	OP_PROFILE_CHANGE,   /* owner: any change of the profile */
	OP__COUNT
};

/* What a grant is for. */
enum grant_type {
	GRANT_UNATTENDED = 1, /* reads with nobody at the keyboard; under the unattended key */
	GRANT_ORDINARY,       /* a local assistant beside its owner; under the root key */
	GRANT_CONNECTION,     /* a remote assistant that the owner let in; over HTTP, to the profile and to nothing else */
};

/* What a connection may do. Numbers and names are RFC 6749 scopes: scope_name. */
enum scope {
	SCOPE_READ,    /* profile:read */
	SCOPE_PROPOSE, /* profile:propose */
	SCOPE_CORRECT, /* profile:correct */
	SCOPE_SEARCH,  /* context:search; only beside SCOPE_READ */
	SCOPE__COUNT
};

#define SCOPES_ALL ((1u << SCOPE__COUNT) - 1)

/* What a fact is about. The first five may be shared, the others never are. */
enum category {
	CATEGORY_BASIC,
	CATEGORY_PREFERENCE,
	CATEGORY_HABIT,
	CATEGORY_GOAL,
	CATEGORY_WORK_STUDY,
	CATEGORY_HEALTH,
	CATEGORY_RELATIONSHIP,
	CATEGORY_UNCATEGORIZED,
	CATEGORY__COUNT
};

#define CATEGORIES_SHAREABLE 0x1fu

/* How the endpoint stands, from outside. */
enum http_phase {
	HTTP_OFF,         /* not enabled */
	HTTP_LOCKED,      /* enabled, and its key is not there */
	HTTP_MAINTENANCE, /* the owner says so */
	HTTP_SERVES,
	HTTP_NEVER,       /* was never enabled: nothing listens */
};

const char *http_phase_name(enum http_phase phase);

/* Why the endpoint does nothing in that phase; OK: it serves. */
enum err http_phase_error(enum http_phase phase);

/* Why a connection is over. */
enum connection_end {
	CONNECTION_LIVES,
	CONNECTION_REVOKED,  /* by the owner */
	CONNECTION_LEFT,     /* by the client: RFC 7009 */
	CONNECTION_REPLAYED, /* an old refresh token, or a used code, was shown again */
};

/* Where an ask came in. */
enum surface {
	SURFACE_NONE,
	SURFACE_CLI,
	SURFACE_STDIO,
	SURFACE_HTTP,
	SURFACE_OWNER,
	SURFACE__COUNT
};

/* What is known of locking before the machine sleeps; told by the process that watches for it. */
enum sleep_word {
	SLEEP_UNKNOWN,   /* nobody told */
	SLEEP_UNWATCHED, /* no logind says so */
	SLEEP_NO_DELAY,  /* it is said, and the machine does not wait */
	SLEEP_WATCHED,
	SLEEP_COMES,     /* now: lock */
};

#define SLEEP_TELL_MS  30000 /* it is told again so often */
#define SLEEP_STALE_MS 90000 /* and not known any more when it was not for so long */

/* The class of a new revision. Only memories and cards can be private. */
enum key_class class_of(enum kind kind, bool is_private);

bool kind_known(unsigned v);
bool op_known(unsigned v);

/* It is answered with the key of a new revision; with a page of rows. */
bool op_writes(enum op op);
bool op_lists(enum op op);
bool op_is_profile(enum op op); /* and goes to the profile's actor */

/* Which scopes an operation takes of a connection, as bits; 0: it is none of a connection's. */
uint8_t op_scopes(enum op op);

/* Without what goes beside another scope only, where that is missing. */
uint8_t scopes_closed(uint8_t scopes);

bool grant_type_known(unsigned v);

/* "memory", "list", "cli", "unattended", "ordinary"; "?" for a value out of range. */
const char *kind_name(enum kind k);
const char *op_name(enum op op);
const char *surface_name(enum surface s);
const char *grant_type_name(enum grant_type t);
const char *class_name(enum key_class c);

/* "profile:read", "basic"; "?" for a value out of range. Of a name: false when it is none of ours. */
const char *scope_name(enum scope s);
const char *category_name(enum category c);
bool scope_of_name(const char *name, size_t len, enum scope *out);
bool category_of_name(const char *name, size_t len, enum category *out);

/* False when the word is none of ours. */
bool kind_of_name(const char *name, enum kind *out);
bool class_of_name(const char *name, enum key_class *out);

#endif
