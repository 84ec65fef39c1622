/*
 * command: what a command of the CLI is. There is one table of them
 * (table.c); the parser, the help and the remote rule are made from it.
 */
#ifndef TOOLS_COMMAND_COMMAND_H
#define TOOLS_COMMAND_COMMAND_H

#include "escrow/hash.h"
#include "escrow/home.h"
#include "escrow/password.h"
#include "gateway/client.h"
#include "gateway/json_write.h"

#define POSITIONALS_MAX 4
#define VALUES_MAX      96 /* a mint has 64 vaults and more */

/* An option that a command takes. */
struct option {
	const char *name;      /* "--client-file" */
	const char *value;     /* how help calls its value; NULL: it has none */
	const char *help;
	bool        required, repeats;
};

/* One command line, parsed. */
struct invocation {
	const struct command *command;
	const char *home_flag, *remote_flag;
	bool        json, help, version;
	const char *positionals[POSITIONALS_MAX];
	size_t      n_positionals;
	struct { const struct option *option; const char *value; } values[VALUES_MAX];
	size_t      n_values;

	struct home *home;         /* entered; NULL for commands without one */
	char         detail[1100]; /* for people, of the error; "" mostly */
	int          exit_code;    /* where the contract names another than the error's; 0: the error's */
};

enum needs {
	NEEDS_NOTHING, /* no home when all its positionals are there: the last names a folder in its place */
	NEEDS_HOME,
	MAKES_HOME,    /* and makes it if it is missing */
};

struct command {
	const char *words;         /* "unattended read" */
	const char *synopsis;      /* its positionals: "VAULT ASSET" */
	const char *summary;       /* one line */
	const char *help;          /* more, or "" */
	size_t      min_positionals, max_positionals;
	const struct option *options; /* ends with a NULL name; may be NULL */
	enum needs  needs;
	bool        never_remote;  /* remote_refused rather than remote_unsupported */
	bool        always_json;   /* its answers and errors are JSON with or without --json */
	enum err  (*run)(struct invocation *in);
};

extern const struct command commands[];
extern const size_t n_commands;

/* The option's value, or NULL when it was not given; the i-th of a repeated one. */
const char *option_value(const struct invocation *in, const char *name);
const char *option_nth(const struct invocation *in, const char *name, size_t i);
bool        option_given(const struct invocation *in, const char *name);

/* A whole number in [min, max], or the default when the option is missing. ERR_INVALID_ARGUMENT. */
enum err option_u64(struct invocation *in, const char *name, uint64_t min, uint64_t max,
    uint64_t otherwise, uint64_t *out);
enum err option_id(struct invocation *in, const char *name, struct uuid *out, bool *given);
enum err positional_id(struct invocation *in, size_t i, const char *what, struct uuid *out);
enum err positional_u64(struct invocation *in, size_t i, const char *what, uint64_t min, uint64_t *out);

/* A path as it was given, which holds inside the home too; NULL stays NULL. New, caller frees. ERR_NO_MEMORY. */
enum err given_path(const struct invocation *in, const char *given, char **out);

/* That detail for the error that follows; and ERR_INVALID_ARGUMENT with it. */
void     explain(struct invocation *in, const char *detail);
enum err invalid(struct invocation *in, const char *detail);

/* One JSON value and a newline on stdout; frees the writer. ERR_FILE_UNWRITABLE. */
enum err print_json(struct json_writer *w);

/* True when anything could not be written to stdout. */
bool print_failed(void);

/* Bytes on stdout as they are. ERR_FILE_UNWRITABLE. */
enum err print_bytes(struct span bytes);

/*
 * printf to stdout for people. Text that came from content goes by print_safe: what a terminal
 * would obey or not show (gateway/visible.h) is shown by its number, as ⟨U+202E⟩.
 */
enum err print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void     print_safe(struct span text);

/* How many columns of a terminal print_safe takes for it. */
size_t print_safe_columns(struct span text);

/* From now on SIGINT and SIGTERM make this descriptor readable instead of ending the process; -1: they do neither. */
int stop_signals(void);

/* Two digits a byte, and a NUL. */
#define HASH_TEXT_LEN (2 * SHA256_LEN)
void hash_text(const uint8_t hash[SHA256_LEN], char out[HASH_TEXT_LEN + 1]);

/* A member of an open object: a hash in that form; size and root of a log as an object. */
void member_hash(struct json_writer *w, const char *name, const uint8_t hash[SHA256_LEN]);
void member_head(struct json_writer *w, const char *name, uint64_t size, const uint8_t root[SHA256_LEN]);

/* The owner's connection: trusts the log key in the home, where there is one. Its detail becomes ours. */
enum err owner_open(struct invocation *in, struct client **out);
enum err owner_call(struct invocation *in, struct client *c, enum msg type, const void *body,
    enum msg wanted, union any_body *answer);
enum err owner_ask(struct invocation *in, struct client *c, const struct client_want *want,
    struct client_answer **out);

/* A vault by id, or by name (which reads the names). ERR_NOT_FOUND. */
enum err owner_vault(struct invocation *in, struct client *c, const char *text, struct uuid *out);

/*
 * The row of a vault that is active (which reads the names). *out is borrowed
 * from *answer, which the caller frees. ERR_NOT_FOUND. ERR_VAULT_NOT_ACTIVE.
 */
enum err owner_find_vault(struct invocation *in, struct client *c, struct uuid vault, struct client_answer **answer,
    const struct client_item **out);

/* Asks for the password and gives it to the daemon: to unlock, or for sudo. */
enum err owner_unlock(struct invocation *in, struct client *c);
enum err owner_sudo(struct invocation *in, struct client *c);

/* Asks for a new password, twice. *out new; the caller frees. ERR_PASSWORD_MISMATCH, and what terminal_password says. */
enum err new_password(struct invocation *in, struct secret **out);
enum err new_password_at(struct invocation *in, const char *prompt, const char *repeat, struct secret **out);

/* How a new password is stretched, with a fresh salt. */
struct password_terms new_password_terms(void);

/* Of a command that says nothing for people and {} as JSON. */
enum err print_done(const struct invocation *in);

/* The commands. */
enum err run_init(struct invocation *in);
enum err run_daemon(struct invocation *in);
enum err run_status(struct invocation *in);
enum err run_unlock(struct invocation *in);
enum err run_lock(struct invocation *in);
enum err run_sudo(struct invocation *in);
enum err run_passwd(struct invocation *in);
enum err run_library_managed_by(struct invocation *in);
enum err run_device_list(struct invocation *in);
enum err run_device_remove(struct invocation *in);
enum err run_device_add(struct invocation *in);
enum err run_vault_create(struct invocation *in);
enum err run_vault_rename(struct invocation *in);
enum err run_vault_remove(struct invocation *in);
enum err run_vault_list(struct invocation *in);
enum err run_asset_add(struct invocation *in);
enum err run_asset_edit(struct invocation *in);
enum err run_asset_resolve(struct invocation *in);
enum err run_asset_remove(struct invocation *in);
enum err run_asset_restore(struct invocation *in);
enum err run_asset_list(struct invocation *in);
enum err run_asset_show(struct invocation *in);
enum err run_asset_history(struct invocation *in);
enum err run_generate(struct invocation *in);
enum err run_search(struct invocation *in);
enum err run_unattended_enable(struct invocation *in);
enum err run_unattended_mint(struct invocation *in);
enum err run_unattended_status(struct invocation *in);
enum err run_unattended_resume(struct invocation *in);
enum err run_unattended_revoke(struct invocation *in);
enum err run_unattended_prune(struct invocation *in);
enum err run_unattended_disable(struct invocation *in);
enum err run_unattended_list(struct invocation *in);
enum err run_unattended_history(struct invocation *in);
enum err run_unattended_read(struct invocation *in);
enum err run_unattended_credential_bytes(struct invocation *in);
enum err run_mcp_serve_unattended(struct invocation *in);
enum err run_mcp_serve(struct invocation *in);
enum err run_proposal_list(struct invocation *in);
enum err run_proposal_show(struct invocation *in);
enum err run_proposal_confirm(struct invocation *in);
enum err run_proposal_edit(struct invocation *in);
enum err run_proposal_dismiss(struct invocation *in);
enum err run_grant_mint(struct invocation *in);
enum err run_grant_list(struct invocation *in);
enum err run_profile_enable(struct invocation *in);
enum err run_profile_disable(struct invocation *in);
enum err run_profile_status(struct invocation *in);
enum err run_profile_maintenance(struct invocation *in);
enum err run_grant_revoke(struct invocation *in);
enum err run_grant_prune(struct invocation *in);
enum err run_profile_passwd(struct invocation *in);
enum err run_profile_fact_add(struct invocation *in);
enum err run_profile_fact_list(struct invocation *in);
enum err run_profile_fact_edit(struct invocation *in);
enum err run_profile_fact_archive(struct invocation *in);
enum err run_profile_share(struct invocation *in);
enum err run_profile_unshare(struct invocation *in);
enum err run_profile_proposal_list(struct invocation *in);
enum err run_profile_proposal_show(struct invocation *in);
enum err run_profile_proposal_confirm(struct invocation *in);
enum err run_profile_proposal_edit(struct invocation *in);
enum err run_profile_proposal_dismiss(struct invocation *in);
enum err run_profile_connection_list(struct invocation *in);
enum err run_profile_connection_show(struct invocation *in);
enum err run_profile_connection_reduce(struct invocation *in);
enum err run_profile_connection_revoke(struct invocation *in);
enum err run_audit_verify(struct invocation *in);
enum err run_audit_show(struct invocation *in);
enum err run_audit_repair(struct invocation *in);
enum err run_audit_checkpoint(struct invocation *in);
enum err run_audit_prove(struct invocation *in);
enum err run_audit_consistency(struct invocation *in);
enum err run_audit_export(struct invocation *in);

/* What `audit checkpoint --accept` does: shows both logs, has ACCEPT typed, and remembers the one that is there. */
enum err audit_accept(struct invocation *in);

/* What is wrong with the log's newest checkpoint, or with an export of it. Other errors speak for themselves. */
void explain_checkpoint(struct invocation *in, const char *log_dir, enum err e);

#endif
