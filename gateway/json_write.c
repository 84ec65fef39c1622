#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escrow/secret.h"
#include "gateway/json_write.h"
#include "mailbox/base64.h"
#include "mailbox/utf8.h"

#define FIRST_CAP 512
#define DEPTH_MAX 64

void
json_write_free(struct json_writer *w)
{
	if (w->p != NULL)
		wipe(w->p, w->cap);
	free(w->p);
	*w = (struct json_writer){ 0 };
}

void
json_write_clear(struct json_writer *w)
{
	if (w->p != NULL)
		wipe(w->p, w->len);
	*w = (struct json_writer){ .p = w->p, .cap = w->cap };
}

enum err
json_write_done(const struct json_writer *w, struct span *out)
{
	if (w->failed)
		return ERR_NO_MEMORY;
	if (w->depth > 0 || !w->comma)
		return ERR_INTERNAL;
	*out = (struct span){ w->p, w->len };
	return OK;
}

/* Room for n more bytes. Not realloc: that leaves the old bytes behind. */
static uint8_t *
room(struct json_writer *w, size_t n)
{
	size_t cap = w->cap == 0 ? FIRST_CAP : w->cap;
	uint8_t *p;

	if (w->failed || n > SIZE_MAX / 4 - w->len) {
		w->failed = true;
		return NULL;
	}
	if (n <= w->cap - w->len)
		return w->p + w->len;
	while (cap - w->len < n)
		cap *= 2;
	if ((p = malloc(cap)) == NULL) {
		w->failed = true;
		return NULL;
	}
	if (w->p != NULL) {
		memcpy(p, w->p, w->len);
		wipe(w->p, w->cap);
		free(w->p);
	}
	w->p = p;
	w->cap = cap;
	return p + w->len;
}

static void
put(struct json_writer *w, const void *bytes, size_t n)
{
	uint8_t *at;

	if (n > 0 && (at = room(w, n)) != NULL) {
		memcpy(at, bytes, n);
		w->len += n;
	}
}

static void
start_value(struct json_writer *w)
{
	if (w->comma)
		put(w, ",", 1);
	w->comma = true;
}

static void
open_nested(struct json_writer *w, bool is_array)
{
	uint64_t bit;

	start_value(w);
	if (w->depth == DEPTH_MAX) {
		w->failed = true;
		return;
	}
	bit = (uint64_t)1 << w->depth++;
	w->arrays = is_array ? w->arrays | bit : w->arrays & ~bit;
	w->comma = false;
	put(w, is_array ? "[" : "{", 1);
}

void
json_write_object(struct json_writer *w)
{
	open_nested(w, false);
}

void
json_write_array(struct json_writer *w)
{
	open_nested(w, true);
}

void
json_write_end(struct json_writer *w)
{
	if (w->depth == 0) {
		w->failed = true;
		return;
	}
	w->depth--;
	put(w, w->arrays >> w->depth & 1 ? "]" : "}", 1);
	w->comma = true;
}

void
json_write_key(struct json_writer *w, const char *name)
{
	json_write_text(w, name);
	put(w, ":", 1);
	w->comma = false;
}

static bool
is_plain(uint8_t c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* One character that is not plain ASCII, as it is written; returns how many bytes it was. */
static size_t
spell(const uint8_t *p, size_t n, char out[8], size_t *out_len)
{
	static const char letters[] = "\"\\\b\f\n\r\t", escapes[] = "\"\\bfnrt";
	uint32_t point = 0xfffd;
	size_t len = utf8_take(p, n, &point);
	const char *at = point != 0 && point < 0x80 ? strchr(letters, (int)point) : NULL;

	if (at != NULL)
		*out_len = (size_t)snprintf(out, 8, "\\%c", escapes[at - letters]);
	else if (len <= 1 || point == 0x2028 || point == 0x2029)
		*out_len = (size_t)snprintf(out, 8, "\\u%04x", (unsigned)point);
	else
		memcpy(out, p, *out_len = len);
	return len == 0 ? 1 : len;
}

void
json_write_string(struct json_writer *w, struct span s)
{
	size_t run, len;
	char text[8];

	start_value(w);
	put(w, "\"", 1);
	while (s.len > 0 && !w->failed) {
		for (run = 0; run < s.len && is_plain(s.p[run]); run++)
			;
		put(w, s.p, run);
		if (run < s.len) {
			run += spell(s.p + run, s.len - run, text, &len);
			put(w, text, len);
		}
		s.p += run;
		s.len -= run;
	}
	put(w, "\"", 1);
}

size_t
json_string_fit(struct span s, size_t room)
{
	size_t done = 0, len, taken;
	char text[8];

	if (room < 2)
		return 0;
	for (room -= 2; done < s.len; done += taken, room -= len) {
		taken = len = 1;
		if (!is_plain(s.p[done]))
			taken = spell(s.p + done, s.len - done, text, &len);
		if (len > room)
			break;
	}
	return done;
}

void
json_write_text(struct json_writer *w, const char *s)
{
	json_write_string(w, (struct span){ (const uint8_t *)s, strlen(s) });
}

void
json_write_u64(struct json_writer *w, uint64_t v)
{
	char text[24];

	start_value(w);
	put(w, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, v));
}

void
json_write_i64(struct json_writer *w, int64_t v)
{
	char text[24];

	start_value(w);
	put(w, text, (size_t)snprintf(text, sizeof text, "%" PRId64, v));
}

void
json_write_bool(struct json_writer *w, bool v)
{
	start_value(w);
	put(w, v ? "true" : "false", v ? 4 : 5);
}

void
json_write_null(struct json_writer *w)
{
	start_value(w);
	put(w, "null", 4);
}

void
json_write_id(struct json_writer *w, struct uuid id)
{
	char text[UUID_TEXT_LEN + 1];

	uuid_text(id, text);
	json_write_text(w, text);
}

void
json_write_base64(struct json_writer *w, struct span bytes)
{
	size_t len = base64_len(bytes.len);
	uint8_t *at;

	start_value(w);
	if ((at = room(w, len + 2)) == NULL)
		return;
	at[0] = '"';
	base64_encode(bytes, (char *)at + 1);
	at[len + 1] = '"';
	w->len += len + 2;
}

void
json_write_raw(struct json_writer *w, struct span value)
{
	start_value(w);
	put(w, value.p, value.len);
}

void
json_write_error(struct json_writer *w, enum err e, const char *message)
{
	json_write_object(w);
	json_write_key(w, "error");
	json_write_object(w);
	json_write_key(w, "code");
	json_write_text(w, err_code(e));
	json_write_key(w, "message");
	json_write_text(w, message != NULL ? message : err_text(e));
	json_write_end(w);
	json_write_end(w);
}

void
json_member_string(struct json_writer *w, const char *name, struct span s)
{
	json_write_key(w, name);
	json_write_string(w, s);
}

void
json_member_text(struct json_writer *w, const char *name, const char *s)
{
	json_write_key(w, name);
	json_write_text(w, s);
}

void
json_member_u64(struct json_writer *w, const char *name, uint64_t v)
{
	json_write_key(w, name);
	json_write_u64(w, v);
}

void
json_member_bool(struct json_writer *w, const char *name, bool v)
{
	json_write_key(w, name);
	json_write_bool(w, v);
}

void
json_member_id(struct json_writer *w, const char *name, struct uuid id)
{
	json_write_key(w, name);
	json_write_id(w, id);
}

void
json_member_time(struct json_writer *w, const char *name, struct wall_ms t)
{
	char text[CLOCK_TEXT_LEN + 1];

	json_write_key(w, name);
	if (t.ms == 0) {
		json_write_null(w);
		return;
	}
	clock_text(t, text);
	json_write_text(w, text);
}

void
json_member_texts(struct json_writer *w, const char *name, const char *a, const char *b)
{
	json_write_key(w, name);
	json_write_array(w);
	json_write_text(w, a);
	if (b != NULL)
		json_write_text(w, b);
	json_write_end(w);
}
