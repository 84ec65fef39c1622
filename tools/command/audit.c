/* audit verify and show: the log from its files. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "gateway/remembered.h"
#include "store/log_key.h"
#include "store/log_read.h"
#include "tools/command/command.h"

static void
hex(const uint8_t *p, size_t len, char *out)
{
	for (size_t i = 0; i < len; i++)
		snprintf(out + 2 * i, 3, "%02x", p[i]);
}

static enum err
print_verdict(const struct invocation *in, const struct log_verdict *v)
{
	struct json_writer w = { 0 };
	char root[2 * SHA256_LEN + 1];

	hex(v->root, sizeof v->root, root);
	if (!in->json) {
		if (v->valid && v->n_repairs > 0)
			return print_line("valid: %llu records, root %s; repaired %llu times, at least %llu records were lost\n",
			    (unsigned long long)v->size, root, (unsigned long long)v->n_repairs, (unsigned long long)v->n_lost);
		if (v->valid)
			return print_line("valid: %llu records, root %s\n", (unsigned long long)v->size, root);
		return print_line("not valid: record %llu: %s\n", (unsigned long long)v->bad_index, v->reason);
	}
	json_write_object(&w);
	json_member_bool(&w, "valid", v->valid);
	json_member_u64(&w, v->valid ? "size" : "index", v->valid ? v->size : v->bad_index);
	json_member_text(&w, v->valid ? "root" : "reason", v->valid ? root : v->reason);
	if (v->valid && v->n_repairs > 0) {
		json_member_u64(&w, "repairs", v->n_repairs);
		json_member_u64(&w, "lost", v->n_lost);
	}
	json_write_end(&w);
	return print_json(&w);
}

/* Looked up before the walk: a log that grows meanwhile must not seem to be behind it. NULL: nothing is known. */
static enum err
look_up_remembered(struct invocation *in, struct remembered **out)
{
	uint8_t log_public[SIGN_PUBLIC_LEN];
	char origin[LOG_ORIGIN_MAX + 1];
	struct uuid library;
	enum err e;

	if (log_key_read("audit/key.pub", origin, log_public) != OK || log_key_library(origin, &library) != OK)
		return OK;
	if ((e = remembered_open(library, out)) != OK && *out != NULL)
		snprintf(in->detail, sizeof in->detail, "%s", remembered_detail(*out));
	return e;
}

/* The home's own log must also extend what its clients saw. */
static enum err
verify(struct invocation *in, const struct log_verify_options *options, struct log_verdict *verdict)
{
	struct remembered *known = NULL;
	enum err e;

	if (in->n_positionals > 0)
		return log_verify(options, verdict);
	if ((e = look_up_remembered(in, &known)) == OK && (e = log_verify(options, verdict)) == OK &&
	    verdict->valid && known != NULL &&
	    (e = remembered_compare(known, verdict->size, verdict->root)) != OK)
		snprintf(in->detail, sizeof in->detail, "%s", remembered_detail(known));
	remembered_close(&known);
	return e;
}

enum err
run_audit_verify(struct invocation *in)
{
	struct log_verify_options options = { .dir = "audit", .full = option_given(in, "--full") };
	struct log_verdict verdict;
	char *key = NULL;
	enum err e;

	if (in->n_positionals > 0)
		options.dir = in->positionals[0];
	if (option_given(in, "--key")) {
		if (in->home == NULL)
			key = strdup(option_value(in, "--key"));
		else if ((e = home_absolute(in->home, option_value(in, "--key"), &key)) != OK)
			return e;
		if (key == NULL)
			return ERR_NO_MEMORY;
	}
	options.key_file = key;
	e = verify(in, &options, &verdict);
	free(key);
	if (e == ERR_AUDIT_DIVERGED)
		in->exit_code = 3;
	if (e != OK)
		return e;
	if (!verdict.valid)
		in->exit_code = 1;
	return print_verdict(in, &verdict);
}

/* The records first .. end - 1, printed as they pass. */
struct window {
	const struct invocation *in;
	struct json_writer *w;
	uint64_t first, end;
};

static void
write_id(struct json_writer *w, const char *key, struct uuid id)
{
	if (uuid_is_zero(id))
		return;
	json_member_id(w, key, id);
}

static const char *
subject_name(enum log_subject s)
{
	switch (s) {
	case LOG_GRANT_ID:
		return "grant";
	case LOG_CONNECTION_ID:
		return "connection";
	case LOG_TERMINAL:
		return "terminal";
	case LOG_DAEMON:
		return "daemon";
	case LOG_NOBODY:
		break;
	}
	return "nobody";
}

static void
write_rows(struct json_writer *w, const struct log_record *r)
{
	json_write_key(w, "rows");
	json_write_array(w);
	for (size_t i = 0; i < r->n_refs; i++) {
		struct log_ref ref = log_record_ref(r, i);

		json_write_object(w);
		write_id(w, "asset", ref.asset);
		write_id(w, "revision", ref.revision);
		json_write_end(w);
	}
	json_write_end(w);
}

static void
write_record(struct json_writer *w, const struct log_record *r)
{
	static const uint8_t none[SHA256_LEN];
	char time[CLOCK_TEXT_LEN + 1], hash[2 * SHA256_LEN + 1];

	clock_text(r->wall, time);
	json_write_object(w);
	json_member_u64(w, "index", r->index);
	json_member_text(w, "time", time);
	json_member_text(w, "type", log_type_name(r->type));
	json_member_text(w, "outcome", r->outcome == LOG_DONE ? "done" : "refused");
	json_member_text(w, "surface", surface_name(r->surface));
	json_member_text(w, "subject_kind", subject_name(r->subject_kind));
	write_id(w, "subject", r->subject);
	json_member_text(w, "operation", op_name(r->op));
	write_id(w, "vault", r->vault);
	write_id(w, "asset", r->asset);
	write_id(w, "revision", r->revision);
	json_member_u64(w, "offset", r->offset);
	json_member_u64(w, "length", r->length);
	if (r->n_chunks > 0) {
		json_member_u64(w, "first_chunk", r->first_chunk);
		json_member_u64(w, "chunks", r->n_chunks);
	}
	if (r->n_refs > 0)
		write_rows(w, r);
	if (r->reason[0] != '\0')
		json_member_text(w, "reason", r->reason);
	if (memcmp(r->ticket_hash, none, sizeof none) != 0) {
		hex(r->ticket_hash, sizeof r->ticket_hash, hash);
		json_member_text(w, "ticket_sha256", hash);
	}
	/* Past 2^53, which is more than every JSON reader keeps. */
	snprintf(hash, sizeof hash, "%llu", (unsigned long long)r->ask_id);
	json_member_text(w, "ask", hash);
	write_id(w, "epoch", r->epoch);
	json_write_end(w);
}

/* What was done, to what: "read asset 01a2… bytes 0+66", "list vault 01a2… 3 rows". */
static void
print_what(const struct log_record *r)
{
	bool page = r->op == OP_LIST || r->op == OP_HISTORY || r->op == OP_VAULT_LIST;
	char id[UUID_TEXT_LEN + 1];

	print_line("%-16s", r->op != OP_NONE ? op_name(r->op) : log_type_name(r->type));
	if (!uuid_is_zero(r->asset) || !uuid_is_zero(r->vault)) {
		uuid_text(uuid_is_zero(r->asset) ? r->vault : r->asset, id);
		print_line("  %s", id);
	}
	if (r->type == LOG_INTENT && page)
		print_line("  %llu rows", (unsigned long long)r->length);
	else if (r->type == LOG_INTENT)
		print_line("  bytes %llu+%llu", (unsigned long long)r->offset, (unsigned long long)r->length);
}

static void
print_record(const struct log_record *r)
{
	char time[CLOCK_TEXT_LEN + 1], subject[UUID_TEXT_LEN + 1] = "";

	clock_text(r->wall, time);
	if (!uuid_is_zero(r->subject))
		uuid_text(r->subject, subject);
	print_line("%8llu  %s  %-8s  %-10s %-36s  ", (unsigned long long)r->index, time, log_type_name(r->type),
	    subject_name(r->subject_kind), subject);
	print_what(r);
	print_line("%s%s\n", r->reason[0] != '\0' ? "  refused: " : "", r->reason);
}

static bool
show(void *arg, const struct log_record *r)
{
	struct window *window = arg;

	if (r->index >= window->end)
		return false;
	if (window->in->json)
		write_record(window->w, r);
	else
		print_record(r);
	return true;
}

static enum err
print_window(const struct invocation *in, uint64_t size, uint64_t first, uint64_t limit)
{
	struct json_writer w = { 0 };
	struct window window = { in, &w, first, limit < size - first ? first + limit : size };
	enum err e;

	if (in->json) {
		json_write_object(&w);
		json_write_key(&w, "records");
		json_write_array(&w);
	} else {
		print_line("%8s  %-20s  %-8s  %-47s  %s\n", "record", "time", "type", "by whom", "what");
	}
	if ((e = log_walk("audit", first, show, &window)) != OK || !in->json) {
		json_write_free(&w);
		return e;
	}
	json_write_end(&w);
	json_member_u64(&w, "offset", first);
	json_write_key(&w, "next");
	if (window.end < size)
		json_write_u64(&w, window.end);
	else
		json_write_null(&w);
	json_write_end(&w);
	return print_json(&w);
}

enum err
run_audit_show(struct invocation *in)
{
	struct client *c = NULL;
	union any_body answer;
	uint64_t limit, offset, size = 0;
	enum err e;

	if ((e = option_u64(in, "--limit", 1, 1000, 100, &limit)) != OK ||
	    (e = option_u64(in, "--offset", 0, UINT64_MAX, UINT64_MAX, &offset)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK &&
	    (e = owner_call(in, c, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, MSG_STATUS, &answer)) == OK) {
		size = answer.status.log.size;
		e = !answer.status.state.initialized ? ERR_NOT_INITIALIZED
		    : !answer.status.state.unlocked ? ERR_LOCKED : OK;
	}
	client_close(&c);
	if (e != OK)
		return e;
	if (!option_given(in, "--offset"))
		offset = size > limit ? size - limit : 0;
	return print_window(in, size, offset < size ? offset : size, limit);
}
