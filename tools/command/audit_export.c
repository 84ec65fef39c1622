/* audit export: the log as static files that any web server can serve. */
#include <inttypes.h>
#include <stdlib.h>

#include "store/log_export.h"
#include "tools/command/command.h"

static enum err
print_export(const struct invocation *in, const struct log_export *x)
{
	struct json_writer w = { 0 };

	if (!in->json)
		return print_line("exported: %" PRIu64 " records, %" PRIu64 " of them new; files made: %" PRIu64 "\n", x->size,
		    x->size - x->old_size, x->n_new);
	json_write_object(&w);
	json_member_u64(&w, "size", x->size);
	json_member_u64(&w, "old_size", x->old_size);
	json_member_u64(&w, "files", x->n_new);
	json_write_end(&w);
	return print_json(&w);
}

void
explain_checkpoint(struct invocation *in, enum err e)
{
	if (e == ERR_NOT_FOUND)
		explain(in, "the log, or its first checkpoint: `memories audit checkpoint` makes one");
	else if (e == ERR_AUDIT_TAMPERED)
		explain(in, "the checkpoint is not signed by this log's key, or the log does not hold it");
	else if (e == ERR_AUDIT_DIVERGED)
		explain(in, "the folder holds a checkpoint that this log does not extend");
}

enum err
run_audit_export(struct invocation *in)
{
	const char *log_dir = in->n_positionals > 1 ? in->positionals[1] : HOME_LOG;
	struct log_export result;
	char *out;
	enum err e;

	if ((e = given_path(in, in->positionals[0], &out)) != OK)
		return e;
	e = log_export(log_dir, out, &result);
	free(out);
	if (e == OK)
		return print_export(in, &result);
	explain_checkpoint(in, e);
	return e;
}
