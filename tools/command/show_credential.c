/* asset show: a credential's fields, for people and as JSON. */
#include <string.h>

#include "gateway/otp_uri.h"
#include "tools/command/show.h"

void
show_lines(struct span text, const char *indent)
{
	size_t len;

	for (; text.len > 0; text = (struct span){ text.p + len + 1, text.len - len - 1 }) {
		for (len = 0; len < text.len && text.p[len] != '\n' && text.p[len] != '\t'; len++)
			;
		print_safe((struct span){ text.p, len });
		if (len == text.len)
			return;
		if (text.p[len] == '\n')
			print_line("\n%s", indent);
		else
			print_line("\t");
	}
}

static void
print_value(const char *name, struct span value)
{
	print_line("%-9s ", name);
	show_lines(value, "          ");
	print_line("\n");
}

static void
print_member(const struct json *meta, const char *name, const char *shown_as)
{
	struct span value;

	if (json_string(meta, name, &value) == JSON_GOT)
		print_value(shown_as, value);
}

static void
print_tags(const struct json *meta)
{
	const struct json *tags;
	struct span tag;

	if (json_array(meta, "tags", &tags) == JSON_GOT)
		for (const struct json *t = json_first(tags); t != NULL; t = json_next(t))
			if (json_as_string(t, &tag))
				print_value("tag:", tag);
}

/* HOTP's next code is shown by `--field otp` alone: showing it uses it up. */
static enum err
print_otp(struct shown *s)
{
	char code[OTP_DIGITS_MAX + 1];
	struct otp_uri u;
	uint32_t left;
	bool found;
	enum err e = show_otp_uri(s, &u, &found);

	if (e == OK && found && u.hotp) {
		print_line("%-9s counter %llu; --field otp gives its code and counts on\n", "hotp:", (unsigned long long)u.counter);
	} else if (e == OK && found) {
		show_totp(&u, code, &left);
		print_line("%-9s %s (%u s left)\n", "otp:", code, (unsigned)left);
		wipe(code, sizeof code);
	}
	wipe(&u, sizeof u);
	return e;
}

enum err
show_credential_text(struct client *c, struct shown *s)
{
	const struct json *meta;
	struct secret *secret = NULL;
	enum err e;

	if ((e = show_meta(s, &meta)) != OK || (e = revision_content(c, &s->revision, &secret)) != OK)
		return e;
	print_value("title:", secret_span(s->revision.title->plain));
	print_tags(meta);
	print_member(meta, "username", "username:");
	print_member(meta, "url", "url:");
	print_value("secret:", secret_span(secret));
	if ((e = print_otp(s)) == OK)
		print_member(meta, "notes", "notes:");
	secret_free(&secret);
	return e;
}

enum err
show_credential_otp(struct shown *s, struct json_writer *w)
{
	char code[OTP_DIGITS_MAX + 1];
	struct otp_uri u;
	uint32_t left;
	bool found;
	enum err e = show_otp_uri(s, &u, &found);

	if (e == OK && found) {
		json_write_key(w, "otp");
		json_write_object(w);
		json_member_text(w, "type", u.hotp ? "hotp" : "totp");
		if (u.hotp) {
			json_member_u64(w, "counter", u.counter);
		} else {
			show_totp(&u, code, &left);
			json_member_text(w, "code", code);
			json_member_u64(w, "seconds_left", left);
			json_member_u64(w, "period", u.period);
			wipe(code, sizeof code);
		}
		json_write_end(w);
	}
	wipe(&u, sizeof u);
	return e;
}
