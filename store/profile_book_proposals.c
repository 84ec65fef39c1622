#include <string.h>

#include "store/profile_book_inside.h"

static size_t
proposal_size(const struct profile_proposal *p)
{
	return sizeof *p + p->label.len + p->value.len + p->evidence.len;
}

static int
compare_proposal(const struct profile_book *b, size_t at, const void *proposal)
{
	return uuid_compare(b->proposals[at]->proposal, *(const struct uuid *)proposal);
}

static size_t
proposal_place(const struct profile_book *b, struct uuid proposal)
{
	return book_place(b, b->n_proposals, compare_proposal, &proposal);
}

static bool
is_proposal(const struct profile_book *b, size_t at, struct uuid proposal)
{
	return at < b->n_proposals && uuid_equal(b->proposals[at]->proposal, proposal);
}

const struct profile_proposal *
profile_book_proposal(const struct profile_book *b, struct uuid proposal)
{
	size_t at = proposal_place(b, proposal);

	return is_proposal(b, at, proposal) ? b->proposals[at] : NULL;
}

enum err
profile_book_put_proposal(struct profile_book *b, const struct profile_proposal *p)
{
	size_t at = proposal_place(b, p->proposal), size = proposal_size(p);
	bool there = is_proposal(b, at, p->proposal);
	struct profile_proposal *kept;
	void *array = b->proposals;
	uint8_t *end;

	if ((kept = search_memory_take(b->memory, size)) == NULL)
		return ERR_NO_MEMORY;
	if (!there && book_open_place(b, &array, &b->proposals_cap, b->n_proposals, sizeof *b->proposals, at) != OK) {
		search_memory_give(b->memory, kept, size);
		return ERR_NO_MEMORY;
	}
	b->proposals = array;
	*kept = *p;
	end = (uint8_t *)(kept + 1);
	kept->label = book_keep_text(&end, p->label);
	kept->value = book_keep_text(&end, p->value);
	kept->evidence = book_keep_text(&end, p->evidence);
	if (there)
		search_memory_give(b->memory, b->proposals[at], proposal_size(b->proposals[at]));
	else
		b->n_proposals++;
	b->proposals[at] = kept;
	return OK;
}

void
profile_book_remove_proposal(struct profile_book *b, struct uuid proposal)
{
	size_t at = proposal_place(b, proposal);

	if (!is_proposal(b, at, proposal))
		return;
	search_memory_give(b->memory, b->proposals[at], proposal_size(b->proposals[at]));
	book_close_place(b->proposals, b->n_proposals--, sizeof *b->proposals, at);
}

/* By connection, then by what was proposed; key is an ended one of which those two are set. */
static int
compare_ended(const struct profile_book *b, size_t at, const void *key)
{
	const struct profile_ended *ended = key;
	int order = uuid_compare(b->ended[at].connection, ended->connection);

	return order != 0 ? order : memcmp(b->ended[at].same, ended->same, PROFILE_SAME_LEN);
}

static size_t
ended_place(const struct profile_book *b, struct uuid connection, const uint8_t same[PROFILE_SAME_LEN])
{
	struct profile_ended key = { .connection = connection };

	memcpy(key.same, same, PROFILE_SAME_LEN);
	return book_place(b, b->n_ended, compare_ended, &key);
}

static bool
is_ended(const struct profile_book *b, size_t at, struct uuid connection, const uint8_t same[PROFILE_SAME_LEN])
{
	return at < b->n_ended && uuid_equal(b->ended[at].connection, connection) &&
	    memcmp(b->ended[at].same, same, PROFILE_SAME_LEN) == 0;
}

const struct profile_ended *
profile_book_ended(const struct profile_book *b, struct uuid connection, const uint8_t same[PROFILE_SAME_LEN])
{
	size_t at = ended_place(b, connection, same);

	return is_ended(b, at, connection, same) ? &b->ended[at] : NULL;
}

const struct profile_ended *
profile_book_ended_of(const struct profile_book *b, struct uuid connection, size_t *n)
{
	static const uint8_t least[PROFILE_SAME_LEN];
	size_t from = ended_place(b, connection, least), to = from;

	while (to < b->n_ended && uuid_equal(b->ended[to].connection, connection))
		to++;
	*n = to - from;
	return b->ended == NULL ? NULL : b->ended + from;
}

enum err
profile_book_put_ended(struct profile_book *b, const struct profile_ended *x)
{
	size_t at = ended_place(b, x->connection, x->same);
	void *array = b->ended;

	if (!is_ended(b, at, x->connection, x->same)) {
		if (book_open_place(b, &array, &b->ended_cap, b->n_ended, sizeof *b->ended, at) != OK)
			return ERR_NO_MEMORY;
		b->ended = array;
		b->n_ended++;
	}
	b->ended[at] = *x;
	return OK;
}

void
profile_book_remove_ended(struct profile_book *b, struct uuid connection, const uint8_t same[PROFILE_SAME_LEN])
{
	size_t at = ended_place(b, connection, same);

	if (is_ended(b, at, connection, same))
		book_close_place(b->ended, b->n_ended--, sizeof *b->ended, at);
}
