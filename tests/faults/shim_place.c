#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/faults/shim_place.h"

/* The part of an absolute path below the home, or NULL. */
static const char *
below_home(const char *path)
{
	const char *home = shim_plan_home();
	size_t len = home != NULL ? strlen(home) : 0;

	if (len == 0 || strncmp(path, home, len) != 0)
		return NULL;
	return path[len] == '\0' ? "." : path[len] == '/' ? path + len + 1 : NULL;
}

/* Where a descriptor points to, as the kernel says it. */
static const char *
place_of_link(const char *link, char buf[PATH_MAX])
{
	static const char deleted[] = " (deleted)";
	size_t tail = sizeof deleted - 1;
	int was = errno;
	long n = syscall(SYS_readlink, link, buf, (size_t)PATH_MAX - 1);

	errno = was;
	if (n <= 0 || buf[0] != '/')
		return NULL;
	buf[n] = '\0';
	if ((size_t)n > tail && strcmp(buf + n - tail, deleted) == 0)
		return NULL;
	return below_home(buf);
}

const char *
shim_place_of(int fd, char buf[PATH_MAX])
{
	char link[40];

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	return place_of_link(link, buf);
}

const char *
shim_place_at(int dir_fd, const char *name, char buf[PATH_MAX])
{
	char dir[PATH_MAX], link[40];
	const char *below;

	if (name == NULL || name[0] == '\0')
		return NULL;
	if (name[0] == '/')
		return below_home(name);
	if (shim_plan_home() == NULL)
		return NULL;
	snprintf(link, sizeof link, dir_fd == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dir_fd);
	if ((below = place_of_link(link, dir)) == NULL)
		return NULL;
	if (strcmp(below, ".") == 0)
		snprintf(buf, PATH_MAX, "%s", name);
	else
		snprintf(buf, PATH_MAX, "%.2000s/%.2000s", below, name);
	return buf;
}

bool
shim_place_wrong(enum shim_call call, long *result)
{
	enum shim_action action;
	int error;

	if (!shim_plan_hits(call, &action, &error) || action != SHIM_ERROR)
		return false;
	errno = error;
	*result = -1;
	return true;
}
