#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "escrow/terminal.h"
#include "gateway/otp_uri.h"
#include "gateway/writer.h"
#include "mailbox/utf8.h"
#include "tools/command/credential.h"
#include "tools/command/source.h"

#define LINE_MAX_LEN   1024u /* of username and url */
#define CREDENTIAL_MAX ((size_t)65536)

static const char *const names[CREDENTIAL__COUNT] = { "username", "url", "notes", "otp" };
static const char *const options[CREDENTIAL__COUNT] = { "--username", "--url", "--notes-file", "--otp-file" };

bool
credential_has_options(const struct invocation *in)
{
	for (size_t i = 0; i < CREDENTIAL__COUNT; i++)
		if (option_given(in, options[i]))
			return true;
	return false;
}

void
credential_free(struct credential_fields *f)
{
	for (size_t i = 0; i < CREDENTIAL__COUNT; i++)
		secret_free(&f->given[i]);
}

/* A line of text from an argument. */
static enum err
take_line(struct invocation *in, const char *option, struct secret **out)
{
	const char *text = option_value(in, option);
	size_t len = strlen(text);
	enum err e;

	if (len > LINE_MAX_LEN || !content_text_valid((struct span){ (const uint8_t *)text, len }, LINE_MAX_LEN) ||
	    strpbrk(text, "\r\n\t") != NULL) {
		snprintf(in->detail, sizeof in->detail, "%s is one line of UTF-8, at most 1024 bytes", option);
		return ERR_INVALID_ARGUMENT;
	}
	if ((e = secret_new(len, out)) == OK && len > 0)
		memcpy(secret_bytes(*out), text, len);
	return e;
}

static void
drop_newline(struct secret *s)
{
	struct span text = secret_span(s);

	if (text.len > 0 && text.p[text.len - 1] == '\n')
		secret_cut(s, text.len - (text.len > 1 && text.p[text.len - 2] == '\r' ? 2 : 1));
}

/* From where the option says: at a terminal, `-` is a question. */
static enum err
read_secret(struct invocation *in, const char *path, const char *prompt, bool *stdin_taken, struct secret **out)
{
	struct source s;
	enum err e;

	if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
		return terminal_password(prompt, out);
	if (strcmp(path, "-") == 0 && *stdin_taken)
		return invalid(in, "only one of the inputs can be `-`");
	*stdin_taken = *stdin_taken || strcmp(path, "-") == 0;
	if ((e = source_open(in, path, &s)) != OK)
		return e;
	if ((e = source_read(&s, META_LEN_MAX, out)) == ERR_TOO_LARGE)
		snprintf(in->detail, sizeof in->detail, "%.1000s: notes and seeds have at most 4 KiB", path);
	source_close(&s);
	return e;
}

static enum err
take_notes(struct invocation *in, bool *stdin_taken, struct secret **out)
{
	enum err e = read_secret(in, option_value(in, options[CREDENTIAL_NOTES]), PROMPT_NOTES, stdin_taken, out);

	if (e != OK)
		return e;
	drop_newline(*out);
	if (content_text_valid(secret_span(*out), META_LEN_MAX))
		return OK;
	explain(in, "the notes are no UTF-8, or hold a NUL");
	return ERR_INVALID_CONTENT;
}

/* An empty one drops what was there; an edit means that, and an addition finds it in its meta nowhere. */
static enum err
take_otp(struct invocation *in, bool *stdin_taken, struct secret **out)
{
	struct secret *text = NULL;
	struct otp_uri u;
	const char *why;
	enum err e = read_secret(in, option_value(in, options[CREDENTIAL_OTP]), PROMPT_SEED, stdin_taken, &text);

	if (e != OK)
		return e;
	drop_newline(text);
	if (secret_len(text) == 0) {
		*out = text;
		return OK;
	}
	if ((e = otp_uri_parse(secret_span(text), &u, &why)) == OK)
		e = otp_uri_write(&u, out);
	else
		snprintf(in->detail, sizeof in->detail, "one-time code: %s", why);
	wipe(&u, sizeof u);
	secret_free(&text);
	return e;
}

enum err
credential_take(struct invocation *in, enum kind kind, bool stdin_taken, struct credential_fields *out)
{
	struct credential_fields f = { { NULL } };
	enum err e = OK;

	if (!credential_has_options(in)) {
		*out = f;
		return OK;
	}
	if (kind != KIND_CREDENTIAL)
		return invalid(in, "--username, --url, --notes-file and --otp-file are for credentials");
	for (size_t i = 0; i < CREDENTIAL__COUNT && e == OK; i++) {
		if (!option_given(in, options[i]))
			continue;
		e = i == CREDENTIAL_NOTES ? take_notes(in, &stdin_taken, &f.given[i])
		    : i == CREDENTIAL_OTP ? take_otp(in, &stdin_taken, &f.given[i]) : take_line(in, options[i], &f.given[i]);
	}
	if (e != OK)
		credential_free(&f);
	else
		*out = f;
	return e;
}

bool
credential_replaces(const struct credential_fields *f, const char *name)
{
	for (size_t i = 0; i < CREDENTIAL__COUNT; i++)
		if (f->given[i] != NULL && strcmp(names[i], name) == 0)
			return true;
	return false;
}

void
credential_write(const struct credential_fields *f, struct json_writer *meta)
{
	for (size_t i = 0; i < CREDENTIAL__COUNT; i++)
		if (f->given[i] != NULL && secret_len(f->given[i]) > 0)
			json_member_string(meta, names[i], secret_span(f->given[i]));
}

void
credential_label(const struct credential_fields *f, struct content_labels *l)
{
	for (size_t i = 0; i < CREDENTIAL__COUNT; i++)
		if (f->given[i] != NULL && secret_len(f->given[i]) > 0)
			l->fields[l->n_fields++] = (struct content_field){ names[i], secret_span(f->given[i]) };
}

enum err
credential_check_meta(struct invocation *in, const struct json_writer *meta)
{
	struct span text;
	enum err e = json_write_done(meta, &text);

	if (e != OK || text.len <= META_LEN_MAX)
		return e;
	explain(in, "tags, username, url, notes and the one-time codes' seed take more than 4 KiB together");
	return ERR_TOO_LARGE;
}

enum err
credential_secret(const char *path, int fd, struct secret **out)
{
	const struct source s = { .fd = fd };
	struct secret *secret = NULL;
	enum err e = strcmp(path, "-") == 0 && isatty(STDIN_FILENO) ? terminal_password(PROMPT_SECRET, &secret)
	    : source_read(&s, CREDENTIAL_MAX + 1, &secret);

	if (e != OK)
		return e;
	if (secret_len(secret) > 0 && secret_view(secret)[secret_len(secret) - 1] == '\n')
		secret_cut(secret, secret_len(secret) - 1);
	e = !content_text_valid(secret_span(secret), CREDENTIAL_MAX + 1) ? ERR_INVALID_CONTENT
	    : secret_len(secret) > CREDENTIAL_MAX ? ERR_TOO_LARGE : OK;
	if (e != OK)
		secret_free(&secret);
	else
		*out = secret;
	return e;
}
