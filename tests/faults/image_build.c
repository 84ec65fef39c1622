#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/faults/image_inside.h"

#define SECTOR 512

static bool
keeps(unsigned *seed, unsigned of_256)
{
	return of_256 >= 256 || (of_256 > 0 && (unsigned)rand_r(seed) / 128 % 256 < of_256);
}

/* The names of one directory that are not certain hold up to the first that does not. */
static bool
crash_names(const struct image *m, struct crash *crash, struct names *names)
{
	char ended[32][RECORDING_PATH_MAX], dir[RECORDING_PATH_MAX];
	size_t n_ended = 0;

	*names = m->certain;
	for (size_t i = 0; i < m->n_pending; i++) {
		const struct pending *p = &m->pending[i];
		bool over = false;

		if (!image_is_name(p))
			continue;
		image_parent_of(p->path2[0] != '\0' ? p->path2 : p->path, dir);
		for (size_t d = 0; d < n_ended; d++)
			over = over || strcmp(ended[d], dir) == 0;
		if (!over && !keeps(&crash->seed, crash->keep_names)) {
			over = true;
			if (n_ended == 32)
				return false;
			memcpy(ended[n_ended++], dir, sizeof dir);
		}
		if (!over && !image_do_name(names, p))
			return false;
	}
	return true;
}

/* A write that is not certain, sector by sector. */
static bool
tear(struct bytes *b, const struct pending *p, struct crash *crash)
{
	uint64_t at = p->at, end = p->at + p->data_len;

	while (at < end) {
		uint64_t stop = at - at % SECTOR + SECTOR;

		if (stop > end)
			stop = end;
		if (keeps(&crash->seed, crash->keep_data) && !image_bytes_put(b, at, p->data + (at - p->at), stop - at))
			return false;
		at = stop;
	}
	return true;
}

static bool
crash_file(const struct image *m, struct crash *crash, int file, struct bytes *b)
{
	const struct bytes *certain = &m->files[file];

	b->len = 0;
	if (!image_bytes_put(b, 0, certain->p, certain->len))
		return false;
	for (size_t i = 0; i < m->n_pending; i++) {
		const struct pending *p = &m->pending[i];

		if (image_is_name(p) || p->file != file)
			continue;
		if (p->type == EVENT_WRITE ? !tear(b, p, crash) : keeps(&crash->seed, crash->keep_data) && !image_do_data(b, p))
			return false;
	}
	return true;
}

static bool
write_file(const char *path, const struct bytes *b)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool fine = fd >= 0 && (b->len == 0 || pwrite(fd, b->p, b->len, 0) == (ssize_t)b->len);

	if (fd >= 0)
		close(fd);
	return fine;
}

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	return ftw->level == 0 ? 0 : remove(path);
}

/* Directories before what is in them: their names are shorter. */
static int
by_length(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (int)strlen(x->path) - (int)strlen(y->path);
}

static bool
has_parent(struct names *names, const char *path)
{
	char dir[RECORDING_PATH_MAX];

	image_parent_of(path, dir);
	return strcmp(dir, ".") == 0 || image_names_find(names, dir) != NULL;
}

bool
image_build(const struct image *m, struct crash crash, const char *dir)
{
	static struct names names;
	static struct bytes b;
	char path[4096];
	bool fine = true;

	if (!crash_names(m, &crash, &names) || (mkdir(dir, 0700) != 0 && nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0))
		return false;
	qsort(names.e, names.n, sizeof *names.e, by_length);
	for (size_t i = 0; i < names.n && fine; i++) {
		snprintf(path, sizeof path, "%.3000s/%s", dir, names.e[i].path);
		if (!has_parent(&names, names.e[i].path))
			continue;
		if (names.e[i].file < 0)
			fine = mkdir(path, 0700) == 0;
		else
			fine = crash_file(m, &crash, names.e[i].file, &b) && write_file(path, &b);
	}
	return fine;
}
