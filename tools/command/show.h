/* show: one revision and its content, for the files of `asset show`. */
#ifndef TOOLS_COMMAND_SHOW_H
#define TOOLS_COMMAND_SHOW_H

#include "gateway/json.h"
#include "gateway/otp_uri.h"
#include "tools/command/revision.h"

/* A revision that is shown. Zeroed, it is empty. */
struct shown {
	struct revision revision; /* owned */
	struct json    *meta;     /* owned; parsed when it is first needed */
};

/*
 * VAULT and ASSET of the command line; revision: zero is the head.
 * ERR_SUDO_REQUIRED: of a credential. Others as revision_find.
 */
enum err show_find(struct invocation *in, struct client *c, struct uuid revision, struct shown *out);
void     show_free(struct shown *s);

/* ERR_STORAGE_CORRUPT: it is no JSON object. ERR_NO_MEMORY. */
enum err show_meta(struct shown *s, const struct json **out);

/* All of its content, with what its references stand for where that is wanted. New. Errors as revision_content, show_resolve. */
enum err show_content(struct invocation *in, struct client *c, struct shown *s, struct secret **out);

/* Text for people: its lines, each but the first behind indent; what terminals obey, but tabs, is shown. */
void show_lines(struct span text, const char *indent);

/* show_field.c: one value and nothing else. ERR_NOT_FOUND: it has none of that name. ERR_INVALID_ARGUMENT: no asset of its kind has. */
enum err show_field(struct invocation *in, struct client *c, struct shown *s, const char *name);

/* show_credential.c: fields, secret, and the code of the moment; as a member `otp` where there is one. */
enum err show_credential_text(struct client *c, struct shown *s);
enum err show_credential_otp(struct shown *s, struct json_writer *w);

/*
 * show_otp.c
 *
 * *found  false without one-time codes
 * *out    the caller wipes it
 * ERR_STORAGE_CORRUPT.
 */
enum err show_otp_uri(struct shown *s, struct otp_uri *out, bool *found);
void     show_totp(const struct otp_uri *u, char code[OTP_DIGITS_MAX + 1], uint32_t *seconds_left);

/*
 * The current code; HOTP's after a durable revision with the next counter. New.
 * ERR_NOT_FOUND: it has none. ERR_STALE_BASE: of a past revision.
 * Others as client_ask and writer_publish: no code is shown then.
 */
enum err show_otp_code(struct invocation *in, struct client *c, struct shown *s, struct secret **out);

/*
 * show_resolve.c: replaces Content JSON with the same whose body and values hold
 * the secrets that their references stand for.
 *
 * Of a credential: what client_ask says, with a detail that names it. ERR_TOO_LARGE:
 * more than 256 credentials, or more than 1 MiB in all. On an error *content stays.
 */
enum err show_resolve(struct invocation *in, struct client *c, struct secret **content);

#endif
