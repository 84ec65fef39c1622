/* init, daemon, status, unlock, lock, sudo. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actors/supervisor.h"
#include "escrow/home_lock.h"
#include "escrow/keys.h"
#include "escrow/password.h"
#include "escrow/random.h"
#include "escrow/sign.h"
#include "escrow/terminal.h"
#include "store/grants_db.h"
#include "store/log.h"
#include "tools/command/command.h"

/* What init makes, sealed under the password's key before it leaves this process. */
static enum err
make_library(const struct secret *password, struct library_init_body *out)
{
	bool test = getenv("MEMORIES_TEST_KDF") != NULL;
	struct password_terms terms = {
		.passes = test ? PASSWORD_PASSES_TEST : PASSWORD_PASSES_DEFAULT,
		.memory_kib = test ? PASSWORD_MEMORY_KIB_TEST : PASSWORD_MEMORY_KIB_DEFAULT,
	};
	struct key *kek = NULL, *root = NULL, *seed = NULL;
	struct signer *log_key = NULL;
	struct key_binding root_binding, log_binding;
	enum err e;

	random_bytes(terms.salt, sizeof terms.salt);
	*out = (struct library_init_body){ .library = uuid_make(clock_wall()), .device = uuid_make(clock_wall()),
		.created_wall_ms = clock_wall().ms, .kdf = { .passes = terms.passes, .memory_kib = terms.memory_kib } };
	memcpy(out->kdf.salt, terms.salt, sizeof out->kdf.salt);
	root_binding = bind_root(out->library, terms.passes, terms.memory_kib, terms.salt);
	log_binding = bind_log_key(out->library);
	if ((e = key_new(&kek)) == OK && (e = password_kek(password, &terms, kek)) == OK &&
	    (e = key_random(&root)) == OK && (e = signer_new(&log_key)) == OK && (e = key_new(&seed)) == OK) {
		signer_seed(log_key, seed);
		memcpy(out->log_public, signer_public(log_key), sizeof out->log_public);
		key_seal(kek, key_binding_span(&root_binding), root, out->sealed_root);
		key_seal(root, key_binding_span(&log_binding), seed, out->sealed_log_key);
	}
	key_free(&kek);
	key_free(&root);
	key_free(&seed);
	signer_free(&log_key);
	return e;
}

static enum err
new_password(struct invocation *in, struct secret **out)
{
	struct secret *first = NULL, *second = NULL;
	enum err e;

	if ((e = terminal_password(PROMPT_PASSWORD, &first)) == OK && secret_len(first) == 0)
		e = invalid(in, "the password is empty");
	if (e == OK && (e = terminal_password(PROMPT_REPEAT_PASSWORD, &second)) == OK &&
	    (secret_len(first) != secret_len(second) ||
	    !same_bytes(secret_view(first), secret_view(second), secret_len(first))))
		e = ERR_PASSWORD_MISMATCH;
	secret_free(&second);
	if (e != OK)
		secret_free(&first);
	else
		*out = first;
	return e;
}

static enum err
check_none_offline(void)
{
	struct grants_db *db = NULL;
	struct library_record *r = calloc(1, sizeof *r);
	enum err e;

	if (r == NULL)
		return ERR_NO_MEMORY;
	if ((mkdir("grants", 0700) == 0 || access("grants", F_OK) == 0) && (e = grants_db_open("grants", &db)) == OK)
		e = grants_db_library(db, r);
	else
		e = ERR_STORAGE_FAILED;
	grants_db_close(&db);
	free(r);
	return e == OK ? ERR_ALREADY_INITIALIZED : e == ERR_NOT_INITIALIZED ? OK : e;
}

/* Without a daemon, under its lock, by the same record that it would write. */
static enum err
init_offline(const struct library_init_body *b)
{
	struct library_record r = { .library = b->library, .device = b->device,
		.created = { b->created_wall_ms }, .device_member = true,
		.envelope = { .passes = b->kdf.passes, .memory_kib = b->kdf.memory_kib } };
	struct grants_db *db = NULL;
	enum err e;

	memcpy(r.log_public, b->log_public, sizeof r.log_public);
	memcpy(r.sealed_log_key, b->sealed_log_key, sizeof r.sealed_log_key);
	memcpy(r.envelope.salt, b->kdf.salt, sizeof r.envelope.salt);
	memcpy(r.envelope.sealed_root, b->sealed_root, sizeof r.envelope.sealed_root);
	if ((e = grants_db_open("grants", &db)) == OK)
		e = grants_db_init_library(db, &r);
	grants_db_close(&db);
	return e;
}

static enum err
print_library(const struct invocation *in, const struct library_init_body *b)
{
	struct json_writer w = { 0 };
	char text[UUID_TEXT_LEN + 1];

	if (!in->json) {
		uuid_text(b->library, text);
		return print_line("library %s\n", text);
	}
	json_write_object(&w);
	json_member_id(&w, "library", b->library);
	json_member_id(&w, "device", b->device);
	json_write_end(&w);
	return print_json(&w);
}

static enum err
init_with(struct invocation *in, struct client *c)
{
	struct secret *password = NULL;
	struct library_init_body b;
	union any_body answer;
	enum err e;

	e = c != NULL ? client_welcome(c)->initialized ? ERR_ALREADY_INITIALIZED : OK : check_none_offline();
	if (e != OK || (e = new_password(in, &password)) != OK)
		return e;
	if ((e = make_library(password, &b)) == OK)
		e = c != NULL ? owner_call(in, c, MSG_INIT_ASK, &b, MSG_DONE, &answer) : init_offline(&b);
	secret_free(&password);
	return e == OK ? print_library(in, &b) : e;
}

enum err
run_init(struct invocation *in)
{
	struct client *c = NULL;
	int lock_fd;
	enum err e;

	if (home_lock_held()) {
		if ((e = client_open(&c)) != OK)
			return e;
		e = init_with(in, c);
		client_close(&c);
		return e;
	}
	if ((e = home_lock_take(&lock_fd)) != OK)
		return e;
	e = init_with(in, NULL);
	close(lock_fd);
	return e;
}

enum err
run_daemon(struct invocation *in)
{
	static const struct { const char *option, *word; } weaknesses[] = {
		{ "--one-process", "one_process" }, { "--no-sandbox", "no_sandbox" },
		{ "--debuggable", "dumpable" }, { "--test-kdf", "test_kdf" },
		{ "--test-log-segment", "test_log_segment" }, { "--test-log-epoch", "test_log_epoch" },
	};
	struct supervisor_config config = {
		.home = in->home->path, .one_process = option_given(in, "--one-process"),
		.sandbox = !option_given(in, "--no-sandbox"), .guard = !option_given(in, "--debuggable"),
		.trace = option_given(in, "--trace"), .pin = true,
		.kdf_memory_kib_min = option_given(in, "--test-kdf") ? PASSWORD_MEMORY_KIB_TEST : PASSWORD_MEMORY_KIB_DEFAULT,
	};
	char weakened[256] = "";
	enum err e;

	if ((e = option_u64(in, "--test-log-segment", 65536, (uint64_t)64 << 20, 0, &config.log_segment)) != OK ||
	    (e = option_u64(in, "--test-log-epoch", 2, 65536, 0, &config.log_epoch_records)) != OK)
		return e;
	config.log_first_segment = config.log_segment;
	for (size_t i = 0; i < sizeof weaknesses / sizeof *weaknesses; i++)
		if (option_given(in, weaknesses[i].option))
			snprintf(weakened + strlen(weakened), sizeof weakened - strlen(weakened), "%s%s",
			    weakened[0] != '\0' ? "," : "", weaknesses[i].word);
#ifdef MEMORIES_SANITIZED
	config.sandbox = false;
	snprintf(weakened + strlen(weakened), sizeof weakened - strlen(weakened), "%ssanitized,no_sandbox",
	    weakened[0] != '\0' ? "," : "");
#endif
	config.weakened = weakened;
	return supervisor_run(&config);
}

static void
write_hex(struct json_writer *w, const char *key, const uint8_t *p, size_t len)
{
	char hex[2 * 32 + 1];

	for (size_t i = 0; i < len && i < 32; i++)
		snprintf(hex + 2 * i, 3, "%02x", p[i]);
	json_member_text(w, key, hex);
}

static const char *
log_state_name(unsigned s)
{
	static const char *const names[] = { "ok", "low", "full", "failed" };

	return s < sizeof names / sizeof *names ? names[s] : "failed";
}

static void
write_code(struct json_writer *w, const char *key, unsigned e)
{
	json_write_key(w, key);
	if (e == OK)
		json_write_null(w);
	else
		json_write_text(w, err_code((enum err)e));
}

static void
write_weakened(struct json_writer *w, struct span words)
{
	json_write_key(w, "weakened");
	json_write_array(w);
	for (size_t start = 0, i = 0; i <= words.len && words.len > 0; i++)
		if (i == words.len || words.p[i] == ',') {
			json_write_string(w, (struct span){ words.p + start, i - start });
			start = i + 1;
		}
	json_write_end(w);
}

static enum err
print_status_json(const struct status_body *s)
{
	struct json_writer w = { 0 };
	bool initialized = s->state.initialized;

	json_write_object(&w);
	json_member_bool(&w, "initialized", initialized);
	json_member_bool(&w, "unlocked", s->state.unlocked);
	json_member_bool(&w, "unattended_loaded", s->state.loaded);
	write_code(&w, "unattended_error", s->state.unattended_error);
	json_member_bool(&w, "manual_lock", s->state.manual_lock);
	json_write_key(&w, "library");
	if (initialized)
		json_write_id(&w, s->state.library);
	else
		json_write_null(&w);
	json_member_text(&w, "version", MEMORIES_VERSION);
	json_write_key(&w, "audit");
	json_write_object(&w);
	json_member_u64(&w, "size", s->log.size);
	write_hex(&w, "root", s->log.root, sizeof s->log.root);
	json_member_text(&w, "state", log_state_name(s->log.state));
	json_member_bool(&w, "healthy", s->log.state == LOG_OK);
	write_code(&w, "reason", s->log.failure);
	json_write_end(&w);
	write_weakened(&w, s->weakened);
	json_write_end(&w);
	return print_json(&w);
}

static enum err
print_status_text(const struct status_body *s)
{
	const struct state_body *st = &s->state;

	if (!st->initialized)
		return print_line("no library here yet: run `memories init`\n");
	print_line("library    %s\n", st->unlocked ? "unlocked" : "locked");
	print_line("unattended %s%s%s\n", st->loaded ? "loaded" : "not loaded",
	    st->unattended_error != OK ? ": " : "", st->unattended_error != OK ? err_text((enum err)st->unattended_error) : "");
	if (st->manual_lock)
		print_line("           banned by a manual lock until `memories unattended resume`\n");
	print_line("log        %s, %llu records%s%s\n", log_state_name(s->log.state), (unsigned long long)s->log.size,
	    s->log.failure != OK ? ": " : "", s->log.failure != OK ? err_text((enum err)s->log.failure) : "");
	if (s->weakened.len > 0)
		print_line("weakened   %.*s\n", (int)s->weakened.len, (const char *)s->weakened.p);
	return OK;
}

enum err
run_status(struct invocation *in)
{
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	/* It gives nothing away and opens nothing, and has to work on a disk that does not. */
	if ((e = client_open(&c)) != OK)
		return e;
	if ((e = owner_call(in, c, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, MSG_STATUS, &answer)) == OK)
		e = in->json ? print_status_json(&answer.status) : print_status_text(&answer.status);
	client_close(&c);
	return e;
}

/* A command that prints nothing for people and {} as JSON. */
static enum err
print_done(const struct invocation *in)
{
	struct json_writer w = { 0 };

	if (!in->json)
		return OK;
	json_write_object(&w);
	json_write_end(&w);
	return print_json(&w);
}

enum err
run_unlock(struct invocation *in)
{
	struct client *c = NULL;
	enum err e;

	if ((e = owner_open(in, &c)) == OK)
		e = owner_unlock(in, c);
	client_close(&c);
	return e == OK ? print_done(in) : e;
}

static enum err
simple(struct invocation *in, enum msg type)
{
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = client_open(&c)) == OK)
		e = owner_call(in, c, type, &(struct owner_ask_body){ { 0 } }, MSG_DONE, &answer);
	client_close(&c);
	return e == OK ? print_done(in) : e;
}

enum err
run_lock(struct invocation *in)
{
	return simple(in, MSG_LOCK_ASK);
}

enum err
run_sudo(struct invocation *in)
{
	struct client *c = NULL;
	enum err e;

	if (option_given(in, "--end"))
		return simple(in, MSG_SUDO_END_ASK);
	if ((e = owner_open(in, &c)) == OK)
		e = owner_sudo(in, c);
	client_close(&c);
	return e == OK ? print_done(in) : e;
}

enum err
run_unattended_resume(struct invocation *in)
{
	return simple(in, MSG_RESUME_ASK);
}

enum err
run_unattended_disable(struct invocation *in)
{
	return simple(in, MSG_DISABLE_ASK);
}
