/*
 * sensitive: texts that look like a secret, a one-time code, or the number of
 * a card or a person. What must never be shared, and never be kept as a fact:
 * docs/decisions/0041-what-is-sensitive.md says what is seen and what is not.
 *
 * It looks at one text at a time, as people see it: full-width and other
 * digits are plain ones, what has no width is passed over. It errs to the side
 * of refusing. Phone numbers, addresses, dates and mail are no secrets here.
 */
#ifndef GATEWAY_SENSITIVE_H
#define GATEWAY_SENSITIVE_H

#include "mailbox/wire.h"

#define SENSITIVE_TEXT_MAX 8192 /* bytes that are looked at; PROFILE_TEXT_MAX or more */

enum sensitive {
	SENSITIVE_NONE,
	SENSITIVE_PASSWORD,    /* a password, passphrase or PIN with its name beside it */
	SENSITIVE_TOKEN,       /* an API key or token: a known prefix, its name beside it, or a run without words in it */
	SENSITIVE_CODE,        /* a one-time code, or what opens a door or a card */
	SENSITIVE_PRIVATE_KEY, /* RFC 7468 and OpenSSH private keys, age keys */
	SENSITIVE_SEED,        /* 12 words or more in a row, as of BIP-39 */
	SENSITIVE_CARD,        /* a payment card: ISO/IEC 7812, Luhn */
	SENSITIVE_RESIDENT_ID, /* GB 11643, 18 digits or the old 15 */
	SENSITIVE_SSN,         /* of the United States */
	SENSITIVE_IBAN,        /* ISO 13616, or a bank account with its name beside it */
	SENSITIVE_PASSPORT,    /* with its name beside it */
	SENSITIVE_TOO_LONG,    /* longer than SENSITIVE_TEXT_MAX: nobody looked */
	SENSITIVE__COUNT
};

/* The first kind found. utf8 is any bytes. */
enum sensitive sensitive_kind(struct span utf8);

/* sensitive_kind found something. */
bool sensitive_text(struct span utf8);

/*
 * A fact: each text by itself, and the label as the name of the value, so that
 * "Wi-Fi password" and what it is are seen as what they are.
 */
enum sensitive sensitive_fact(struct span label, struct span value);

/* "a password", "a card's number": for people; never what was found. */
const char *sensitive_name(enum sensitive kind);

#endif
