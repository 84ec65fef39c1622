#include <stdlib.h>

#include "store/log_io.h"
#include "store/segment.h"
#include "store/segment_list.h"

static enum err
add(struct segment_list *l, size_t *room, uint64_t number)
{
	if (l->n == *room) {
		size_t more = *room == 0 ? 64 : *room * 2;
		uint64_t *numbers = reallocarray(l->numbers, more, sizeof *numbers);

		if (numbers == NULL)
			return ERR_NO_MEMORY;
		l->numbers = numbers;
		*room = more;
	}
	l->numbers[l->n++] = number;
	return OK;
}

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static enum err
read_names(DIR *dir, struct segment_list *l)
{
	struct dirent *entry;
	size_t room = 0;
	enum err e = OK;

	while (e == OK && (entry = readdir(dir)) != NULL) {
		uint64_t number = segment_number(entry->d_name);

		if (number > 0)
			e = add(l, &room, number);
	}
	return e != OK || l->n > 0 ? e : ERR_NOT_FOUND;
}

enum err
segment_list_read(int seg_fd, struct segment_list *out)
{
	DIR *dir = log_io_entries(seg_fd);
	struct segment_list l = { NULL, 0 };
	enum err e;

	if (dir == NULL)
		return ERR_FILE_UNREADABLE;
	e = read_names(dir, &l);
	closedir(dir);
	if (e != OK) {
		segment_list_free(&l);
		return e;
	}
	qsort(l.numbers, l.n, sizeof *l.numbers, compare);
	*out = l;
	return OK;
}

void
segment_list_free(struct segment_list *l)
{
	free(l->numbers);
	*l = (struct segment_list){ NULL, 0 };
}
