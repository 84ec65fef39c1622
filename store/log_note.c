#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mailbox/utf8.h"
#include "store/log_note.h"

#define DASH          "\xe2\x80\x94 " /* an em dash and a space */
#define ROOT_CHARS    BASE64_PADDED_LEN(SHA256_LEN)
#define BLOB_LEN      (LOG_KEY_ID_LEN + SIGNATURE_LEN)
#define SIGNATURE_MAX 6144 /* bytes of another algorithm's, with the key's id */

size_t
log_note_text(const struct log_note *n, char out[LOG_NOTE_TEXT_MAX + 1])
{
	char root[ROOT_CHARS + 1] = "";

	base64_encode_padded((struct span){ n->root, sizeof n->root }, root);
	return (size_t)snprintf(out, LOG_NOTE_TEXT_MAX + 1, "%s\n%" PRIu64 "\n%s\n", n->origin, n->size, root);
}

/* With one signature line, under the note's origin. */
static size_t
put(const struct log_note *n, const uint8_t public_key[SIGN_PUBLIC_LEN],
    const uint8_t signature[SIGNATURE_LEN], char out[LOG_NOTE_MADE_MAX + 1])
{
	char text[BASE64_PADDED_LEN(BLOB_LEN) + 1] = "";
	size_t len = log_note_text(n, out);
	uint8_t blob[BLOB_LEN];

	log_key_id(n->origin, public_key, blob);
	memcpy(blob + LOG_KEY_ID_LEN, signature, SIGNATURE_LEN);
	base64_encode_padded((struct span){ blob, sizeof blob }, text);
	return len + (size_t)snprintf(out + len, LOG_NOTE_MADE_MAX + 1 - len, "\n" DASH "%s %s\n", n->origin, text);
}

size_t
log_note_sign(const struct log_note *n, const struct signer *s, char out[LOG_NOTE_MADE_MAX + 1])
{
	uint8_t signature[SIGNATURE_LEN];
	char text[LOG_NOTE_TEXT_MAX + 1];
	size_t len = log_note_text(n, text);

	signer_sign_raw(s, (struct span){ (const uint8_t *)text, len }, signature);
	return put(n, signer_public(s), signature, out);
}

/* The bytes before the next `end`, which is passed over. False when there is none. */
static bool
take_until(struct span *in, char end, struct span *out)
{
	const uint8_t *found = in->len == 0 ? NULL : memchr(in->p, end, in->len);

	if (found == NULL)
		return false;
	*out = (struct span){ in->p, (size_t)(found - in->p) };
	in->p += out->len + 1;
	in->len -= out->len + 1;
	return true;
}

static bool
take_number(struct span digits, uint64_t *out)
{
	uint64_t v = 0;

	if (digits.len == 0 || (digits.p[0] == '0' && digits.len > 1))
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		uint8_t d = (uint8_t)(digits.p[i] - '0');

		if (d > 9 || v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	return true;
}

/* UTF-8 without controls, but for the ends of lines. */
static bool
is_text(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < 0x20 && s.p[i] != '\n')
			return false;
	return utf8_valid(s);
}

static bool
lines_are_full(struct span lines)
{
	struct span line;

	while (lines.len > 0)
		if (!take_until(&lines, '\n', &line) || line.len == 0)
			return false;
	return true;
}

enum err
log_note_text_take(struct span text, struct log_note *out)
{
	struct log_note n = { .text = text, .extensions = text };
	struct span origin, size, root;
	uint8_t bytes[ROOT_CHARS / 4 * 3];
	size_t len;

	if (!is_text(text) || !take_until(&n.extensions, '\n', &origin) ||
	    !take_until(&n.extensions, '\n', &size) || !take_until(&n.extensions, '\n', &root))
		return ERR_INVALID_CONTENT;
	if (origin.len == 0 || origin.len > LOG_ORIGIN_MAX || !take_number(size, &n.size) ||
	    root.len != ROOT_CHARS || base64_decode_padded(root, bytes, &len) != OK || len != SHA256_LEN ||
	    !lines_are_full(n.extensions))
		return ERR_INVALID_CONTENT;
	memcpy(n.origin, origin.p, origin.len);
	memcpy(n.root, bytes, sizeof n.root);
	*out = n;
	return OK;
}

static bool
is_space(uint32_t point)
{
	return point == ' ' || point == 0x85 || point == 0xa0 || point == 0x1680 ||
	    (point >= 0x2000 && point <= 0x200a) || point == 0x2028 || point == 0x2029 ||
	    point == 0x202f || point == 0x205f || point == 0x3000;
}

static bool
is_name(struct span name)
{
	uint32_t point;
	size_t len;

	if (name.len == 0 || memchr(name.p, '+', name.len) != NULL)
		return false;
	for (; name.len > 0; name.p += len, name.len -= len)
		if ((len = utf8_take(name.p, name.len, &point)) == 0 || is_space(point))
			return false;
	return true;
}

/* One signature line: who, and the key's id with what that key signed. */
static bool
take_signature(struct span *lines, struct span *name, uint8_t blob[SIGNATURE_MAX], size_t *len)
{
	struct span line;

	if (!take_until(lines, '\n', &line) || line.len < sizeof DASH - 1 || memcmp(line.p, DASH, sizeof DASH - 1) != 0)
		return false;
	line.p += sizeof DASH - 1;
	line.len -= sizeof DASH - 1;
	return take_until(&line, ' ', name) && is_name(*name) && line.len <= BASE64_PADDED_LEN(SIGNATURE_MAX) &&
	    base64_decode_padded(line, blob, len) == OK && *len > LOG_KEY_ID_LEN;
}

enum err
log_note_take(struct span note, struct log_note *out)
{
	uint8_t blob[SIGNATURE_MAX];
	struct span lines, name, text = note;
	const uint8_t *blank = note.len == 0 || note.len > LOG_NOTE_MAX ? NULL : memmem(note.p, note.len, "\n\n", 2);
	struct log_note n;
	size_t len;

	if (blank == NULL || !is_text(note))
		return ERR_INVALID_CONTENT;
	text.len = (size_t)(blank + 1 - note.p);
	if (log_note_text_take(text, &n) != OK)
		return ERR_INVALID_CONTENT;
	n.signatures = (struct span){ blank + 2, note.len - text.len - 1 };
	lines = n.signatures;
	do {
		if (!take_signature(&lines, &name, blob, &len))
			return ERR_INVALID_CONTENT;
	} while (lines.len > 0);
	*out = n;
	return OK;
}

enum log_note_vouch
log_note_vouched(const struct log_note *n, const char *name, const uint8_t public_key[SIGN_PUBLIC_LEN])
{
	uint8_t blob[SIGNATURE_MAX], id[LOG_KEY_ID_LEN];
	struct span lines = n->signatures, found;
	size_t len;

	log_key_id(name, public_key, id);
	while (take_signature(&lines, &found, blob, &len)) {
		if (found.len != strlen(name) || memcmp(found.p, name, found.len) != 0 || memcmp(blob, id, sizeof id) != 0)
			continue;
		return len == BLOB_LEN && signature_valid_raw(public_key, n->text, blob + LOG_KEY_ID_LEN)
		           ? LOG_NOTE_SIGNED : LOG_NOTE_FORGED;
	}
	return LOG_NOTE_UNSIGNED;
}
