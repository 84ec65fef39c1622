#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escrow/home.h"
#include "escrow/safe_dir.h"

/* NULL when the variable is unset or empty. */
static const char *
variable(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

static bool
is_absolute(const char *path)
{
	return path != NULL && path[0] == '/';
}

static enum err
joined(const char *dir, const char *name, char **out)
{
	return asprintf(out, "%s/%s", dir, name) < 0 ? ERR_NO_MEMORY : OK;
}

static enum err
named_place(const char *path, struct home_place *out)
{
	char *copy;

	if (!is_absolute(path))
		return ERR_HOME_NOT_PRIVATE;
	if ((copy = strdup(path)) == NULL)
		return ERR_NO_MEMORY;
	*out = (struct home_place){ .path = copy, .n_make = 1 };
	return OK;
}

static enum err
default_place(const char *dir, const char *below, unsigned n_make, struct home_place *out)
{
	char *path;
	enum err e;

	if ((e = joined(dir, below, &path)) == OK)
		*out = (struct home_place){ .path = path, .n_make = n_make };
	return e;
}

/* In the folder that the variable names, or below the user's own. */
static enum err
usual_place(const char *name, const char *below_home, struct home_place *out)
{
	const char *named = variable(name), *home = variable("HOME");
	const struct passwd *user;

	if (is_absolute(named))
		return default_place(named, "memories", 2, out);
	if (!is_absolute(home)) {
		user = getpwuid(geteuid());
		home = user != NULL ? user->pw_dir : NULL;
	}
	if (!is_absolute(home))
		return ERR_HOME_NOT_PRIVATE;
	return default_place(home, below_home, 3, out);
}

enum err
home_find(const char *flag, struct home_place *out)
{
	const char *named = flag != NULL ? flag : variable("MEMORIES_HOME");

	if (named != NULL)
		return named_place(named, out);
	return usual_place("XDG_DATA_HOME", ".local/share/memories", out);
}

enum err
home_find_state(struct home_place *out)
{
	return usual_place("XDG_STATE_HOME", ".local/state/memories", out);
}

void
home_place_free(struct home_place *p)
{
	free(p->path);
	p->path = NULL;
}

static enum err
walk_home(const struct home_place *place, bool make, struct home *h)
{
	struct safe_dir_want want = {
		.path = place->path,
		.kind = SAFE_DIR_PRIVATE,
		.n_make = make ? place->n_make : 0,
		.refusal = ERR_HOME_NOT_PRIVATE,
	};
	enum err e = safe_dir_open(&want, &h->fd, &h->path);

	if (e == ERR_NOT_FOUND)
		return make ? ERR_HOME_NOT_PRIVATE : ERR_NOT_INITIALIZED;
	return e;
}

enum err
home_open(const struct home_place *place, bool make, struct home **out)
{
	struct home *h;
	enum err e;

	if ((h = calloc(1, sizeof *h)) == NULL)
		return ERR_NO_MEMORY;
	h->fd = h->cwd_fd = -1;
	if ((e = walk_home(place, make, h)) != OK)
		goto close;
	h->cwd_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	h->cwd = getcwd(NULL, 0);
	if (fchdir(h->fd) != 0) {
		e = ERR_HOME_NOT_PRIVATE;
		goto close;
	}
	*out = h;
	return OK;

close:
	home_close(&h);
	return e;
}

void
home_close(struct home **h)
{
	if (*h == NULL)
		return;
	if ((*h)->fd >= 0)
		close((*h)->fd);
	if ((*h)->cwd_fd >= 0)
		close((*h)->cwd_fd);
	free((*h)->cwd);
	free((*h)->path);
	free(*h);
	*h = NULL;
}

enum err
home_absolute(const struct home *h, const char *given, char **out)
{
	if (!is_absolute(given) && h->cwd == NULL)
		return ERR_FILE_UNREADABLE;
	if (!is_absolute(given))
		return joined(h->cwd, given, out);
	*out = strdup(given);
	return *out != NULL ? OK : ERR_NO_MEMORY;
}
