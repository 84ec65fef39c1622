/* audit verify: the log from its files. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "gateway/remembered.h"
#include "store/log_key.h"
#include "store/log_read.h"
#include "tools/command/command.h"

static enum err
print_verdict(const struct invocation *in, const struct log_verdict *v)
{
	struct json_writer w = { 0 };
	char root[HASH_TEXT_LEN + 1];

	hash_text(v->root, root);
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

	if (log_key_read(HOME_LOG_KEY, origin, log_public) != OK || log_key_library(origin, &library) != OK)
		return OK;
	if ((e = remembered_open(library, out)) != OK && *out != NULL)
		explain(in, remembered_detail(*out));
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
		explain(in, remembered_detail(known));
	remembered_close(&known);
	return e;
}

static void
explain_verify(struct invocation *in, enum err e, const char *key_file)
{
	if (in->detail[0] != '\0')
		return;
	if (e == ERR_NOT_FOUND)
		explain(in, "no segment of a log is in that folder");
	else if (e == ERR_FILE_UNREADABLE)
		explain(in, key_file != NULL ? "the one that --key names, or one of the log" : "key.pub, or another one of the log");
	else if (e == ERR_INVALID_CONTENT)
		explain(in, key_file != NULL ? "what --key names is no log's public key" : "key.pub is no log's public key");
	else if (e == ERR_AUDIT_DIVERGED)
		explain(in, "its anchor or its checkpoint knows records that it lacks, or others, or is damaged itself");
}

enum err
run_audit_verify(struct invocation *in)
{
	struct log_verify_options options = { .dir = HOME_LOG, .full = option_given(in, "--full") };
	struct log_verdict verdict;
	char *key;
	enum err e;

	if (in->n_positionals > 0)
		options.dir = in->positionals[0];
	if ((e = given_path(in, option_value(in, "--key"), &key)) != OK)
		return e;
	options.key_file = key;
	e = verify(in, &options, &verdict);
	explain_verify(in, e, key);
	free(key);
	if (e == ERR_AUDIT_DIVERGED)
		in->exit_code = 3;
	if (e != OK)
		return e;
	if (!verdict.valid)
		in->exit_code = 1;
	return print_verdict(in, &verdict);
}
