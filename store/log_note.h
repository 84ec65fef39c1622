/*
 * log_note: a checkpoint, which says what the log holds at one size, as a
 * signed note that any C2SP tool checks:
 *
 *     memories/0198a000-0000-7000-8000-000000000001
 *     65537
 *     TjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+Eha4=
 *
 *     — memories/0198a000-0000-7000-8000-000000000001 M/AnAz…
 *
 * Origin, size and root are the signed text; a line for each signature
 * follows. Every byte that is taken here is hostile input.
 * Source: C2SP signed-note and tlog-checkpoint; docs/store-format.md, "Checkpoints".
 */
#ifndef STORE_LOG_NOTE_H
#define STORE_LOG_NOTE_H

#include "escrow/hash.h"
#include "mailbox/base64.h"
#include "store/log_key.h"

#define LOG_NOTE_MAX       (128 << 10) /* a longer one is not taken */
#define LOG_NOTE_TEXT_MAX  (LOG_ORIGIN_MAX + 1 + 20 + 1 + BASE64_PADDED_LEN(SHA256_LEN) + 1)
#define LOG_NOTE_MADE_MAX  (LOG_NOTE_TEXT_MAX + 1 + 4 + LOG_ORIGIN_MAX + 1 + \
    BASE64_PADDED_LEN(LOG_KEY_ID_LEN + SIGNATURE_LEN) + 1)

struct log_note {
	char        origin[LOG_ORIGIN_MAX + 1];
	uint64_t    size;
	uint8_t     root[SHA256_LEN];

	/* Where it was taken from, borrowed; not looked at when one is made. */
	struct span text;       /* what is signed */
	struct span extensions; /* the lines of the text behind the root */
	struct span signatures; /* the lines behind the text */
};

/* The signed text, and a NUL. Returns its length. */
size_t log_note_text(const struct log_note *n, char out[LOG_NOTE_TEXT_MAX + 1]);

/*
 * The whole note and a NUL, with one signature line under the note's origin: by
 * that key over log_note_text, without a label. Returns its length.
 */
size_t log_note_sign(const struct log_note *n, const struct signer *s, char out[LOG_NOTE_MADE_MAX + 1]);

/*
 * The text alone. There is one spelling of each: no leading zeros, no base64
 * but the canonical, no line but the last missing. ERR_INVALID_CONTENT.
 */
enum err log_note_text_take(struct span text, struct log_note *out);

/*
 * A whole note: text, empty line, at least one signature of any key. Nobody
 * vouches for it before log_note_vouched. ERR_INVALID_CONTENT.
 */
enum err log_note_take(struct span note, struct log_note *out);

enum log_note_vouch {
	LOG_NOTE_UNSIGNED, /* no signature of this key */
	LOG_NOTE_SIGNED,
	LOG_NOTE_FORGED,   /* its signature does not hold: nobody else's counts then */
};

/* Does this key stand behind a note that was taken? Signatures of others are ignored. */
enum log_note_vouch log_note_vouched(const struct log_note *n, const char *name,
    const uint8_t public_key[SIGN_PUBLIC_LEN]);

#endif
