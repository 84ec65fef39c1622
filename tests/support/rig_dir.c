#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/rig_dir.h"

static char made[4096];

void
rig_dir_make(void)
{
	const char *base = getenv("TMPDIR");
	int len = snprintf(made, sizeof made, "%s/memories-XXXXXX", base != NULL ? base : "/tmp");

	if (len < 0 || (size_t)len >= sizeof made || mkdtemp(made) == NULL || chdir(made) != 0) {
		perror("rig_dir_make");
		exit(1);
	}
}

const char *
rig_dir_path(void)
{
	return made;
}

static int
remove_one(const char *name, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(name);
}

void
rig_dir_remove(void)
{
	if (chdir("/") != 0 || nftw(made, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) != 0)
		perror("rig_dir_remove");
}
