#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escrow/safe_dir.h"
#include "escrow/safe_file.h"
#include "gateway/client_file.h"
#include "gateway/json.h"
#include "gateway/json_write.h"
#include "mailbox/base64.h"
#include "mailbox/utf8.h"

#define VERSION 1

/* What tells the two kinds of file apart. */
struct form {
	const char *type;
	unsigned    n_members;
	const char *belongs; /* for who gives it to the other's command */
};

static const struct form forms[] = {
	[GRANT_UNATTENDED] = { "memories-unattended-client", 7,
	    "this is a client file: it is for `memories unattended …` and `memories mcp serve-unattended`" },
	[GRANT_ORDINARY] = { "memories-ordinary-grant", 9, "this is a grant file: it is for `memories mcp serve`" },
};

void
client_file_free(struct client_file *f)
{
	free(f->home);
	free(f->log_key);
	key_free(&f->token);
	f->home = f->log_key = NULL;
}

/* Opens the folder that the path's last component stands in; *name points into the path. */
static enum err
open_parent(const char *path, enum safe_dir_kind kind, int *fd, const char **name)
{
	struct safe_dir_want want = { .kind = kind, .refusal = ERR_CLIENT_FILE_UNSAFE };
	const char *slash = strrchr(path, '/');
	char *parent;
	enum err e;

	if (slash == NULL)
		return ERR_CLIENT_FILE_UNSAFE;
	if ((parent = strndup(path, (size_t)(slash - path) + 1)) == NULL)
		return ERR_NO_MEMORY;
	want.path = parent;
	e = safe_dir_open(&want, fd, NULL);
	free(parent);
	if (e == OK)
		*name = slash + 1;
	return e;
}

static bool
is_line(struct span s, size_t max)
{
	return s.len > 0 && s.len <= max && utf8_valid(s) && memchr(s.p, '\n', s.len) == NULL;
}

static bool
is_home(struct span s)
{
	return s.len > 0 && s.len <= SAFE_PATH_MAX && s.p[0] == '/' && utf8_valid(s);
}

static struct span
text_span(const char *s)
{
	return (struct span){ (const uint8_t *)s, strlen(s) };
}

static bool
are_vaults(const struct client_file *f)
{
	for (size_t i = 0; i < f->n_vaults; i++)
		for (size_t j = 0; j < i; j++)
			if (uuid_equal(f->vaults[i], f->vaults[j]))
				return false;
	return f->n_vaults >= 1 && f->n_vaults <= CLIENT_VAULTS_MAX;
}

static bool
is_complete(const struct client_file *f)
{
	bool has_scope = f->type == GRANT_ORDINARY ? are_vaults(f) : f->type == GRANT_UNATTENDED;

	return has_scope && f->home != NULL && f->log_key != NULL && f->token != NULL &&
	    is_home(text_span(f->home)) && is_line(text_span(f->log_key), CLIENT_LOG_KEY_MAX);
}

static void
write_scope(struct json_writer *w, const struct client_file *f)
{
	json_member_bool(w, "may_propose", f->may_propose);
	json_write_key(w, "vaults");
	json_write_array(w);
	for (size_t i = 0; i < f->n_vaults; i++)
		json_write_id(w, f->vaults[i]);
	json_write_end(w);
}

static void
write_members(struct json_writer *w, const struct client_file *f)
{
	json_write_object(w);
	json_member_text(w, "type", forms[f->type].type);
	json_member_u64(w, "version", VERSION);
	json_member_id(w, "library", f->library);
	json_member_text(w, "home", f->home);
	json_member_id(w, "grant", f->grant);
	json_member_text(w, "log_key", f->log_key);
	if (f->type == GRANT_ORDINARY)
		write_scope(w, f);
	json_write_key(w, "token");
	json_write_base64(w, (struct span){ f->token->b, KEY_LEN });
	json_write_end(w);
}

/* The text and its newline, in memory that is wiped. */
static enum err
text_of(const struct client_file *f, struct secret **out)
{
	struct json_writer w = { 0 };
	struct secret *s = NULL;
	struct span text;
	enum err e;

	write_members(&w, f);
	if ((e = json_write_done(&w, &text)) == OK && (e = secret_new(text.len + 1, &s)) == OK) {
		memcpy(secret_bytes(s), text.p, text.len);
		secret_bytes(s)[text.len] = '\n';
		*out = s;
	}
	json_write_free(&w);
	return e;
}

enum err
client_file_publish(const char *path, const struct client_file *f)
{
	struct secret *text = NULL;
	const char *name;
	enum err e;
	int fd;

	if (!is_complete(f))
		return ERR_INVALID_ARGUMENT;
	if ((e = open_parent(path, SAFE_DIR_PRIVATE, &fd, &name)) != OK)
		return e == ERR_NOT_FOUND ? ERR_CLIENT_FILE_UNSAFE : e;
	if ((e = text_of(f, &text)) == OK)
		e = safe_file_publish(fd, name, secret_span(text), ERR_CLIENT_FILE_EXISTS);
	secret_free(&text);
	close(fd);
	return e == ERR_NOT_FOUND ? ERR_CLIENT_FILE_UNSAFE : e;
}

static bool
is_text(struct span s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.p, text, s.len) == 0;
}

static bool
has_exactly_our_members(const struct json *root, const struct form *form, const char **why)
{
	const struct form *other = form == &forms[GRANT_ORDINARY] ? &forms[GRANT_UNATTENDED] : &forms[GRANT_ORDINARY];
	unsigned n = 0;
	struct span type;
	uint64_t version;

	if (json_type(root) != JSON_OBJECT || json_string(root, "type", &type) != JSON_GOT)
		return false;
	if (is_text(type, other->type))
		*why = other->belongs;
	for (const struct json *v = json_first(root); v != NULL; v = json_next(v))
		n++;
	return n == form->n_members && is_text(type, form->type) &&
	    json_u64(root, "version", &version) == JSON_GOT && version == VERSION;
}

static bool
id_of(struct span s, struct uuid *out)
{
	return s.len == UUID_TEXT_LEN && uuid_parse((const char *)s.p, out) == OK;
}

static bool
take_id(const struct json *root, const char *name, struct uuid *out)
{
	struct span s;

	return json_string(root, name, &s) == JSON_GOT && id_of(s, out);
}

static bool
take_scope(const struct json *root, struct client_file *f)
{
	const struct json *vaults;
	struct span s;

	if (json_bool(root, "may_propose", &f->may_propose) != JSON_GOT || json_array(root, "vaults", &vaults) != JSON_GOT)
		return false;
	for (const struct json *v = json_first(vaults); v != NULL; v = json_next(v))
		if (f->n_vaults == CLIENT_VAULTS_MAX || !json_as_string(v, &s) || !id_of(s, &f->vaults[f->n_vaults++]))
			return false;
	return are_vaults(f);
}

static enum err
take_copy(const struct json *root, const char *name, bool good(struct span), char **out)
{
	struct span s;

	if (json_string(root, name, &s) != JSON_GOT || !good(s))
		return ERR_CLIENT_FILE_INVALID;
	*out = strndup((const char *)s.p, s.len);
	return *out != NULL ? OK : ERR_NO_MEMORY;
}

static bool
is_log_key(struct span s)
{
	return is_line(s, CLIENT_LOG_KEY_MAX);
}

static enum err
take_token(const struct json *root, struct key **out)
{
	uint8_t token[KEY_LEN];
	struct span s;
	size_t len;
	enum err e = ERR_CLIENT_FILE_INVALID;

	if (json_string(root, "token", &s) == JSON_GOT && s.len == base64_len(KEY_LEN) &&
	    base64_decode(s, token, &len) == OK)
		e = key_of(token, out);
	wipe(token, sizeof token);
	return e;
}

static enum err
take_members(const struct json *root, struct client_file *f, const char **why)
{
	enum err e;

	if (!has_exactly_our_members(root, &forms[f->type], why) || !take_id(root, "library", &f->library) ||
	    !take_id(root, "grant", &f->grant) || (f->type == GRANT_ORDINARY && !take_scope(root, f)))
		return ERR_CLIENT_FILE_INVALID;
	if ((e = take_copy(root, "home", is_home, &f->home)) != OK)
		return e;
	if ((e = take_copy(root, "log_key", is_log_key, &f->log_key)) != OK)
		return e;
	return take_token(root, &f->token);
}

enum err
client_file_parse(struct span text, enum grant_type type, struct client_file *out, const char **why)
{
	struct client_file f = { .type = type };
	struct json *root = NULL;
	enum err e = json_parse(text, &root);

	*why = "";
	if (e != OK)
		return e == ERR_NO_MEMORY ? e : ERR_CLIENT_FILE_INVALID;
	e = take_members(root, &f, why);
	json_free(&root);
	if (e != OK) {
		client_file_free(&f);
		return e;
	}
	*out = f;
	return OK;
}

enum err
client_file_read(const char *path, enum grant_type type, struct client_file *out, const char **why)
{
	static const struct safe_file_rule rule = {
		.forbidden = 077,
		.max_len = CLIENT_FILE_MAX,
		.unsafe = ERR_CLIENT_FILE_UNSAFE,
		.invalid = ERR_CLIENT_FILE_INVALID,
	};
	struct secret *text = NULL;
	const char *name;
	enum err e;
	int fd;

	*why = "";
	if ((e = open_parent(path, SAFE_DIR_STEADY, &fd, &name)) == OK) {
		e = safe_file_read(fd, name, &rule, &text);
		close(fd);
	}
	if (e == OK)
		e = client_file_parse(secret_span(text), type, out, why);
	secret_free(&text);
	return e == ERR_NOT_FOUND ? ERR_FILE_UNREADABLE : e;
}
