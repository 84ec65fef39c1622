#include <string.h>

#include "store/log_anchor.h"
#include "store/log_steps_inside.h"
#include "store/segment_list.h"

struct log_mark
log_steps_at_header(const struct log_steps *s)
{
	struct log_mark m = { .number = s->number, .at = SEGMENT_HEADER_LEN, .size = s->header.first };

	memcpy(m.previous, s->header.previous, sizeof m.previous);
	return m;
}

enum err
log_steps_look_behind(struct log_steps *s, const struct log_mark *m)
{
	uint64_t at = m->at;
	struct span bytes;
	enum err e;

	s->w.most = 0;
	while (at < s->w.bytes) {
		if ((e = log_window_next(&s->w, &at, LOG_COMMIT_FRAME_LEN, &bytes)) != OK)
			return e;
		if (log_frame_later_commit(bytes, m->size))
			return ERR_AUDIT_TAMPERED;
	}
	return OK;
}

/* Frames fill a segment from its start and their indices grow, so halving finds it. */
enum err
log_steps_find_last(struct log_steps *s, uint64_t before, uint64_t *end)
{
	uint64_t low = SEGMENT_HEADER_LEN, high = s->w.bytes;
	struct log_commit c;
	struct span bytes;
	enum err e;

	*end = 0;
	s->w.most = LOG_FRAME_REACH + LOG_WINDOW_BLOCK;
	while (low < high) {
		uint64_t middle = high - low > LOG_WINDOW_BLOCK ? low + (high - low) / 2 : low;
		size_t at = 0;

		if ((e = log_window_at(&s->w, middle, LOG_FRAME_REACH, &bytes)) != OK)
			return e;
		if (!log_frame_next_commit(bytes, &at, &c) || c.first >= before) {
			if (middle == low)
				break;
			high = middle;
			continue;
		}
		low = middle + at + LOG_COMMIT_FRAME_LEN;
		*end = low;
	}
	return OK;
}

enum err
log_steps_find_hashed(struct log_steps *s, uint64_t end, const uint8_t hash[SHA256_LEN], uint64_t *out)
{
	uint64_t floor = log_steps_floor(end);
	struct log_commit c;
	struct span bytes;
	size_t at;
	enum err e;

	*out = 0;
	if (end <= floor)
		return OK;
	s->w.most = 0;
	if ((e = log_window_before(&s->w, floor, end, &bytes)) != OK)
		return e;
	for (at = bytes.len; *out == 0 && log_frame_last_commit(bytes, &at, &c);)
		if (at + LOG_COMMIT_FRAME_LEN <= bytes.len && log_steps_is_hash(bytes, at + LOG_COMMIT_FRAME_LEN, hash))
			*out = floor + at + LOG_COMMIT_FRAME_LEN;
	return OK;
}

/* Enters the last segment that begins before that record, or with the first of all. */
static enum err
enter_segment_before(struct log_steps *s, uint64_t before)
{
	struct segment_list l;
	bool used = false, found = false;
	enum err e;

	if ((e = segment_list_read(s->folder.seg_fd, &l)) != OK)
		return e;
	for (size_t i = l.n; e == OK && !found && i-- > 0;) {
		if (used && l.numbers[i] + 1 != l.numbers[i + 1])
			e = ERR_AUDIT_TAMPERED;
		else if ((e = log_steps_enter(s, l.numbers[i])) == OK) {
			used = used || s->state != SEGMENT_BLANK;
			found = s->state == SEGMENT_GOOD && (s->header.first < before || s->header.first == 0);
		}
	}
	segment_list_free(&l);
	return e != OK || found ? e : used ? ERR_AUDIT_TAMPERED : ERR_NOT_FOUND;
}

/* From the segment's first group on, as everybody who reads all of it does. */
static enum err
walk_segment(struct log_steps *s, uint64_t before, struct log_mark *out)
{
	struct log_mark m = log_steps_at_header(s);
	struct log_frame_group g;
	enum err e = OK;

	while (m.size < before && (e = log_steps_on_inside(s, &m, &g)) == OK)
		;
	if (e == ERR_NOT_FOUND)
		e = log_steps_look_behind(s, &m);
	if (e == OK)
		*out = m;
	return e;
}

/* The mark at the commit frame that ends at `end`, unless a crash tore its group. */
static enum err
settle(struct log_steps *s, uint64_t before, uint64_t end, struct log_mark *out)
{
	struct log_mark m = { .number = s->number, .at = end }, back;
	struct log_frame_group g;
	struct log_commit c;
	struct span bytes;
	enum err e;

	if (end == 0)
		return walk_segment(s, before, out);
	s->w.most = 0;
	if ((e = log_window_before(&s->w, end - LOG_COMMIT_FRAME_LEN, end, &bytes)) != OK)
		return e;
	if (!log_frame_commit_at(bytes, 0, &c))
		return ERR_AUDIT_TAMPERED;
	m.size = c.size;
	log_steps_hash(bytes, bytes.len, m.previous);
	back = m;
	if ((e = log_steps_back_inside(s, &back, &g)) == ERR_AUDIT_TAMPERED)
		return walk_segment(s, before, out);
	if (e == OK)
		*out = m;
	return e;
}

enum err
log_steps_find(struct log_steps *s, uint64_t before, struct log_mark *out)
{
	/* Before the look: a log that grows meanwhile must not seem to end before it. */
	struct log_anchor anchor;
	bool anchored = log_anchor_read(s->folder.fd, &anchor);
	struct log_mark m;
	uint64_t end;
	enum err e;

	if ((e = enter_segment_before(s, before)) != OK)
		return e;
	if (before == 0) {
		*out = log_steps_at_header(s);
		return OK;
	}
	if ((e = log_steps_find_last(s, before, &end)) != OK || (e = settle(s, before, end, &m)) != OK)
		return e;
	if (m.size < before && anchored && m.size < anchor.size)
		return ERR_AUDIT_TAMPERED;
	/* The end is found without reading what is behind it; a record that is not there is worth that. */
	if (m.size < before && before != UINT64_MAX && (e = log_steps_look_behind(s, &m)) != OK)
		return e;
	*out = m;
	return OK;
}
