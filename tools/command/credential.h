/*
 * credential: what a credential holds beside title, tags and secret, as the
 * options of `asset add` and `asset edit` give it. Notes and the seed of
 * one-time codes are secrets: they come from files, a pipe or the terminal.
 */
#ifndef TOOLS_COMMAND_CREDENTIAL_H
#define TOOLS_COMMAND_CREDENTIAL_H

#include "gateway/content.h"
#include "tools/command/command.h"

/* Rows for the options of a command that takes them. */
#define CREDENTIAL_OPTIONS \
	{ "--username", "TEXT", "of a credential; who lists processes sees it, and --url", false, false }, \
	{ "--url", "TEXT", "of a credential", false, false }, \
	{ "--notes-file", "FILE|-", "notes of a credential; `-`: from stdin, or asked for on a terminal", false, false }, \
	{ "--otp-file", "FILE|-", "the otpauth:// URI or the base32 seed of its one-time codes; `-` as before", false, false }

enum credential_field {
	CREDENTIAL_USERNAME,
	CREDENTIAL_URL,
	CREDENTIAL_NOTES,
	CREDENTIAL_OTP,
	CREDENTIAL__COUNT
};

/* Zeroed, nothing is given. */
struct credential_fields {
	struct secret *given[CREDENTIAL__COUNT]; /* owned; NULL: not given; empty: it shall not be there */
};

/* True when any of the options is. */
bool credential_has_options(const struct invocation *in);

/*
 * Takes the options. A seed is taken in the one form of gateway/otp_uri.h.
 *
 * stdin_taken  the content is `-` already
 *
 * ERR_INVALID_ARGUMENT: the kind is none; `-` twice where stdin is no
 * terminal; a text is not what it should be. ERR_INVALID_CONTENT,
 * ERR_TOO_LARGE, ERR_FILE_UNREADABLE, ERR_NO_MEMORY; what
 * terminal_password says. in->detail says of what.
 */
enum err credential_take(struct invocation *in, enum kind kind, bool stdin_taken, struct credential_fields *out);
void     credential_free(struct credential_fields *f);

/* True when the member of that name in an old meta is replaced or dropped. */
bool credential_replaces(const struct credential_fields *f, const char *name);

/* What is given and not empty, as members of the open object. */
void credential_write(const struct credential_fields *f, struct json_writer *meta);

/* The same into the labels of a new credential, which borrow them. */
void credential_label(const struct credential_fields *f, struct content_labels *l);

/* ERR_TOO_LARGE, with a detail, for more than 4 KiB of finished meta. */
enum err credential_check_meta(struct invocation *in, const struct json_writer *meta);

/*
 * A credential's secret: from a terminal without echo where path is `-` and stdin
 * is one, else from the source. One newline at its end is dropped.
 * ERR_TOO_LARGE, ERR_INVALID_CONTENT, ERR_FILE_UNREADABLE, ERR_NO_MEMORY; what terminal_password says.
 */
enum err credential_secret(const char *path, int fd, struct secret **out);

#endif
