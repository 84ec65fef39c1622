/* status: what is locked, loaded and recorded, in words or as JSON. */
#include "actors/search.h"
#include "mailbox/clock.h"
#include "store/log.h"
#include "tools/command/command.h"
#include "tools/command/status_custody.h"

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

static const char *
sleep_words(unsigned word)
{
	switch ((enum sleep_word)word) {
	case SLEEP_WATCHED:
		return "the library locks before the machine sleeps";
	case SLEEP_NO_DELAY:
		return "the library locks when the machine goes to sleep, but logind does not let it wait for that";
	case SLEEP_UNWATCHED:
		return "the library does not lock: no logind says when the machine goes to sleep";
	case SLEEP_UNKNOWN:
	case SLEEP_COMES:
		break;
	}
	return "the library does not lock: nothing here says when the machine goes to sleep";
}

static void
write_sleep(struct json_writer *w, unsigned word)
{
	json_write_key(w, "suspend");
	json_write_object(w);
	json_member_bool(w, "locks", word == SLEEP_WATCHED || word == SLEEP_NO_DELAY);
	json_member_text(w, "words", sleep_words(word));
	json_write_end(w);
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

static void
write_checkpoint(struct json_writer *w, const struct log_state_body *log)
{
	char time[CLOCK_TEXT_LEN + 1];

	json_write_key(w, "checkpoint");
	if (log->checkpoint_size == 0) {
		json_write_null(w);
		return;
	}
	clock_text((struct wall_ms){ log->checkpoint_wall_ms }, time);
	json_write_object(w);
	json_member_u64(w, "size", log->checkpoint_size);
	json_member_text(w, "time", time);
	json_write_end(w);
}

static const char *
search_state_name(unsigned s)
{
	static const char *const names[] = { [SEARCH_OFF] = "off", [SEARCH_WARMING] = "warming", [SEARCH_READY] = "ready" };

	return s < sizeof names / sizeof *names ? names[s] : "off";
}

static void
write_search(struct json_writer *w, const struct search_state_body *s)
{
	json_write_key(w, "search");
	json_write_object(w);
	json_member_text(w, "state", search_state_name(s->state));
	json_member_u64(w, "documents", s->documents);
	json_member_u64(w, "bytes", s->bytes);
	json_member_u64(w, "locked_bytes", s->locked_bytes);
	json_write_end(w);
}

/* What is not locked into memory may be written to swap. */
static void
print_search(const struct search_state_body *s)
{
	if (s->state == SEARCH_OFF)
		return;
	print_line("search     %s, %llu documents, %llu KiB in memory, %llu KiB of them never in swap\n", search_state_name(s->state),
	    (unsigned long long)s->documents, (unsigned long long)s->bytes / 1024, (unsigned long long)s->locked_bytes / 1024);
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
	status_custody_json(&w, &s->state);
	write_sleep(&w, s->state.sleep_word);
	json_write_key(&w, "library");
	if (initialized)
		json_write_id(&w, s->state.library);
	else
		json_write_null(&w);
	json_member_text(&w, "version", MEMORIES_VERSION);
	json_write_key(&w, "audit");
	json_write_object(&w);
	json_member_u64(&w, "size", s->log.size);
	member_hash(&w, "root", s->log.root);
	json_member_text(&w, "state", log_state_name(s->log.state));
	json_member_bool(&w, "healthy", s->log.state == LOG_OK);
	write_code(&w, "reason", s->log.failure);
	write_checkpoint(&w, &s->log);
	json_write_key(&w, "file_system");
	if (s->log.file_system.len > 0)
		json_write_string(&w, s->log.file_system);
	else
		json_write_null(&w);
	json_write_end(&w);
	write_search(&w, &s->search);
	json_member_text(&w, "profile", http_phase_name((enum http_phase)s->state.profile_phase));
	write_weakened(&w, s->weakened);
	json_write_end(&w);
	return print_json(&w);
}

/* The log's health, and what to do about it. */
static void
print_health(const struct log_state_body *log)
{
	unsigned long long size = log->size;

	switch ((enum log_state)log->state) {
	case LOG_OK:
		print_line("log        ok, %llu records: all that is delivered or changed is recorded\n", size);
		return;
	case LOG_LOW:
		print_line("log        low, %llu records: there is no room for its next segment; reads go on, and nothing\n"
		    "           new is stored. What to do: free disk space\n", size);
		return;
	case LOG_FULL:
		print_line("log        full, %llu records: nothing can be recorded, so nothing is delivered; lock, revoke and\n"
		    "           disable still work. What to do: free disk space\n", size);
		return;
	case LOG_FAILED:
		break;
	}
	print_line("log        failed: %s\n", err_text((enum err)log->failure));
	if (log->failure == ERR_AUDIT_UNAVAILABLE)
		print_line("           What to do: look at the disk and at what the daemon wrote; it tries again by itself\n");
	else
		print_line("           What to do: %s\n", err_remedy((enum err)log->failure));
}

static void
print_log(const struct log_state_body *log)
{
	char time[CLOCK_TEXT_LEN + 1];

	print_health(log);
	if (log->checkpoint_size > 0) {
		clock_text((struct wall_ms){ log->checkpoint_wall_ms }, time);
		print_line("           newest checkpoint: %llu records, %s\n", (unsigned long long)log->checkpoint_size, time);
	}
	if (log->file_system.len > 0)
		print_line("           on %.*s: that a record is on the disk is promised on ext4 and XFS only\n",
		    (int)log->file_system.len, (const char *)log->file_system.p);
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
	status_custody_text(st);
	print_line("suspend    %s\n", sleep_words(st->sleep_word));
	print_log(&s->log);
	print_search(&s->search);
	if (st->profile_phase != HTTP_NEVER)
		print_line("profile    %s: see `memories profile status`\n", http_phase_name((enum http_phase)st->profile_phase));
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
