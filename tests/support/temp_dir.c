#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

int
temp_dir_setup(void **state)
{
	const char *parent = getenv("TMPDIR");
	struct temp_dir *d = calloc(1, sizeof *d);
	char resolved[4096];

	if (d == NULL || realpath(parent != NULL ? parent : "/tmp", resolved) == NULL)
		return -1;
	if (snprintf(d->path, sizeof d->path, "%s/memories-XXXXXX", resolved) >= TEMP_PATH_MAX)
		return -1;
	*state = d;
	return mkdtemp(d->path) != NULL ? 0 : -1;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int
temp_dir_teardown(void **state)
{
	struct temp_dir *d = *state;
	int rc = nftw(d->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(d);
	return rc;
}

const char *
temp_dir_at(struct temp_dir *d, const char *name)
{
	int len = snprintf(d->joined, sizeof d->joined, "%s/%s", d->path, name);

	assert_in_range(len, 1, TEMP_PATH_MAX - 1);
	return d->joined;
}

void
temp_dir_put(struct temp_dir *d, const char *name, const void *bytes, size_t len, mode_t mode)
{
	int fd = open(temp_dir_at(d, name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

void
temp_dir_mkdir(struct temp_dir *d, const char *name, mode_t mode)
{
	assert_int_equal(mkdir(temp_dir_at(d, name), 0700), 0);
	assert_int_equal(chmod(d->joined, mode), 0);
}

int
run_in_child(int (*function)(void *), void *argument, bool drop)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (drop && geteuid() == 0 &&
		    (setresgid(OTHER_UID, OTHER_UID, OTHER_UID) != 0 ||
		        setresuid(OTHER_UID, OTHER_UID, OTHER_UID) != 0))
			_exit(125);
		_exit(function(argument));
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}
