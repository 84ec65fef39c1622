/* init, daemon, unlock, lock, sudo. */
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
#include "gateway/config.h"
#include "store/grants_db.h"
#include "tools/command/command.h"

/* What init makes, sealed under the password's key before it leaves this process. */
static enum err
make_library(const struct secret *password, struct library_init_body *out)
{
	struct password_terms terms = new_password_terms();
	struct key *kek = NULL, *root = NULL, *seed = NULL;
	struct signer *log_key = NULL;
	struct key_binding root_binding, log_binding;
	enum err e;

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
	uint64_t idle_lock_s;
	enum err e;

	if ((e = option_u64(in, "--test-log-segment", 65536, (uint64_t)64 << 20, 0, &config.log_segment)) != OK ||
	    (e = option_u64(in, "--test-log-epoch", 2, 65536, 0, &config.log_epoch_records)) != OK ||
	    (e = config_idle_lock(in->home, &idle_lock_s)) != OK)
		return e;
	config.idle_lock_ms = idle_lock_s * 1000;
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

enum err
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
	struct disable_ask_body ask = { .leave = option_given(in, "--leave-material") };
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = owner_open(in, &c)) == OK)
		e = owner_call(in, c, MSG_DISABLE_ASK, &ask, MSG_DONE, &answer);
	client_close(&c);
	return e == OK ? print_done(in) : e;
}
