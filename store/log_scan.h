/*
 * log_scan: walks the segments of a log through log_check, from the first
 * frame to the last that holds.
 *
 * Behind the last group that holds there may be bytes of a write that a crash
 * tore. They are told from damage to what counted before by log_frame_later_commit.
 */
#ifndef STORE_LOG_SCAN_H
#define STORE_LOG_SCAN_H

#include "store/log_check.h"
#include "store/log_window.h"

/* Bytes behind the last group of a segment that holds: [from, to) of the file, not all zero. */
struct log_tail {
	uint64_t number;
	uint64_t from;
	uint64_t to;
};

#define LOG_SCAN_BLANKS 2

struct log_scan {
	/* Set by the caller; the rest zero. */
	int               seg_fd;
	struct log_check *check;
	bool              owner;   /* nobody writes meanwhile: read directly, and look at unused segments too */
	bool              has_library;
	struct uuid       library; /* that every header must name */
	uint64_t          from_segment; /* begin behind this place, to which check->chain leads; 0: at the start */
	uint64_t          from;
	enum err        (*on_tail)(void *arg, const struct log_tail *t, struct log_window *w); /* may be NULL */
	void             *arg;

	uint64_t          next_first; /* of the next segment whose header holds, in a LOG_CHECK_CHAIN; else UINT64_MAX */
	uint64_t          n_segments; /* the highest number */
	uint64_t          n_used;     /* the highest number with a header, whole or torn */
	uint64_t          number;     /* the last segment whose header holds; 0: none */
	uint64_t          end;        /* where its last group that holds ends; 0: it has none */
	uint64_t          at_number;  /* how far the walk came: this segment, */
	uint64_t          at;         /* behind its last group that holds; 0: its header does not */
	uint64_t          blank[LOG_SCAN_BLANKS]; /* the first segments above n_used that are all zero; 0: no more */
	bool              loose;      /* bytes that do not count lie behind the last group that holds */
	bool              torn;       /* so, or the last segment is empty or cut: nothing may be written to it */
};

/*
 * Walks until the end, until check->broken, or until check->stopped.
 *
 * ERR_NOT_FOUND: there is no segment. ERR_FILE_UNREADABLE, ERR_NO_MEMORY, and
 * whatever on_tail answers.
 */
enum err log_scan(struct log_scan *s);

/*
 * The same for LOG_CHECK_CHAIN, but from the segment in which the record
 * `first` lies, whose header is believed.
 */
enum err log_scan_from(struct log_scan *s, uint64_t first);

#endif
