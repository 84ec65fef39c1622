/* What each connection sees, worked out anew only when something has changed. */
#include <stdlib.h>
#include <string.h>

#include "actors/profile_state.h"

static void
forget_overview(struct profile *p, struct profile_reader *r)
{
	if (r->overview != NULL)
		search_memory_give(p->memory, r->overview, r->overview_len);
	r->overview = NULL;
	r->overview_len = 0;
	r->shown.n = 0;
}

static void
forget(struct profile *p, struct profile_reader *r)
{
	if (uuid_is_zero(r->connection))
		return;
	search_index_remove_vault(p->index, r->connection);
	forget_overview(p, r);
	profile_view_free(&r->view);
	free(r->indexed);
	memset(r, 0, sizeof *r);
}

void
profile_readers_forget(struct profile *p)
{
	for (size_t i = 0; i < PROFILE_READERS_MAX; i++)
		forget(p, &p->readers[i]);
}

void
profile_reader_forget(struct profile *p, struct uuid connection)
{
	for (size_t i = 0; i < PROFILE_READERS_MAX; i++)
		if (uuid_equal(p->readers[i].connection, connection))
			forget(p, &p->readers[i]);
}

void
profile_readers_unindex(struct profile *p)
{
	for (size_t i = 0; i < PROFILE_READERS_MAX; i++) {
		struct profile_reader *r = &p->readers[i];

		if (!uuid_is_zero(r->connection))
			search_index_remove_vault(p->index, r->connection);
		r->n_indexed = 0;
		r->is_indexed = false;
	}
}

/* Its place, or that of the one that asked longest ago. */
static struct profile_reader *
place(struct profile *p, struct uuid connection)
{
	struct profile_reader *oldest = &p->readers[0];

	for (size_t i = 0; i < PROFILE_READERS_MAX; i++) {
		if (uuid_equal(p->readers[i].connection, connection))
			return &p->readers[i];
		if (p->readers[i].used < oldest->used)
			oldest = &p->readers[i];
	}
	forget(p, oldest);
	return oldest;
}

enum err
profile_reader_of(struct profile *p, struct uuid connection, unsigned categories, struct profile_reader **out)
{
	struct profile_reader *r = place(p, connection);
	bool is_known = !uuid_is_zero(r->connection);
	enum err e;

	r->used = ++p->n_used;
	*out = r;
	if (is_known && r->change == profile_db_change(p->db) && r->categories == categories)
		return OK;
	forget_overview(p, r);
	profile_view_free(&r->view);
	r->is_indexed = false;
	if ((e = profile_view_make(profile_db_book(p->db), connection, categories, &r->view)) != OK) {
		r->connection = connection;
		forget(p, r);
		return e;
	}
	r->connection = connection;
	r->categories = categories;
	r->change = profile_db_change(p->db);
	return OK;
}
