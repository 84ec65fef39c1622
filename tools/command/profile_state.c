/* profile enable, disable, status, maintenance. */
#include <string.h>

#include "escrow/custody.h"
#include "escrow/terminal.h"
#include "gateway/profile_request.h"
#include "mailbox/words.h"
#include "store/grants_db_profile.h"
#include "tools/command/profile.h"

static const char warning[] =
    "\n"
    "With --backend the profile opens by itself after a restart: connected assistants can\n"
    "read what you shared with them while nobody has unlocked the library. `memories lock`\n"
    "ends that, until `unattended resume`.\n"
    "\n";

/* Asks for the password where it still takes one to be unlocked, or to have sudo. */
static enum err
call_for(struct invocation *in, struct client *c, enum msg type, const void *body, enum msg wanted)
{
	union any_body answer;
	enum err e = owner_call(in, c, type, body, wanted, &answer);

	if (e == ERR_LOCKED && (e = owner_unlock(in, c)) == OK)
		e = owner_call(in, c, type, body, wanted, &answer);
	if (e == ERR_SUDO_REQUIRED && (e = owner_sudo(in, c)) == OK)
		e = owner_call(in, c, type, body, wanted, &answer);
	return e;
}

static enum err
call(struct invocation *in, struct client *c, enum msg type, const void *body)
{
	return call_for(in, c, type, body, MSG_DONE);
}

static enum err
change(struct invocation *in, enum msg type, const void *body)
{
	struct client *c = NULL;
	enum err e;

	if ((e = owner_open(in, &c)) == OK)
		e = call(in, c, type, body);
	client_close(&c);
	return e == OK ? print_done(in) : e;
}

/*
 * At the first time the pages get their password, without which no assistant
 * can be let in. It is asked for before anything is done: one that is not good
 * leaves all as it was.
 */
static enum err
enable_first(struct invocation *in, struct client *c, const struct enable_ask_body *ask)
{
	const struct owner_ask_body nothing = { { 0 } };
	struct secret *password = NULL;
	enum err e;

	/* Who may list the devices may enable it. */
	if ((e = client_certified(c)) != OK || (e = call_for(in, c, MSG_DEVICE_ASK, &nothing, MSG_DEVICE)) != OK ||
	    (e = profile_password_new(in, &password)) != OK)
		return e;
	if ((e = call(in, c, MSG_PROFILE_ENABLE_ASK, ask)) == OK && (e = profile_password_offer(in, c, password)) != OK &&
	    in->detail[0] == '\0')
		explain(in, "the profile is enabled; set the password of its pages with `memories profile passwd`");
	secret_free(&password);
	return e;
}

static enum err
enable(struct invocation *in, const struct enable_ask_body *ask)
{
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = owner_open(in, &c)) == OK &&
	    (e = owner_call(in, c, MSG_PROFILE_STATE_ASK, &(struct owner_ask_body){ { 0 } }, MSG_PROFILE_STATE, &answer)) == OK)
		e = answer.profile_state.exists ? call(in, c, MSG_PROFILE_ENABLE_ASK, ask) : enable_first(in, c, ask);
	if (e == ERR_ALREADY_ENABLED && in->detail[0] == '\0')
		explain(in, "with another backend; to change it, `memories profile disable` first");
	client_close(&c);
	return e == OK ? print_done(in) : e;
}

enum err
run_profile_enable(struct invocation *in)
{
	const char *backend = option_value(in, "--backend");
	struct enable_ask_body ask = { .backend = { NULL, 0 } };
	enum err e;

	if (backend != NULL) {
		if (strlen(backend) > CUSTODY_BACKEND_MAX)
			return invalid(in, "no backend has that name");
		if ((e = custody_supported(backend)) != OK)
			return e;
		ask.backend = (struct span){ (const uint8_t *)backend, strlen(backend) };
		/* Where there is no terminal nobody reads it. */
		(void)terminal_warn(warning);
	}
	return enable(in, &ask);
}

enum err
run_profile_disable(struct invocation *in)
{
	struct disable_ask_body ask = { .leave = option_given(in, "--leave-material") };

	return change(in, MSG_PROFILE_DISABLE_ASK, &ask);
}

enum err
run_profile_maintenance(struct invocation *in)
{
	const char *message = option_value(in, "--message");
	struct maintenance_ask_body ask = { .on = strcmp(in->positionals[0], "on") == 0 };

	if (!ask.on && strcmp(in->positionals[0], "off") != 0)
		return invalid(in, "maintenance is on or off");
	if (message != NULL && !ask.on)
		return invalid(in, "there is no message without maintenance");
	if (message != NULL)
		ask.message = (struct span){ (const uint8_t *)message, strlen(message) };
	if (ask.message.len > MAINTENANCE_MESSAGE_MAX || !profile_text_good(ask.message, 0, MAINTENANCE_MESSAGE_MAX))
		return invalid(in, "a message is one line of UTF-8 without control characters, of at most 1200 bytes");
	return change(in, MSG_MAINTENANCE_ASK, &ask);
}

static void
member_code(struct json_writer *w, const char *key, unsigned e)
{
	json_write_key(w, key);
	if (e == OK)
		json_write_null(w);
	else
		json_write_text(w, err_code((enum err)e));
}

static void
member_or_null(struct json_writer *w, const char *key, struct span s)
{
	json_write_key(w, key);
	if (s.len == 0)
		json_write_null(w);
	else
		json_write_string(w, s);
}

static enum err
print_state_json(const struct profile_state_body *s)
{
	struct json_writer w = { 0 };

	json_write_object(&w);
	json_member_text(&w, "phase", http_phase_name((enum http_phase)s->phase));
	json_member_bool(&w, "enabled", s->enabled);
	json_member_bool(&w, "opened", s->opened);
	json_member_u64(&w, "connections", s->connections);
	member_or_null(&w, "message", s->message);
	member_or_null(&w, "backend", s->backend);
	json_member_bool(&w, "custody_loaded", s->loaded);
	json_member_bool(&w, "banned", s->banned);
	member_code(&w, "custody_error", s->custody_error);
	member_code(&w, "error", s->open_error);
	json_write_key(&w, "http");
	json_write_object(&w);
	json_member_bool(&w, "listening", s->http.listening);
	json_member_bool(&w, "tls", s->http.tls);
	member_or_null(&w, "address", s->http.address);
	member_or_null(&w, "origin", s->http.origin);
	member_code(&w, "error", s->http.error);
	json_write_end(&w);
	json_write_end(&w);
	return print_json(&w);
}

static enum err
print_phase(const struct profile_state_body *s)
{
	switch ((enum http_phase)s->phase) {
	case HTTP_NEVER:
		return print_line("profile    not enabled: run `memories profile enable`\n");
	case HTTP_OFF:
		return print_line("profile    disabled\n");
	case HTTP_LOCKED:
		return s->open_error != OK ? print_line("profile    enabled, and not open: %s\n", err_text((enum err)s->open_error))
		    : print_line("profile    enabled, and locked\n");
	case HTTP_MAINTENANCE:
		return print_line("profile    in maintenance%s%.*s\n", s->message.len > 0 ? ": " : "", (int)s->message.len,
		    s->message.len > 0 ? (const char *)s->message.p : "");
	case HTTP_SERVES:
		break;
	}
	return print_line("profile    serves, %lu connection%s\n", (unsigned long)s->connections, s->connections == 1 ? "" : "s");
}

static enum err
print_state(const struct profile_state_body *s)
{
	(void)print_phase(s);
	if (s->backend.len > 0)
		print_line("custody    %.*s: %s%s%s\n", (int)s->backend.len, (const char *)s->backend.p,
		    s->loaded ? "loaded" : "not loaded", s->custody_error != OK ? ": " : "",
		    s->custody_error != OK ? err_text((enum err)s->custody_error) : "");
	if (s->banned)
		print_line("           banned by a manual lock until `memories unattended resume`\n");
	if (s->http.listening)
		print_line("listens    on %.*s%s; assistants connect to %.*s/mcp\n", (int)s->http.address.len,
		    (const char *)s->http.address.p, s->http.tls ? " with TLS" : "", (int)s->http.origin.len,
		    (const char *)s->http.origin.p);
	else if (s->http.error != OK)
		print_line("listens    not: %s\n", err_text((enum err)s->http.error));
	return OK;
}

enum err
run_profile_status(struct invocation *in)
{
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	/* It gives nothing away: it works while the library is locked. */
	if ((e = client_open(&c)) != OK)
		return e;
	if ((e = owner_call(in, c, MSG_PROFILE_STATE_ASK, &(struct owner_ask_body){ { 0 } }, MSG_PROFILE_STATE, &answer)) == OK)
		e = in->json ? print_state_json(&answer.profile_state) : print_state(&answer.profile_state);
	client_close(&c);
	return e;
}
