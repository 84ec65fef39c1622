/* asset show: one-time codes. */
#include <string.h>

#include "gateway/otp_uri.h"
#include "tools/command/change.h"
#include "tools/command/show.h"

/* So many others may show a code of the same credential in the same moment. */
#define TRIES 32

enum err
show_otp_uri(struct shown *s, struct otp_uri *out, bool *found)
{
	const struct json *meta;
	struct span text;
	const char *why;
	enum err e = show_meta(s, &meta);

	*out = (struct otp_uri){ .digits = 0 };
	*found = e == OK && json_string(meta, "otp", &text) == JSON_GOT;
	if (*found && otp_uri_parse(text, out, &why) != OK)
		return ERR_STORAGE_CORRUPT;
	return e;
}

static struct span
seed_of(const struct otp_uri *u)
{
	return (struct span){ u->seed, u->seed_len };
}

void
show_totp(const struct otp_uri *u, char code[OTP_DIGITS_MAX + 1], uint32_t *seconds_left)
{
	otp_code(seed_of(u), u->hash, otp_counter_at(clock_wall(), u->period, seconds_left), u->digits, code);
}

static bool
copy_tags(const struct json *tags, struct json_writer *w)
{
	struct span tag;

	json_write_key(w, json_name(tags));
	json_write_array(w);
	for (const struct json *t = json_first(tags); t != NULL; t = json_next(t)) {
		if (!json_as_string(t, &tag))
			return false;
		json_write_string(w, tag);
	}
	json_write_end(w);
	return true;
}

/* The meta as it was, with this for its one-time codes. */
static enum err
write_meta(const struct json *meta, struct span otp, struct json_writer *w)
{
	struct span value;

	json_write_object(w);
	for (const struct json *m = json_first(meta); m != NULL; m = json_next(m)) {
		if (json_type(m) == JSON_ARRAY) {
			if (!copy_tags(m, w))
				return ERR_STORAGE_CORRUPT;
			continue;
		}
		if (!json_as_string(m, &value))
			return ERR_STORAGE_CORRUPT;
		json_member_string(w, json_name(m), strcmp(json_name(m), "otp") == 0 ? otp : value);
	}
	json_write_end(w);
	return OK;
}

/* The counter goes on before the code is seen: a crash loses a code, and never shows one twice. */
static enum err
count_on(struct invocation *in, struct client *c, struct shown *s, const struct otp_uri *u)
{
	/* The same secret under the same title, on that head and on no other. */
	struct change ch = { .like = &s->revision.row, .mode = PUBLISH_ON_HEADS, .n_parents = 1,
		.parents = { s->revision.row.revision }, .copied = &s->revision, .title = secret_span(s->revision.title->plain) };
	struct otp_uri next = *u;
	struct json_writer w = { 0 };
	struct secret *otp = NULL;
	struct uuid made;
	enum err e;

	if (u->counter == OTP_COUNTER_MAX) {
		explain(in, "the counter is used up");
		return ERR_INVALID_CONTENT;
	}
	next.counter++;
	if ((e = otp_uri_write(&next, &otp)) == OK && (e = write_meta(s->meta, secret_span(otp), &w)) == OK &&
	    (e = json_write_done(&w, &ch.meta)) == OK)
		e = change_publish(in, c, &ch, &made);
	json_write_free(&w);
	secret_free(&otp);
	wipe(&next, sizeof next);
	return e;
}

static enum err
hotp_code(struct invocation *in, struct client *c, struct shown *s, struct otp_uri *u, char code[OTP_DIGITS_MAX + 1])
{
	enum err e = count_on(in, c, s, u);
	bool found = true;

	for (unsigned i = 1; e == ERR_STALE_BASE && !option_given(in, "--revision") && i < TRIES; i++) {
		show_free(s);
		if ((e = show_find(in, c, (struct uuid){ { 0 } }, s)) == OK && (e = show_otp_uri(s, u, &found)) == OK)
			e = found && u->hotp ? count_on(in, c, s, u) : ERR_NOT_FOUND;
	}
	if (e == OK)
		otp_code(seed_of(u), u->hash, u->counter, u->digits, code);
	return e;
}

enum err
show_otp_code(struct invocation *in, struct client *c, struct shown *s, struct secret **out)
{
	char code[OTP_DIGITS_MAX + 1] = "";
	struct otp_uri u;
	uint32_t left;
	bool found;
	enum err e;

	if ((e = show_otp_uri(s, &u, &found)) == OK && !found) {
		explain(in, "the credential has no one-time codes");
		e = ERR_NOT_FOUND;
	}
	if (e == OK && u.hotp)
		e = hotp_code(in, c, s, &u, code);
	else if (e == OK)
		show_totp(&u, code, &left);
	if (e == OK && (e = secret_new(strlen(code), out)) == OK)
		memcpy(secret_bytes(*out), code, strlen(code));
	wipe(code, sizeof code);
	wipe(&u, sizeof u);
	return e;
}
