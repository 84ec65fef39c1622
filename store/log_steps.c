#include <stdlib.h>
#include <string.h>

#include "store/log_check.h"
#include "store/log_steps_inside.h"

enum err
log_steps_open(const char *dir, struct log_steps **out)
{
	struct log_steps *s = calloc(1, sizeof *s);
	enum err e;

	if (s == NULL)
		return ERR_NO_MEMORY;
	s->w = LOG_WINDOW_NONE;
	if ((e = log_folder_open(dir, &s->folder)) != OK) {
		free(s);
		return e;
	}
	*out = s;
	return OK;
}

void
log_steps_close(struct log_steps **s)
{
	if (*s == NULL)
		return;
	log_window_end(&(*s)->w);
	log_folder_close(&(*s)->folder);
	free(*s);
	*s = NULL;
}

/* Opens a segment and takes its header, unless that is done. */
static enum err
enter(struct log_steps *s, uint64_t number)
{
	enum err e;

	if (s->number == number && s->state == SEGMENT_GOOD)
		return OK;
	log_window_close(&s->w);
	s->number = 0;
	s->w.most = LOG_WINDOW_BLOCK;
	if ((e = log_window_open(&s->w, s->folder.seg_fd, number, false)) != OK ||
	    (e = log_window_header(&s->w, &s->state, &s->header)) != OK)
		return e;
	if (s->state == SEGMENT_GOOD && (s->header.number != number || s->header.bytes < s->w.bytes))
		return ERR_AUDIT_TAMPERED;
	s->number = number;
	return OK;
}

enum err
log_steps_enter(struct log_steps *s, uint64_t number)
{
	enum err e = enter(s, number);

	return e == ERR_NOT_FOUND || e == ERR_INVALID_CONTENT ? ERR_AUDIT_TAMPERED : e;
}

uint64_t
log_steps_floor(uint64_t end)
{
	return end > SEGMENT_HEADER_LEN + LOG_STEPS_STRIDE ? end - LOG_STEPS_STRIDE : SEGMENT_HEADER_LEN;
}

void
log_steps_hash(struct span bytes, size_t end, uint8_t out[SHA256_LEN])
{
	sha256(bytes.p + end - LOG_COMMIT_LEN, LOG_COMMIT_LEN, out);
}

bool
log_steps_is_hash(struct span bytes, size_t end, const uint8_t hash[SHA256_LEN])
{
	uint8_t found[SHA256_LEN];

	log_steps_hash(bytes, end, found);
	return memcmp(found, hash, sizeof found) == 0;
}

/* Does one group fill the bytes, and continue a log of that size and last commit? */
static bool
holds(struct span bytes, uint64_t size, const uint8_t previous[SHA256_LEN], struct log_frame_group *g)
{
	struct log_check k = { .depth = LOG_CHECK_CHAIN, .chain.size = size };

	memcpy(k.chain.previous, previous, SHA256_LEN);
	return log_frame_find_group(bytes, g) && log_check_group(&k, g) == LOG_HOLDS;
}

static bool
continues(const struct segment_header *h, uint64_t size, const uint8_t previous[SHA256_LEN])
{
	return h->first == size && memcmp(h->previous, previous, SHA256_LEN) == 0;
}

/*
 * Finds the group whose commit frame ends the bytes, which begin at `floor` of
 * the segment: behind the commit that c names, or behind the header. Its records
 * can hold what looks like that commit, so the group itself decides.
 */
static bool
find_group(const struct log_steps *s, struct span bytes, uint64_t floor, const struct log_commit *c,
    struct log_frame_group *g)
{
	size_t at = bytes.len - LOG_COMMIT_FRAME_LEN;
	struct log_commit before;

	while (log_frame_last_commit(bytes, &at, &before)) {
		size_t start = at + LOG_COMMIT_FRAME_LEN;

		if (start < bytes.len && before.size == c->first && log_steps_is_hash(bytes, start, c->previous) &&
		    holds((struct span){ bytes.p + start, bytes.len - start }, c->first, c->previous, g) &&
		    g->len == bytes.len - start)
			return true;
	}
	return floor == SEGMENT_HEADER_LEN && continues(&s->header, c->first, c->previous) &&
	    holds(bytes, c->first, c->previous, g) && g->len == bytes.len;
}

enum err
log_steps_back_inside(struct log_steps *s, struct log_mark *m, struct log_frame_group *g)
{
	uint64_t floor = log_steps_floor(m->at);
	struct log_commit c;
	struct span bytes;
	enum err e;

	s->w.most = 0;
	if (m->at < SEGMENT_HEADER_LEN + LOG_COMMIT_FRAME_LEN || m->at > s->w.bytes)
		return ERR_AUDIT_TAMPERED;
	if ((e = log_window_before(&s->w, floor, m->at, &bytes)) != OK)
		return e;
	if (!log_frame_commit_at(bytes, bytes.len - LOG_COMMIT_FRAME_LEN, &c) || c.size != m->size ||
	    !log_steps_is_hash(bytes, bytes.len, m->previous) || !find_group(s, bytes, floor, &c, g))
		return ERR_AUDIT_TAMPERED;
	m->at -= g->len;
	m->size = c.first;
	memcpy(m->previous, c.previous, sizeof m->previous);
	return OK;
}

/* From the start of a segment to the end of the one before it, or to its start when it holds no group. */
static enum err
back_over(struct log_steps *s, struct log_mark *m)
{
	uint64_t end;
	enum err e;

	if ((e = log_steps_enter(s, m->number - 1)) != OK)
		return e;
	m->number--;
	m->at = SEGMENT_HEADER_LEN;
	if (s->state != SEGMENT_GOOD)
		return OK;
	if ((e = log_steps_find_last(s, m->size, &end)) != OK || (e = log_steps_find_hashed(s, end, m->previous, &end)) != OK)
		return e;
	if (end > 0)
		m->at = end;
	else if (!continues(&s->header, m->size, m->previous))
		return ERR_AUDIT_TAMPERED;
	return OK;
}

enum err
log_steps_back(struct log_steps *s, struct log_mark *m, struct log_frame_group *g)
{
	static const uint8_t none[SHA256_LEN];
	struct log_mark to = *m;
	enum err e = OK;

	while (e == OK && to.at == SEGMENT_HEADER_LEN) {
		if (to.number <= 1)
			return to.size == 0 && memcmp(to.previous, none, sizeof none) == 0 ? ERR_NOT_FOUND : ERR_AUDIT_TAMPERED;
		e = back_over(s, &to);
	}
	if (e == OK && (e = log_steps_enter(s, to.number)) == OK && (e = log_steps_back_inside(s, &to, g)) == OK)
		*m = to;
	return e;
}

/*
 * Without signatures a group whose signature alone was torn looks like one that
 * counts. It is the last of its segment, and the next one goes on before it.
 */
static bool
is_passed_over(const struct log_steps *s, const struct log_frame_group *g)
{
	enum segment_header_state state = SEGMENT_TORN;
	struct log_window w = LOG_WINDOW_NONE;
	struct segment_header h;

	for (uint64_t n = s->number + 1; state == SEGMENT_TORN && !g->followed; n++) {
		if (log_window_open(&w, s->folder.seg_fd, n, false) != OK || log_window_header(&w, &state, &h) != OK)
			break;
		log_window_close(&w);
	}
	log_window_end(&w);
	return state == SEGMENT_GOOD && h.first < g->commit.size;
}

enum err
log_steps_on_inside(struct log_steps *s, struct log_mark *m, struct log_frame_group *g)
{
	struct span bytes = { NULL, 0 };
	enum err e;

	if ((e = log_steps_enter(s, m->number)) != OK)
		return e;
	s->w.most = 0;
	for (int again = 0; again < 2; again++) {
		/* What the window holds can be older than what was written since. */
		if (again && (e = log_window_renew(&s->w)) != OK)
			return e;
		if ((e = log_window_at(&s->w, m->at, LOG_FRAME_REACH, &bytes)) != OK)
			return e;
		if (!holds(bytes, m->size, m->previous, g) || is_passed_over(s, g))
			continue;
		m->at += g->len;
		m->size = g->commit.size;
		log_steps_hash(g->signed_commit, g->signed_commit.len, m->previous);
		return OK;
	}
	if (!wire_is_zero(bytes) && (e = log_steps_look_behind(s, m)) != OK)
		return e;
	return ERR_NOT_FOUND;
}

/* From the end of a segment to the start of the next one that is in use. */
static enum err
on_over(struct log_steps *s, struct log_mark *m)
{
	uint64_t n = m->number;
	enum err e;

	do {
		if ((e = enter(s, ++n)) != OK)
			return e;
	} while (s->state != SEGMENT_GOOD);
	if (!continues(&s->header, m->size, m->previous))
		return ERR_AUDIT_TAMPERED;
	*m = log_steps_at_header(s);
	return OK;
}

enum err
log_steps_on(struct log_steps *s, struct log_mark *m, struct log_frame_group *g)
{
	struct log_mark to = *m;
	enum err e, over;

	while ((e = log_steps_on_inside(s, &to, g)) == ERR_NOT_FOUND) {
		over = on_over(s, &to);
		/* The writer may have ended this segment and begun the next one between the two looks. */
		if (over == ERR_AUDIT_TAMPERED && (e = log_steps_on_inside(s, &to, g)) != ERR_NOT_FOUND)
			break;
		if (over != OK)
			return over;
	}
	if (e == OK)
		*m = to;
	return e;
}
