#include <utf8proc.h>

#include "mailbox/utf8.h"
#include "store/search_fold.h"

#define NO_UTF8      0xfffdU
#define DECOMPOSED   ((utf8proc_option_t)(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE))
#define VOICED       0x3099U /* the combining sound marks of kana */
#define HALF_VOICED  0x309aU
#define SYLLABLE     0xac00U
#define N_SYLLABLES  11172U
#define JAMO_L       0x1100U
#define JAMO_V       0x1161U
#define JAMO_T       0x11a7U

static bool
within(uint32_t point, uint32_t first, uint32_t last)
{
	return point - first <= last - first;
}

static bool
in_run(uint32_t p)
{
	return within(p, 0x4e00, 0x9fff) || within(p, 0x3041, 0x3096) || within(p, 0x30a1, 0x30fa) ||
	    within(p, SYLLABLE, SYLLABLE + N_SYLLABLES - 1) || within(p, 0x3400, 0x4dbf) || within(p, 0x3005, 0x3007) ||
	    within(p, 0x309d, 0x309f) || within(p, 0x30fc, 0x30ff) || within(p, 0x1100, 0x11ff) || within(p, 0x3105, 0x312f) ||
	    within(p, 0x31a0, 0x31bf) || within(p, 0x31f0, 0x31ff) || within(p, 0xa960, 0xa97f) || within(p, 0xd7b0, 0xd7ff) ||
	    within(p, 0xf900, 0xfaff) || within(p, 0x1aff0, 0x1b16f) || within(p, 0x20000, 0x3fffd) || p == 0x303b;
}

/* Scripts in which a letter with a mark is searched for without. */
static bool
drops_marks(uint32_t p)
{
	return p < 0x0400 || within(p, 0x1d00, 0x1fff) || within(p, 0x2c60, 0x2c7f) || within(p, 0xa720, 0xa7ff) ||
	    within(p, 0xab30, 0xab6f);
}

static bool
is_mark(uint32_t p)
{
	utf8proc_category_t c;

	if (p < 0x300 || within(p, 0x3400, 0x9fff))
		return false;
	c = utf8proc_category((utf8proc_int32_t)p);
	return c == UTF8PROC_CATEGORY_MN || c == UTF8PROC_CATEGORY_MC || c == UTF8PROC_CATEGORY_ME;
}

static enum search_class
class_of_point(uint32_t p)
{
	utf8proc_category_t c;

	if (p < 0x80)
		return within(p, 'a', 'z') || within(p, '0', '9') ? SEARCH_LETTER : SEARCH_BREAK;
	if (in_run(p))
		return SEARCH_RUN;
	if (p == NO_UTF8)
		return SEARCH_BREAK;
	c = utf8proc_category((utf8proc_int32_t)p);
	if (c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_NO)
		return SEARCH_LETTER;
	return c == UTF8PROC_CATEGORY_SO ? SEARCH_SYMBOL : SEARCH_BREAK;
}

static void
push(struct search_folding *f, uint32_t point, uint32_t offset, uint32_t end)
{
	f->ready[f->n_ready++] = (struct search_char){ .point = point, .of = class_of_point(point), .offset = offset, .end = end };
}

/* These decompose to nothing, or are put together again afterwards. */
static bool
is_plain(uint32_t p)
{
	return within(p, 0x4e00, 0x9fff) || within(p, 0x3041, 0x3096) || within(p, 0x30a1, 0x30fa) || p == 0x30fc ||
	    within(p, SYLLABLE, SYLLABLE + N_SYLLABLES - 1);
}

static void
push_folded(struct search_folding *f, uint32_t point, uint32_t offset, uint32_t end)
{
	utf8proc_int32_t parts[sizeof f->ready / sizeof *f->ready];
	utf8proc_ssize_t n;

	if (point < 0x80) {
		push(f, within(point, 'A', 'Z') ? point + 32 : point, offset, end);
		return;
	}
	if (is_plain(point)) {
		push(f, point, offset, end);
		return;
	}
	n = utf8proc_decompose_char((utf8proc_int32_t)point, parts, sizeof parts / sizeof *parts, DECOMPOSED, NULL);
	if (n < 0 || (size_t)n > sizeof parts / sizeof *parts) {
		push(f, NO_UTF8, offset, end);
		return;
	}
	for (utf8proc_ssize_t i = 0; i < n; i++)
		push(f, (uint32_t)parts[i], offset, end);
}

/* The character that is given out next; NULL at the end. */
static const struct search_char *
peek(struct search_folding *f)
{
	uint32_t point, at;
	size_t len;

	while (f->next == f->n_ready) {
		if (f->at == f->text.len)
			return NULL;
		f->next = f->n_ready = 0;
		at = (uint32_t)f->at;
		if ((len = utf8_take(f->text.p + f->at, f->text.len - f->at, &point)) == 0) {
			point = NO_UTF8;
			len = 1;
		}
		f->at += len;
		push_folded(f, point, at, at + (uint32_t)len);
	}
	return &f->ready[f->next];
}

static uint32_t
with_sound_mark(uint32_t kana, uint32_t mark)
{
	utf8proc_int32_t both[2] = { (utf8proc_int32_t)kana, (utf8proc_int32_t)mark };

	if (utf8proc_normalize_utf32(both, 2, UTF8PROC_COMPOSE) == 1)
		return (uint32_t)both[0];
	return kana;
}

/* Hangul, Unicode 3.12: the syllable that both make; 0 if they make none. */
static uint32_t
syllable(uint32_t a, uint32_t b)
{
	if (within(a, JAMO_L, JAMO_L + 18) && within(b, JAMO_V, JAMO_V + 20))
		return SYLLABLE + ((a - JAMO_L) * 21 + (b - JAMO_V)) * 28;
	if (within(a, SYLLABLE, SYLLABLE + N_SYLLABLES - 1) && (a - SYLLABLE) % 28 == 0 && within(b, JAMO_T + 1, JAMO_T + 27))
		return a + (b - JAMO_T);
	return 0;
}

/* True when next is no character of its own but belongs to c. */
static bool
joins(struct search_char *c, const struct search_char *next)
{
	uint32_t whole;

	if (c->of == SEARCH_RUN && next->of == SEARCH_RUN && (whole = syllable(c->point, next->point)) != 0) {
		c->point = whole;
		return true;
	}
	if (!is_mark(next->point))
		return false;
	if (c->of == SEARCH_RUN && (next->point == VOICED || next->point == HALF_VOICED))
		c->point = with_sound_mark(c->point, next->point);
	return c->of != SEARCH_LETTER || drops_marks(c->point);
}

void
search_fold_start(struct search_folding *f, struct span text)
{
	f->text = text;
	f->at = 0;
	f->n_ready = f->next = 0;
}

bool
search_fold_next(struct search_folding *f, struct search_char *out)
{
	const struct search_char *next = peek(f);

	if (next == NULL)
		return false;
	*out = *next;
	f->next++;
	while ((next = peek(f)) != NULL && next->point >= 0x300 && joins(out, next)) {
		if (out->end < next->end)
			out->end = next->end;
		f->next++;
	}
	return true;
}

size_t
search_fold_encode(uint32_t point, uint8_t *out)
{
	return (size_t)utf8proc_encode_char((utf8proc_int32_t)point, out);
}

enum err
search_fold(struct span text, struct secret **out)
{
	struct search_folding f;
	struct search_char c;
	uint8_t bytes[4];
	size_t len = 0;
	uint8_t *to;
	enum err e;

	search_fold_start(&f, text);
	while (search_fold_next(&f, &c))
		len += search_fold_encode(c.point, bytes);
	if ((e = secret_new(len, out)) != OK)
		return e;
	to = secret_bytes(*out);
	search_fold_start(&f, text);
	while (search_fold_next(&f, &c))
		to += search_fold_encode(c.point, to);
	wipe(&f, sizeof f);
	return OK;
}
