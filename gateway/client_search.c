#include <stdlib.h>

#include "gateway/answer.h"
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
		.offset = want->offset, .limit = want->limit, .query = want->query, .token = want->token, .grant_type = want->grant_type };
	struct client_answer *a = NULL;
	struct client_search *s;
	enum err e;

	if (want->query.len == 0)
		return ERR_QUERY_EMPTY;
	if (want->query.len > QUERY_TEXT_MAX)
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

/* Only fields of a card and tags are numbered. */
static void
write_match(struct json_writer *w, const struct found_row *r)
{
	json_write_key(w, "match");
	json_write_object(w);
	json_member_text(w, "field", found_part_name(r->part));
	json_write_key(w, "number");
	if (r->part == SEARCH_TITLE || r->part == SEARCH_BODY)
		json_write_null(w);
	else
		json_write_u64(w, r->number);
	json_member_u64(w, "offset", r->match_offset);
	json_member_u64(w, "length", r->match_len);
	json_write_end(w);
}

static void
write_hit(struct json_writer *w, const struct found_row *r)
{
	json_write_object(w);
	json_member_id(w, "vault", r->vault);
	json_member_id(w, "asset", r->asset);
	json_member_id(w, "revision", r->revision);
	json_member_text(w, "kind", kind_name(r->kind));
	json_member_string(w, "title", r->title);
	json_member_u64(w, "score", r->score);
	json_member_time(w, "created_at", r->created);
	json_member_time(w, "updated_at", r->updated);
	write_match(w, r);
	json_member_string(w, "excerpt", r->excerpt);
	json_member_u64(w, "excerpt_offset", r->excerpt_offset);
	json_write_end(w);
}

void
client_search_write(struct json_writer *w, const struct client_search *s, struct uuid library)
{
	json_write_object(w);
	json_write_key(w, "hits");
	json_write_array(w);
	for (size_t i = 0; i < s->page.n_rows; i++)
		write_hit(w, &s->rows[i]);
	json_write_end(w);
	json_member_u64(w, "offset", s->page.offset);
	json_write_key(w, "next");
	if (s->more)
		json_write_u64(w, s->page.offset + s->page.n_rows);
	else
		json_write_null(w);
	json_member_u64(w, "total", s->page.total);
	json_member_bool(w, "relaxed", s->page.relaxed);
	answer_audit(w, s->index, library);
	json_write_end(w);
}
