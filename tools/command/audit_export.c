/* audit export: the log as static files that any web server can serve. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/log_export.h"
#include "store/log_read.h"
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

/* Where the log ends, if it is the log. */
static void
explain_damage(struct invocation *in, const char *log_dir)
{
	struct log_verdict v;
	char detail[120];

	if (log_verify(&(struct log_verify_options){ .dir = log_dir }, &v) == OK && !v.valid) {
		snprintf(detail, sizeof detail, "the log holds up to record %" PRIu64 " and not there",
		    v.bad_index);
		explain(in, detail);
	} else {
		explain(in, "the checkpoint is not signed by this log's key, or the log does not hold it");
	}
}

void
explain_checkpoint(struct invocation *in, const char *log_dir, enum err e)
{
	if (e == ERR_NOT_FOUND)
		explain(in, "the log, or its first checkpoint: `memories audit checkpoint` makes one");
	else if (e == ERR_AUDIT_TAMPERED)
		explain_damage(in, log_dir);
	else if (e == ERR_INVALID_CONTENT)
		explain(in, "the key is no log's public key");
	else if (e == ERR_FILE_UNREADABLE)
		explain(in, "the key, or another one of the log");
	else if (e == ERR_AUDIT_DIVERGED)
		explain(in, "the folder holds a checkpoint that this log does not extend");
}

/* The nearest folder on the way to what may not be there yet; -1: none can be entered. */
static int
open_nearest(char *path)
{
	int fd;

	while ((fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0 && errno == ENOENT) {
		char *slash = strrchr(path, '/');

		if (slash == NULL)
			return open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		slash[slash == path] = '\0';
	}
	return fd;
}

/* Is what `fd` stands for the folder, or within it? Takes fd. */
static bool
is_within(int fd, const char *folder)
{
	struct stat wanted, here, above = { .st_ino = 0 };
	bool within = false;

	if (stat(folder, &wanted) != 0) {
		close(fd);
		return false;
	}
	while (fd >= 0 && fstat(fd, &here) == 0 && !within && (here.st_dev != above.st_dev || here.st_ino != above.st_ino)) {
		int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

		within = here.st_dev == wanted.st_dev && here.st_ino == wanted.st_ino;
		above = here;
		close(fd);
		fd = up;
	}
	if (fd >= 0)
		close(fd);
	return within;
}

/* What lies in the home is no web server's, and what lies beside the log is not to be mistaken for it. */
static enum err
check_out(struct invocation *in, const char *out, const char *log_dir)
{
	const char *folder = in->home != NULL ? "." : log_dir;
	char *path = strdup(out);
	int fd;

	if (path == NULL)
		return ERR_NO_MEMORY;
	fd = open_nearest(path);
	free(path);
	if (fd < 0 || !is_within(fd, folder))
		return OK;
	return invalid(in, in->home != NULL ? "OUT lies in the home" : "OUT lies in DIR");
}

enum err
run_audit_export(struct invocation *in)
{
	const char *log_dir = in->n_positionals > 1 ? in->positionals[1] : HOME_LOG;
	struct log_export result;
	char *out;
	enum err e;

	if (in->positionals[0][0] == '\0')
		return invalid(in, "OUT is empty");
	if ((e = given_path(in, in->positionals[0], &out)) != OK)
		return e;
	if ((e = check_out(in, out, log_dir)) == OK)
		e = log_export(log_dir, out, &result);
	free(out);
	if (e == OK)
		return print_export(in, &result);
	explain_checkpoint(in, log_dir, e);
	return e;
}
