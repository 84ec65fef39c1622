#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/faults/image_inside.h"

bool
image_bytes_reach(struct bytes *b, size_t len)
{
	if (len > FILE_BYTES_MAX)
		return false;
	if (len > b->room) {
		size_t room = len + len / 2;
		uint8_t *p = realloc(b->p, room);

		if (p == NULL)
			return false;
		b->p = p;
		b->room = room;
	}
	if (len > b->len) {
		memset(b->p + b->len, 0, len - b->len);
		b->len = len;
	}
	return true;
}

bool
image_bytes_put(struct bytes *b, uint64_t at, const uint8_t *p, size_t len)
{
	if (len == 0)
		return true;
	if (!image_bytes_reach(b, at + len))
		return false;
	memcpy(b->p + at, p, len);
	return true;
}

struct entry *
image_names_find(struct names *names, const char *path)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->e[i].path, path) == 0)
			return &names->e[i];
	return NULL;
}

static void
names_drop(struct names *names, const char *path)
{
	struct entry *e = image_names_find(names, path);

	if (e != NULL)
		*e = names->e[--names->n];
}

bool
image_names_set(struct names *names, const char *path, int file)
{
	struct entry *e = image_names_find(names, path);

	if (e == NULL) {
		if (names->n == ENTRIES_MAX)
			return false;
		e = &names->e[names->n++];
		snprintf(e->path, sizeof e->path, "%s", path);
	}
	e->file = file;
	return true;
}

bool
image_do_name(struct names *names, const struct pending *p)
{
	if (p->type == EVENT_UNLINK)
		names_drop(names, p->path);
	else if (p->type == EVENT_CREATE)
		return image_names_set(names, p->path, p->file);
	else {
		struct entry *from = image_names_find(names, p->path);

		if (p->type == EVENT_RENAME && from != NULL && from->file == p->file)
			names_drop(names, p->path);
		return image_names_set(names, p->path2, p->file);
	}
	return true;
}

bool
image_do_data(struct bytes *b, const struct pending *p)
{
	if (p->type == EVENT_WRITE)
		return image_bytes_put(b, p->at, p->data, p->data_len);
	if (p->type == EVENT_TRUNCATE && p->at < b->len) {
		b->len = p->at;
		return true;
	}
	return image_bytes_reach(b, p->at);
}

bool
image_is_name(const struct pending *p)
{
	return p->type == EVENT_CREATE || p->type == EVENT_RENAME || p->type == EVENT_LINK || p->type == EVENT_UNLINK;
}

void
image_parent_of(const char *path, char out[RECORDING_PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	snprintf(out, RECORDING_PATH_MAX, "%.*s", slash != NULL ? (int)(slash - path) : 1, slash != NULL ? path : ".");
}

static bool
is_in(const struct pending *p, const char *dir)
{
	char of[RECORDING_PATH_MAX], of2[RECORDING_PATH_MAX];

	image_parent_of(p->path, of);
	image_parent_of(p->path2[0] != '\0' ? p->path2 : p->path, of2);
	return strcmp(of, dir) == 0 || strcmp(of2, dir) == 0;
}

static bool
add_pending(struct image *m, const struct event *e, int file)
{
	struct pending *p = &m->pending[m->n_pending];

	if (m->n_pending == PENDING_MAX)
		return false;
	m->n_pending++;
	*p = (struct pending){ .type = e->type, .seq = m->seq, .file = file, .at = e->at,
	    .data = e->data, .data_len = e->data_len };
	memcpy(p->path, e->path, sizeof p->path);
	memcpy(p->path2, e->path2, sizeof p->path2);
	return true;
}

/* Makes certain what which() says, as far as it came before a moment. */
static bool
settle(struct image *m, uint64_t before, int file, const char *dir, const struct event *one)
{
	size_t kept = 0;
	bool fine = true;

	for (size_t i = 0; i < m->n_pending; i++) {
		struct pending *p = &m->pending[i];
		bool mine = p->seq < before && (dir != NULL ? image_is_name(p) && is_in(p, dir) : !image_is_name(p) && p->file == file);

		if (one != NULL)
			mine = mine && p->type == EVENT_WRITE && p->at == one->at;
		if (!mine)
			m->pending[kept++] = *p;
		else if (!(image_is_name(p) ? image_do_name(&m->certain, p) : image_do_data(&m->files[p->file], p)))
			fine = false;
	}
	m->n_pending = kept;
	return fine;
}

static bool
sync_begins(struct image *m, const struct event *e)
{
	struct sync *s = &m->syncs[m->n_syncs];

	if (m->n_syncs == SYNCS_MAX)
		return false;
	m->n_syncs++;
	*s = (struct sync){ .thread = e->thread, .seq = m->seq };
	memcpy(s->path, e->path, sizeof s->path);
	return true;
}

/* A sync that failed never ends; its beginning is forgotten by the next of that thread. */
static bool
sync_ends(struct image *m, const struct event *e)
{
	struct entry *live = image_names_find(&m->live, e->path);
	uint64_t began = 0;
	size_t kept = 0;

	for (size_t i = 0; i < m->n_syncs; i++)
		if (m->syncs[i].thread == e->thread)
			began = m->syncs[i].seq;
		else
			m->syncs[kept++] = m->syncs[i];
	m->n_syncs = kept;
	if (strcmp(e->path, ".") == 0 || (live != NULL && live->file < 0))
		return settle(m, began, 0, e->path, NULL);
	return live == NULL || settle(m, began, live->file, NULL, NULL);
}

static bool
new_name(struct image *m, const struct event *e)
{
	struct entry *from;
	int file = -1;

	if (e->type == EVENT_CREATE && e->at == 0) {
		if (m->n_files == FILES_MAX)
			return false;
		file = (int)m->n_files++;
	} else if (e->type != EVENT_CREATE) {
		/* Sockets are made by other calls; they hold nothing. */
		if ((from = image_names_find(&m->live, e->path)) == NULL)
			return e->type == EVENT_UNLINK;
		file = from->file;
	}
	return add_pending(m, e, file) && image_do_name(&m->live, &m->pending[m->n_pending - 1]);
}

bool
image_apply(struct image *m, const struct event *e)
{
	struct entry *live;

	m->seq++;
	switch (e->type) {
	case EVENT_CREATE:
	case EVENT_RENAME:
	case EVENT_LINK:
	case EVENT_UNLINK:
		return new_name(m, e);
	case EVENT_WRITE:
	case EVENT_TRUNCATE:
	case EVENT_GROW:
		live = image_names_find(&m->live, e->path);
		return live != NULL && live->file >= 0 && add_pending(m, e, live->file);
	case EVENT_WRITE_SYNCED:
		live = image_names_find(&m->live, e->path);
		return live != NULL && settle(m, m->seq, live->file, NULL, e);
	case EVENT_SYNC_BEGIN:
		return sync_begins(m, e);
	case EVENT_SYNC_END:
		return sync_ends(m, e);
	case EVENT_OUT:
	case EVENT_MARK:
		break;
	}
	return true;
}

size_t
image_n_pending(const struct image *m)
{
	return m->n_pending;
}
