#include <stdlib.h>

#include "gateway/client_search.h"

static enum err
open_page(struct client_answer *a, struct client_search *s)
{
	if (a->n_items != 1 || a->items[0].ref.part != PART_FOUND)
		return ERR_PROTOCOL;
	s->index = a->index;
	s->more = a->more;
	s->plain = a->items[0].plain;
	a->items[0].plain = NULL;
	return found_take(secret_span(s->plain), &s->page, s->rows);
}

enum err
client_search(struct client *c, const struct client_search_want *want, struct client_search **out)
{
	struct client_want ask = { .op = OP_SEARCH, .surface = want->surface, .vault = want->vault, .kind = want->kind,
		.offset = want->offset, .limit = want->limit, .query = want->query, .token = want->token };
	struct client_answer *a = NULL;
	struct client_search *s;
	enum err e;

	if (want->query.len == 0)
		return ERR_QUERY_EMPTY;
	if (want->query.len > CLIENT_QUERY_MAX)
		return ERR_QUERY_TOO_LONG;
	if ((s = calloc(1, sizeof *s)) == NULL)
		return ERR_NO_MEMORY;
	if ((e = client_ask(c, &ask, &a)) == OK)
		e = open_page(a, s);
	client_answer_free(&a);
	if (e != OK) {
		client_search_free(&s);
		return e;
	}
	*out = s;
	return OK;
}

void
client_search_free(struct client_search **s)
{
	if (*s != NULL)
		secret_free(&(*s)->plain);
	free(*s);
	*s = NULL;
}
