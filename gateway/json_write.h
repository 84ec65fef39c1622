/*
 * json_write: JSON text, written in order into a buffer that is wiped when it
 * grows and when it is freed, for content passes through it. Nothing is ever
 * parsed back or printed by a library, so numbers and order are ours.
 *
 * struct json_writer w = { 0 } is an empty writer. Commas and colons come by
 * themselves; the text is one line. A writer that failed once stays failed, so
 * a caller checks once, with json_write_done.
 */
#ifndef GATEWAY_JSON_WRITE_H
#define GATEWAY_JSON_WRITE_H

#include "mailbox/clock.h"
#include "mailbox/err.h"
#include "mailbox/wire.h"

struct json_writer {
	uint8_t *p;       /* owned */
	size_t   len;
	size_t   cap;
	uint64_t arrays;  /* bit i: what is open at depth i is an array */
	unsigned depth;
	bool     comma;   /* the next key or value needs one */
	bool     failed;
};

/* Wipes and frees the buffer; the writer is empty again. */
void json_write_free(struct json_writer *w);

/* Wipes what was written and keeps the buffer. */
void json_write_clear(struct json_writer *w);

/*
 * What was written: one complete value. Borrowed until the next call that
 * writes. ERR_NO_MEMORY: a part did not fit. ERR_INTERNAL: nothing was
 * written, or something is still open.
 */
enum err json_write_done(const struct json_writer *w, struct span *out);

/* At most 64 deep. json_write_end closes whichever was opened last. */
void json_write_object(struct json_writer *w);
void json_write_array(struct json_writer *w);
void json_write_end(struct json_writer *w);

void json_write_key(struct json_writer *w, const char *name);

/*
 * Escapes quotes, backslashes, controls, U+2028 and U+2029. A byte that is not
 * part of well-formed UTF-8 becomes U+FFFD, so the output is always JSON.
 */
void json_write_string(struct json_writer *w, struct span s);
void json_write_text(struct json_writer *w, const char *s);

/* How many bytes of s, in whole characters, take at most room bytes when they are written, quotes included. */
size_t json_string_fit(struct span s, size_t room);

void json_write_u64(struct json_writer *w, uint64_t v);
void json_write_i64(struct json_writer *w, int64_t v);
void json_write_bool(struct json_writer *w, bool v);
void json_write_null(struct json_writer *w);
void json_write_id(struct json_writer *w, struct uuid id);

/* A key and its value. */
void json_member_string(struct json_writer *w, const char *name, struct span s);
void json_member_text(struct json_writer *w, const char *name, const char *s);
void json_member_u64(struct json_writer *w, const char *name, uint64_t v);
void json_member_bool(struct json_writer *w, const char *name, bool v);
void json_member_id(struct json_writer *w, const char *name, struct uuid id);

/* RFC 3339, UTC, with seconds; null for 0: never. */
void json_member_time(struct json_writer *w, const char *name, struct wall_ms t);

/* An array of one or two strings; b NULL: of one. */
void json_member_texts(struct json_writer *w, const char *name, const char *a, const char *b);

/* The bytes as a string of base64url without padding. */
void json_write_base64(struct json_writer *w, struct span bytes);

/* One complete JSON value, taken as it is. */
void json_write_raw(struct json_writer *w, struct span value);

/*
 * {"error":{"code":…,"message":…}}, as every command prints it.
 * message   NULL: err_text(e)
 */
void json_write_error(struct json_writer *w, enum err e, const char *message);

#endif
