#include <string.h>

#include "escrow/secret.h"
#include "store/search_fold.h"
#include "store/search_tokens.h"

struct cutting {
	search_token_fn *fn;
	void            *arg;
	uint32_t         position; /* the next free one */
	bool             enough;
	uint8_t          word[SEARCH_TERM_MAX];
	size_t           word_len;
	uint32_t         word_offset;
	uint32_t         word_end;
	uint8_t          pair[8];   /* the last character of a run, not yet said, and room for the next */
	size_t           first_len; /* 0: the last character was of no run */
	uint32_t         first_offset;
	uint32_t         first_end;
	bool             first_alone;
};

static void
say(struct cutting *c, const struct search_token *t)
{
	if (!c->enough)
		c->enough = !c->fn(c->arg, t);
}

static void
end_word(struct cutting *c)
{
	if (c->word_len == 0)
		return;
	say(c, &(struct search_token){ .kind = SEARCH_WORD, .term = c->word, .term_len = c->word_len,
	    .position = c->position++, .offset = c->word_offset, .end = c->word_end });
	c->word_len = 0;
}

static void
add_letter(struct cutting *c, const struct search_char *l)
{
	if (c->word_len + 4 > sizeof c->word)
		end_word(c);
	if (c->word_len == 0)
		c->word_offset = l->offset;
	c->word_len += search_fold_encode(l->point, c->word + c->word_len);
	c->word_end = l->end;
}

/* The last character of a run, of which it is now known whether another follows. */
static void
say_first(struct cutting *c, bool alone)
{
	say(c, &(struct search_token){ .kind = SEARCH_ONE, .term = c->pair, .term_len = c->first_len, .alone = alone,
	    .position = c->position++, .offset = c->first_offset, .end = c->first_end });
}

static void
end_run(struct cutting *c)
{
	if (c->first_len > 0)
		say_first(c, c->first_alone);
	c->first_len = 0;
}

static void
add_to_run(struct cutting *c, const struct search_char *r)
{
	size_t len = search_fold_encode(r->point, c->pair + c->first_len);
	bool follows = c->first_len > 0;

	if (follows) {
		say_first(c, false);
		say(c, &(struct search_token){ .kind = SEARCH_TWO, .term = c->pair, .term_len = c->first_len + len,
		    .position = c->position - 1, .offset = c->first_offset, .end = r->end });
	}
	memmove(c->pair, c->pair + c->first_len, len);
	c->first_len = len;
	c->first_offset = r->offset;
	c->first_end = r->end;
	c->first_alone = !follows;
}

static void
add_symbol(struct cutting *c, const struct search_char *s)
{
	uint8_t bytes[4];

	say(c, &(struct search_token){ .kind = SEARCH_ONE, .term = bytes, .term_len = search_fold_encode(s->point, bytes),
	    .alone = true, .position = c->position++, .offset = s->offset, .end = s->end });
}

static void
add(struct cutting *c, const struct search_char *one)
{
	if (one->of != SEARCH_LETTER)
		end_word(c);
	if (one->of != SEARCH_RUN)
		end_run(c);
	switch (one->of) {
	case SEARCH_LETTER:
		add_letter(c, one);
		break;
	case SEARCH_RUN:
		add_to_run(c, one);
		break;
	case SEARCH_SYMBOL:
		add_symbol(c, one);
		break;
	case SEARCH_BREAK:
		break;
	}
}

uint32_t
search_tokens(struct span text, uint32_t position, search_token_fn *fn, void *arg)
{
	struct cutting c = { .fn = fn, .arg = arg, .position = position };
	struct search_folding f;
	struct search_char one;

	search_fold_start(&f, text);
	while (!c.enough && search_fold_next(&f, &one))
		add(&c, &one);
	end_word(&c);
	end_run(&c);
	position = c.position;
	wipe(&c, sizeof c);
	wipe(&f, sizeof f);
	return position;
}
