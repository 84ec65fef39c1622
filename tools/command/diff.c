#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/command/diff.h"
#include "tools/command/draft_file.h"

#define OUTPUT_MAX ((size_t)16 << 20)

/* A descriptor that is copied onto itself stays open in the child. */
static int
start(const char *old_label, const char *new_label, const int fds[3], pid_t *pid)
{
	char old_path[32], new_path[32];
	const char *argv[] = { "diff", "--text", "-u", "--label", old_label, "--label", new_label, old_path, new_path, NULL };
	char *const environment[] = { (char[]){ "LC_ALL=C" }, NULL };
	posix_spawn_file_actions_t files;
	int error;

	snprintf(old_path, sizeof old_path, "/dev/fd/%d", fds[0]);
	snprintf(new_path, sizeof new_path, "/dev/fd/%d", fds[1]);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fds[0], fds[0]);
	posix_spawn_file_actions_adddup2(&files, fds[1], fds[1]);
	posix_spawn_file_actions_adddup2(&files, fds[2], STDOUT_FILENO);
	error = posix_spawnp(pid, argv[0], &files, NULL, (char *const *)(uintptr_t)argv, environment);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

static enum err
run(const char *old_label, const char *new_label, const int fds[3])
{
	int status = 0;
	pid_t pid;

	if (start(old_label, new_label, fds, &pid) != 0)
		return ERR_UNSUPPORTED;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return ERR_UNSUPPORTED;
	return WIFEXITED(status) && WEXITSTATUS(status) < 2 ? OK : ERR_UNSUPPORTED;
}

enum err
diff_texts(struct diff_side old, struct diff_side new, struct secret **out)
{
	int fds[3] = { -1, -1, -1 };
	enum err e;

	if ((e = memory_file_make(old.text, &fds[0])) == OK && (e = memory_file_make(new.text, &fds[1])) == OK &&
	    (e = memory_file_make((struct span){ NULL, 0 }, &fds[2])) == OK &&
	    (e = run(old.label, new.label, fds)) == OK)
		e = memory_file_read(fds[2], OUTPUT_MAX, out);
	for (size_t i = 0; i < 3; i++)
		memory_file_close(&fds[i]);
	return e;
}
