#include <string.h>

#include "store/log_scan.h"
#include "store/segment_list.h"

/* Opens a segment and takes its header. */
static enum err
look_at_header(struct log_scan *s, struct log_window *w, uint64_t number,
    enum segment_header_state *state, struct segment_header *h)
{
	enum err e = log_window_open(w, s->seg_fd, number, s->owner);

	return e == OK ? log_window_header(w, state, h) : e;
}

/*
 * What the writer moves on to while we walk must not look like a gap, so a
 * walk ends with the segment that was the last when it began.
 */
static enum err
find_last_used(struct log_scan *s, struct log_window *w, const struct segment_list *l)
{
	for (size_t i = l->n; i > 0 && s->n_used == 0; i--) {
		enum segment_header_state state = SEGMENT_BLANK;
		struct segment_header h;
		enum err e = look_at_header(s, w, l->numbers[i - 1], &state, &h);

		log_window_close(w);
		if (e != OK && e != ERR_NOT_FOUND && e != ERR_INVALID_CONTENT)
			return e;
		if (state != SEGMENT_BLANK || e == ERR_INVALID_CONTENT)
			s->n_used = l->numbers[i - 1];
	}
	return OK;
}

static enum err
count_segments(struct log_scan *s, struct log_window *w)
{
	struct segment_list l;
	enum err e;

	if ((e = segment_list_read(s->seg_fd, &l)) != OK)
		return e;
	s->n_segments = l.numbers[l.n - 1];
	e = find_last_used(s, w, &l);
	segment_list_free(&l);
	return e;
}

static const char *
header_fault(const struct log_scan *s, uint64_t number, const struct segment_header *h, uint64_t bytes)
{
	const struct log_chain *chain = &s->check->chain;

	if (s->has_library && !uuid_equal(h->library, s->library))
		return "a segment is of another library's log";
	if (h->number != number)
		return "a segment stands in another's place";
	if (h->bytes < bytes)
		return "a segment is longer than its header says";
	if (number == s->from_segment)
		return h->first < chain->size && s->from <= bytes ? NULL : "a segment does not continue the log";
	if (h->first != chain->size || memcmp(h->previous, chain->previous, sizeof h->previous) != 0)
		return "a segment does not continue the log";
	return NULL;
}

static enum err
scan_groups(struct log_scan *s, struct log_window *w, uint64_t *at)
{
	struct log_check *k = s->check;
	struct log_frame_group g;
	struct span bytes;
	enum err e;

	do {
		if ((e = log_window_at(w, *at, LOG_FRAME_REACH, &bytes)) != OK)
			return e;
		if (!log_frame_find_group(bytes, &g)) {
			k->reason = "the frames of a group do not have their form";
			break;
		}
		if (g.commit.first >= s->next_first || log_check_group(k, &g) != LOG_HOLDS)
			break;
		*at += g.len;
	} while (!k->stopped);
	return OK;
}

/* Finds the last byte that is not zero, and whether a later group lies there. */
static enum err
look_at_tail(const struct log_scan *s, struct log_window *w, struct log_tail *t, bool *later)
{
	uint64_t at = t->from, start = at;
	struct span bytes;
	enum err e;

	t->to = t->from;
	*later = false;
	for (; at < w->bytes; start = at) {
		if ((e = log_window_next(w, &at, LOG_COMMIT_FRAME_LEN, &bytes)) != OK)
			return e;
		if (!wire_is_zero(bytes)) {
			size_t n = bytes.len;

			while (bytes.p[n - 1] == 0)
				n--;
			t->to = start + n;
			*later = *later || log_frame_later_commit(bytes, s->check->chain.size);
		}
	}
	return OK;
}

/* Frames, then the tail; and again while somebody writes. */
static enum err
scan_frames(struct log_scan *s, struct log_window *w, bool has_frames, struct log_tail *t)
{
	uint64_t start;
	bool later;
	enum err e;

	do {
		start = t->from;
		if (has_frames && (e = scan_groups(s, w, &t->from)) != OK)
			return e;
		if (s->check->broken || s->check->stopped)
			return OK;
		if ((e = look_at_tail(s, w, t, &later)) != OK || (e = log_window_renew(w)) != OK)
			return e;
	} while (later && t->from > start);
	if (!later)
		return OK;
	if (log_check_end(s->check) == LOG_HOLDS)
		log_check_break(s->check, s->check->chain.size, has_frames && s->check->reason != NULL ?
		    s->check->reason : "the header of a segment does not have its form");
	return OK;
}

static void
note_blank(struct log_scan *s, uint64_t number)
{
	for (size_t i = 0; i < LOG_SCAN_BLANKS; i++) {
		if (s->blank[i] != 0)
			continue;
		s->blank[i] = number;
		return;
	}
}

static enum err
scan_segment(struct log_scan *s, struct log_window *w, uint64_t number)
{
	struct log_tail tail = { .number = number };
	enum segment_header_state state;
	struct segment_header h;
	const char *fault;
	bool good;
	enum err e;

	s->at_number = number;
	s->at = 0;
	if ((e = look_at_header(s, w, number, &state, &h)) != OK)
		return e;
	good = state == SEGMENT_GOOD;
	if (good && (fault = header_fault(s, number, &h, w->bytes)) != NULL) {
		if (log_check_end(s->check) == LOG_HOLDS)
			log_check_break(s->check, s->check->chain.size, fault);
		return OK;
	}
	tail.from = !good ? 0 : number == s->from_segment ? s->from : SEGMENT_HEADER_LEN;
	e = scan_frames(s, w, good, &tail);
	s->at = tail.from;
	if (e != OK || s->check->broken)
		return e;
	if (good) {
		s->number = number;
		s->end = tail.from > SEGMENT_HEADER_LEN ? tail.from : 0;
		s->torn = s->end == 0 || h.bytes != w->bytes;
		s->loose = false;
	}
	if (number > s->n_used && tail.to == 0)
		note_blank(s, number);
	if (tail.to == tail.from || s->check->stopped)
		return OK;
	s->loose = s->torn = true;
	return s->on_tail == NULL ? OK : s->on_tail(s->arg, &tail, w);
}

/*
 * Without signatures a group whose signature alone was torn looks like one that
 * counts; the header of the next segment says where the log went on.
 */
static enum err
look_ahead(struct log_scan *s, struct log_window *w, uint64_t number)
{
	enum segment_header_state state = SEGMENT_BLANK;
	struct segment_header h;
	enum err e = OK;

	s->next_first = UINT64_MAX;
	if (s->check->depth != LOG_CHECK_CHAIN)
		return OK;
	for (uint64_t n = number + 1; n <= s->n_used && state != SEGMENT_GOOD && e == OK; n++) {
		e = look_at_header(s, w, n, &state, &h);
		log_window_close(w);
	}
	if (state == SEGMENT_GOOD)
		s->next_first = h.first;
	return e == ERR_NOT_FOUND || e == ERR_INVALID_CONTENT ? OK : e;
}

/* What a segment is not is said of the log; that one cannot be read is not. */
static enum err
break_for(struct log_scan *s, enum err e)
{
	if (e != ERR_NOT_FOUND && e != ERR_INVALID_CONTENT)
		return e;
	log_check_break(s->check, s->check->chain.size, e == ERR_NOT_FOUND ? "a segment is missing" :
	    "a segment is no regular file");
	return OK;
}

static enum err
scan_segments(struct log_scan *s, uint64_t from, struct log_window *w)
{
	uint64_t to = s->owner ? s->n_segments : s->n_used;
	enum err e = OK;

	for (uint64_t n = from; e == OK && n <= to && !s->check->broken && !s->check->stopped; n++) {
		if ((e = look_ahead(s, w, n)) == OK)
			e = scan_segment(s, w, n);
		log_window_close(w);
		e = break_for(s, e);
	}
	if (e == OK && !s->check->broken)
		(void)log_check_end(s->check);
	return e;
}

enum err
log_scan(struct log_scan *s)
{
	struct log_window w = LOG_WINDOW_NONE;
	enum err e;

	if ((e = count_segments(s, &w)) == OK)
		e = scan_segments(s, s->from_segment != 0 ? s->from_segment : 1, &w);
	log_window_end(&w);
	return e;
}

enum err
log_scan_from(struct log_scan *s, uint64_t first)
{
	struct log_window w = LOG_WINDOW_NONE;
	enum segment_header_state state;
	struct segment_header h;
	uint64_t n;
	enum err e;

	if ((e = count_segments(s, &w)) != OK)
		goto end;
	for (n = s->n_used; n > 1; n--) {
		e = look_at_header(s, &w, n, &state, &h);
		log_window_close(&w);
		if (e != OK) {
			e = break_for(s, e);
			goto end;
		}
		if (state != SEGMENT_GOOD || h.first > first)
			continue;
		s->check->chain.size = h.first;
		memcpy(s->check->chain.previous, h.previous, sizeof h.previous);
		break;
	}
	e = scan_segments(s, n > 0 ? n : 1, &w);
end:
	log_window_end(&w);
	return e;
}
