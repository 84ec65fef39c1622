/*
 * custody: the material of a key that opens without the password, held by a
 * backend outside the database. Material is 32 bytes; it is bound to a home, a
 * library and a purpose, and opens nothing anywhere else.
 * Source: docs/store-format.md, "Custody".
 */
#ifndef ESCROW_CUSTODY_H
#define ESCROW_CUSTODY_H

#include "escrow/secret.h"
#include "mailbox/wire.h"

/* What for. Each has an enrolment, material and a place in every backend of its own. */
enum custody_purpose {
	CUSTODY_UNATTENDED, /* reads by grants with nobody at the keyboard */
	CUSTODY_PROFILE,    /* the remote profile, and nothing of a vault */
	CUSTODY_PURPOSE__COUNT
};

/* What material is bound to. */
struct custody_binding {
	enum custody_purpose purpose;
	struct uuid library;
	struct uuid enrolment;
	const char *home;    /* canonical path, (struct home, path) */
	const char *backend; /* which backend holds it */
};

/* What there may be to say besides the error. */
enum custody_detail {
	CUSTODY_NO_DETAIL,
	CUSTODY_NO_LIBRARY,
	CUSTODY_NO_BUS,
	CUSTODY_NO_SERVICE,
	CUSTODY_FOREIGN_SERVICE,
	CUSTODY_NO_COLLECTION,
	CUSTODY_NO_ANSWER,
	CUSTODY_WANTS_PROMPT,
	CUSTODY_SEVERAL_ITEMS,
	CUSTODY_NOT_KEPT,
	CUSTODY_NOT_DELETED,
	CUSTODY_BROKE_PROTOCOL,
	CUSTODY_DETAIL__COUNT
};

/* For people; "" for none, and for what is no detail. */
const char *custody_detail_text(unsigned detail);

/* One backend. Its functions keep the contract of those below. */
struct custody_backend {
	const char *name;
	enum err (*store)(const struct custody_binding *b, const struct key *material, enum custody_detail *why);
	enum err (*load)(const struct custody_binding *b, struct key *material, enum custody_detail *why);
	enum err (*remove)(const struct custody_binding *b, enum custody_detail *why);
};

extern const struct custody_backend custody_owner_file;
extern const struct custody_backend custody_secret_service;

/* ERR_INVALID_ARGUMENT: no backend has that name. ERR_CUSTODY_UNSUPPORTED: it is not built here. */
enum err custody_supported(const char *name);

/*
 * Hands the first KEY_LEN bytes of material to the backend that the binding
 * names; what it held before is replaced. Durable on OK, as far as the backend
 * can tell: a service has given it back, and keeps the file itself.
 *
 * *why  set in each case: what there is to say besides the error
 *
 * As custody_supported. ERR_CUSTODY_UNSAFE: where it would be kept is not the
 * owner's alone. ERR_CUSTODY_LOCKED, ERR_CUSTODY_UNAVAILABLE: the backend says
 * so. ERR_CUSTODY_INVALID: it did not keep what it was given. ERR_STORAGE_FULL, ERR_STORAGE_FAILED, ERR_FILE_UNWRITABLE,
 * ERR_NO_MEMORY. On these the old material stays, but after
 * ERR_STORAGE_FAILED either may be there.
 */
enum err custody_store(const struct custody_binding *b, const struct key *material, enum custody_detail *why);

/*
 * Gets it back. Never asks the person anything.
 *
 * material  its first KEY_LEN bytes are set
 *
 * As custody_supported. ERR_CUSTODY_MISSING: there is none.
 * ERR_CUSTODY_UNSAFE: another user could have read or changed it.
 * ERR_CUSTODY_INVALID: it is damaged, or there are several. ERR_CUSTODY_BINDING: it belongs to
 * another home, library, enrolment or backend. ERR_CUSTODY_LOCKED,
 * ERR_CUSTODY_UNAVAILABLE: the backend says so; worth another try.
 * ERR_STORAGE_FAILED, ERR_NO_MEMORY.
 */
enum err custody_load(const struct custody_binding *b, struct key *material, enum custody_detail *why);

/*
 * Destroys whatever the backend holds for this home and purpose, of any enrolment. OK when
 * there is none. Errors as custody_store; then it may be there still.
 */
enum err custody_remove(const struct custody_binding *b, enum custody_detail *why);

#define CUSTODY_BACKEND_MAX 31 /* bytes of a backend's name */
#define CUSTODY_CONTEXT_MAX (4 + CUSTODY_BACKEND_MAX + 32 + 2 * UUID_LEN + 4 + 7)

/*
 * Puts the canonical bytes of the binding, at most CUSTODY_CONTEXT_MAX however
 * long the home's path is: the context from which the envelope's key is
 * derived (custody_envelope_key), so that another binding derives another key.
 */
void custody_context(const struct custody_binding *b, struct wire_out *o);

#endif
