/*
 * secret_service: one item in the default collection of the session bus's
 * Secret Service. It never unlocks, never prompts and never starts a service:
 * where one of these would be needed it refuses.
 * Source: the Secret Service API draft 0.2, freedesktop.org; docs/decisions/0031-secret-service.md.
 */
#ifndef ESCROW_SECRET_SERVICE_H
#define ESCROW_SECRET_SERVICE_H

#include "escrow/custody.h"
#include "escrow/hash.h"
#include "mailbox/clock.h"

#define SECRET_SERVICE_MAX 512 /* bytes of a secret */

/* By what the item is found. None of it is secret: whoever is on the bus can read it. */
struct secret_service_key {
	enum custody_purpose purpose;
	struct uuid library;
	struct uuid enrolment;
	uint8_t     home[SHA256_LEN]; /* of the home's canonical path */
};

/*
 * Stores text of at most SECRET_SERVICE_MAX bytes, and reads it back before it says OK.
 * Items of other enrolments of this library and home are deleted then.
 *
 * until  when to stop waiting for the service
 * *why   set where there is more to say of the error
 *
 * ERR_CUSTODY_UNAVAILABLE: no bus, no service, no default collection, or no
 * answer. ERR_CUSTODY_LOCKED: collection or item is locked, or the service
 * wants to ask the person. ERR_CUSTODY_INVALID: another text came back, or
 * none, or the service broke its protocol. ERR_CUSTODY_UNSAFE: the service is
 * another user's. ERR_NO_MEMORY. On these the item may be there.
 */
enum err secret_service_store(const struct secret_service_key *k, struct span text,
    struct mono_ms until, enum custody_detail *why);

/*
 * Gets the text of the one item of that library and enrolment. *text is new,
 * the caller frees it. Errors as above, and ERR_CUSTODY_MISSING: there is none;
 * ERR_CUSTODY_INVALID also: there is more than one, or it is too long.
 */
enum err secret_service_load(const struct secret_service_key *k, struct mono_ms until,
    struct secret **text, enum custody_detail *why);

/*
 * Deletes every item of that library with that enrolment or that home. OK when
 * there is none. Errors as above; then some may be there still.
 */
enum err secret_service_remove(const struct secret_service_key *k, struct mono_ms until,
    enum custody_detail *why);

#endif
