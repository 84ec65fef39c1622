#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/faults/recording.h"

static uint8_t *
read_all(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long n;

	if (f == NULL)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && (bytes = malloc((size_t)n + 1)) != NULL) {
		rewind(f);
		*len = fread(bytes, 1, (size_t)n, f);
	}
	fclose(f);
	return bytes;
}

static bool
take_path(const uint8_t *p, size_t len, char out[RECORDING_PATH_MAX])
{
	if (len >= RECORDING_PATH_MAX)
		return false;
	memcpy(out, p, len);
	out[len] = '\0';
	return true;
}

/* How long the event is; 0 when there is none. */
static size_t
take_event(const uint8_t *p, size_t len, struct event *e)
{
	struct event_head h;
	size_t all;

	if (len < sizeof h)
		return 0;
	memcpy(&h, p, sizeof h);
	all = sizeof h + h.path_len + h.path2_len + (size_t)h.data_len;
	if (h.magic != EVENT_MAGIC || all > len || !take_path(p + sizeof h, h.path_len, e->path) ||
	    !take_path(p + sizeof h + h.path_len, h.path2_len, e->path2))
		return 0;
	e->type = (enum event_type)h.type;
	e->at = h.at;
	e->thread = h.thread;
	e->data = p + sizeof h + h.path_len + h.path2_len;
	e->data_len = h.data_len;
	return all;
}

bool
recording_read(const char *path, struct recording *out)
{
	struct recording r = { 0 };
	size_t len = 0, at = 0, room = 0, n = 0;

	if ((r.bytes = read_all(path, &len)) == NULL)
		return false;
	while (at < len) {
		if (r.n == room) {
			room = room * 2 + 1024;
			r.events = realloc(r.events, room * sizeof *r.events);
			if (r.events == NULL)
				break;
		}
		if ((n = take_event(r.bytes + at, len - at, &r.events[r.n])) == 0)
			break;
		at += n;
		r.n++;
	}
	if (at < len) {
		recording_free(&r);
		return false;
	}
	*out = r;
	return true;
}

void
recording_free(struct recording *r)
{
	free(r->bytes);
	free(r->events);
	*r = (struct recording){ 0 };
}
