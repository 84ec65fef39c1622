#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/faults/image_inside.h"

static bool
load_file(struct image *m, const char *path, const char *below)
{
	static uint8_t buf[1 << 16];
	struct bytes *b = &m->files[m->n_files];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0 || m->n_files == FILES_MAX)
		return false;
	while ((n = read(fd, buf, sizeof buf)) > 0)
		if (!image_bytes_put(b, b->len, buf, (size_t)n))
			break;
	close(fd);
	return n == 0 && image_names_set(&m->certain, below, (int)m->n_files++);
}

static bool
load(struct image *m, const char *base, const char *below)
{
	char path[4096], name[RECORDING_PATH_MAX];
	bool fine = true;
	struct dirent *d;
	struct stat st;
	DIR *dir;

	snprintf(path, sizeof path, "%s/%s", base, below);
	if ((dir = opendir(path)) == NULL)
		return false;
	while (fine && (d = readdir(dir)) != NULL) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		snprintf(name, sizeof name, "%.60s%s%.60s", below, *below != '\0' ? "/" : "", d->d_name);
		snprintf(path, sizeof path, "%.3000s/%s", base, name);
		if (lstat(path, &st) != 0)
			fine = false;
		else if (S_ISDIR(st.st_mode))
			fine = image_names_set(&m->certain, name, -1) && load(m, base, name);
		else if (S_ISREG(st.st_mode))
			fine = load_file(m, path, name);
	}
	closedir(dir);
	return fine;
}

struct image *
image_new(const char *base)
{
	struct image *m = calloc(1, sizeof *m);

	if (m != NULL && (m->pending = calloc(PENDING_MAX, sizeof *m->pending)) != NULL && load(m, base, "")) {
		m->live = m->certain;
		return m;
	}
	image_free(m);
	return NULL;
}

void
image_free(struct image *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->n_files; i++)
		free(m->files[i].p);
	free(m->pending);
	free(m);
}
