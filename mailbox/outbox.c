#include <stdlib.h>
#include <string.h>

#include "mailbox/outbox.h"

/* What an outbox keeps between batches; a larger one gives its memory back. */
#define KEPT_LEN (2u * 1024 * 1024)

struct entry {
	enum actor to;
	enum msg   type;
	uint64_t   ask_id;
	size_t     start;
	size_t     len;
};

struct outbox {
	enum actor    owner;
	uint8_t      *bytes;
	size_t        len;
	size_t        cap;
	struct entry *entries;
	size_t        n_entries;
	size_t        max_entries;
};

enum err
outbox_new(enum actor owner, struct outbox **out)
{
	struct outbox *o;

	if ((o = calloc(1, sizeof *o)) == NULL)
		return ERR_NO_MEMORY;
	o->owner = owner;
	*out = o;
	return OK;
}

void
outbox_free(struct outbox **o)
{
	if (*o == NULL)
		return;
	free((*o)->bytes);
	free((*o)->entries);
	free(*o);
	*o = NULL;
}

static enum err
make_room(struct outbox *o, size_t want)
{
	size_t cap = o->cap < 4096 ? 4096 : o->cap;
	uint8_t *bytes;

	if (o->cap - o->len >= want)
		return OK;
	while (cap - o->len < want)
		cap *= 2;
	if ((bytes = realloc(o->bytes, cap)) == NULL)
		return ERR_NO_MEMORY;
	o->bytes = bytes;
	o->cap = cap;
	return OK;
}

static enum err
make_entry(struct outbox *o)
{
	size_t max = o->max_entries == 0 ? 16 : o->max_entries * 2;
	struct entry *entries;

	if (o->n_entries < o->max_entries)
		return OK;
	if ((entries = realloc(o->entries, max * sizeof *entries)) == NULL)
		return ERR_NO_MEMORY;
	o->entries = entries;
	o->max_entries = max;
	return OK;
}

/* Encodes at the end. False when it does not fit what is left, or its row. */
static bool
encode(struct outbox *o, enum msg type, uint64_t ask_id, const void *body, size_t *len)
{
	size_t left = o->cap - o->len;
	struct wire_out w = wire_out(o->bytes + o->len, left < MESSAGE_MAX ? left : MESSAGE_MAX);

	message_put(&w, type, ask_id, body);
	*len = w.len;
	return !w.failed;
}

enum err
outbox_put(struct outbox *o, enum msg type, uint64_t ask_id, const void *body)
{
	const struct msg_row *row = msg_row(type);
	size_t len;
	enum err e;

	if (row == NULL || row->from != o->owner)
		return ERR_INTERNAL;
	if ((e = make_entry(o)) != OK || (e = make_room(o, 1024)) != OK)
		return e;
	/* The length of a body is known only by encoding it; most are short. */
	if (!encode(o, type, ask_id, body, &len)) {
		if ((e = make_room(o, MESSAGE_MAX)) != OK)
			return e;
		if (!encode(o, type, ask_id, body, &len))
			return ERR_INTERNAL;
	}
	o->entries[o->n_entries++] = (struct entry){ row->to, type, ask_id, o->len, len };
	o->len += len;
	return OK;
}

size_t
outbox_len(const struct outbox *o)
{
	return o->len;
}

size_t
outbox_count(const struct outbox *o)
{
	return o->n_entries;
}

struct outbox_view
outbox_at(const struct outbox *o, size_t i)
{
	const struct entry *e = &o->entries[i];

	return (struct outbox_view){ e->to, e->type, e->ask_id, { o->bytes + e->start, e->len } };
}

void
outbox_cut(struct outbox *o, size_t n)
{
	if (n >= o->n_entries)
		return;
	o->len = o->entries[n].start;
	o->n_entries = n;
	if (n == 0 && o->cap > KEPT_LEN) {
		free(o->bytes);
		o->bytes = NULL;
		o->cap = 0;
	}
}
