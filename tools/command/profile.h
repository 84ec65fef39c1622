/* profile: what the commands `profile …` share. */
#ifndef TOOLS_COMMAND_PROFILE_H
#define TOOLS_COMMAND_PROFILE_H

#include "gateway/client_profile.h"
#include "gateway/fact_form.h"
#include "gateway/json.h"
#include "tools/command/command.h"

extern const struct uuid profile_nothing; /* zero: no connection, no fact */

struct profile_answer {
	struct secret *text; /* owned */
	struct json   *root; /* owned */
};

/* Asks; the request is freed. *out is new. Errors as client_profile; what the daemon said becomes in->detail. */
enum err profile_ask(struct invocation *in, struct client *c, const struct client_profile_want *want,
    struct json_writer *request, struct profile_answer *out);
void     profile_answer_free(struct profile_answer *a);

/* An open object with its member "do". */
void profile_request(struct json_writer *w, const char *what);

/*
 * Asks for a change of its own connection. With --json the answer is printed
 * as it came; for people only that member, or nothing when it is NULL.
 */
enum err profile_change(struct invocation *in, const struct client_profile_want *about, struct json_writer *request,
    const char *for_people);

/* A list of the profile's, from a row on. */
struct profile_list {
	const char         *rows;     /* "facts", "proposals" */
	bool                has_category, archived;
	enum category       category;
	uint64_t            offset;
	uint64_t            limit;    /* 0: all */
	uint64_t            next;     /* out; 0: nothing comes after */
};

/* Page by page. raw: the row as it came. Errors as profile_ask, and what take says. */
enum err profile_walk(struct invocation *in, struct client *c, struct profile_list *l,
    enum err (*take)(void *arg, struct span raw, const struct json *row), void *arg);

/* A whole list command: as one JSON object, or each row by print. Errors as profile_walk. */
enum err profile_print_list(struct invocation *in, struct profile_list *l, void (*print)(const struct json *row));

/* The one fact or proposal of that id. *row is borrowed from *out, which the caller frees. ERR_NOT_FOUND. */
enum err profile_find(struct invocation *in, struct client *c, const char *rows, struct uuid id,
    struct profile_answer *out, const struct json **row);

/* OK when the profile answers: what would be refused is refused before the owner types anything. */
enum err profile_check_open(struct invocation *in, struct client *c);

/* What a row has under that name; empty or 0 where it has nothing of that type. */
struct span profile_text(const struct json *row, const char *name);
uint64_t    profile_number(const struct json *row, const char *name);
bool        profile_flag(const struct json *row, const char *name);

/* --category, --label, --evidence, --uncertain, --certain. ERR_INVALID_ARGUMENT. */
enum err profile_form_options(struct invocation *in, struct fact_form *f);
bool     profile_has_form_options(const struct invocation *in);

/* The value of a file, or "-"; one line end at its end is dropped. *text is new and holds it. Errors as source_read. */
enum err profile_form_source(struct invocation *in, const char *path, struct fact_form *f, struct secret **text);

/* ERR_INVALID_ARGUMENT with a reason: fact_form_good says no. */
enum err profile_form_check(struct invocation *in, const struct fact_form *f);

/*
 * Has it written in an editor, then gives it to store. What store refuses
 * stays in its private folder, and the error says where.
 * ERR_NOT_CONFIRMED: nothing was left in the file. ERR_INVALID_ARGUMENT: it was left in a wrong form.
 */
enum err profile_form_edit(struct invocation *in, const char *note, const struct fact_form *f,
    enum err (*store)(void *arg, const struct fact_form *f), void *arg);

/* y or N. ERR_NOT_CONFIRMED. */
enum err profile_confirm(struct invocation *in, const char *prompt);

/* A connection as `profile connection list` has it; the texts are copies. */
struct profile_connection {
	struct connection_body row; /* its spans point into the two below */
	uint8_t name[320], redirect[2000];
};

/* ERR_NOT_FOUND. */
enum err profile_connection_find(struct invocation *in, struct client *c, struct uuid id,
    struct profile_connection *out);
void     profile_connection_json(struct json_writer *w, const struct connection_body *row);
void     profile_connection_print(const struct connection_body *row);

/*
 * A new password of the pages, asked for twice. ERR_INVALID_ARGUMENT: it is too
 * short or too long. ERR_PASSWORD_MISMATCH, and what terminal_password says.
 */
enum err profile_password_new(struct invocation *in, struct secret **out);

/* Gives its verifier to the profile, which must be open. ERR_SUDO_REQUIRED. */
enum err profile_password_offer(struct invocation *in, struct client *c, const struct secret *password);

#endif
