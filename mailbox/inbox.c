#include <stdlib.h>

#include "mailbox/inbox.h"

enum err
inbox_add(struct inbox *b, const struct inbox_entry *e)
{
	size_t max = b->max == 0 ? 64 : b->max * 2;
	struct inbox_entry *entries;

	if (b->n == b->max) {
		if ((entries = realloc(b->entries, max * sizeof *entries)) == NULL)
			return ERR_NO_MEMORY;
		b->entries = entries;
		b->max = max;
	}
	b->entries[b->n++] = *e;
	if (e->ask.arrival != NULL)
		b->len += edge_arrival_frame(e->ask.arrival).len;
	return OK;
}

void
inbox_clear(struct inbox *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->entries[i].ask.arrival != NULL)
			edge_arrival_free(b->entries[i].ask.arrival);
	free(b->entries);
	*b = (struct inbox){ .entries = NULL };
}
