/*
 * log_window: a segment file seen through one large buffer. With direct reads
 * it shows what is on the disk: after a failed sync the page cache can show
 * what the disk never got.
 */
#ifndef STORE_LOG_WINDOW_H
#define STORE_LOG_WINDOW_H

#include "store/segment.h"

/* Reads are of whole blocks. */
#define LOG_WINDOW_BLOCK 4096u

struct log_window {
	int      fd;    /* -1: closed */
	uint64_t bytes; /* length of the file; a byte more than the longest segment for any that is longer */
	uint8_t *buf;   /* owned */
	uint64_t base;  /* where in the file buf begins */
	size_t   len;   /* of what buf holds */
	size_t   most;  /* reads so many bytes at a time, a block more than the longest `want`; 0: all that fit */
};

#define LOG_WINDOW_NONE ((struct log_window){ .fd = -1 })

/*
 * Opens seg/name. Direct reads are dropped where the file system has none.
 * ERR_NOT_FOUND, ERR_INVALID_CONTENT (no regular file),
 * ERR_FILE_UNREADABLE, ERR_NO_MEMORY. The buffer is kept over close and open; log_window_end frees it.
 */
enum err log_window_open(struct log_window *w, int seg_fd, uint64_t number, bool direct);
void     log_window_close(struct log_window *w);
void     log_window_end(struct log_window *w);

/*
 * The bytes from `at` on: at least `want` (256 KiB and a bit at most), unless
 * the file ends before. Borrowed until the next call. ERR_FILE_UNREADABLE.
 */
enum err log_window_at(struct log_window *w, uint64_t at, size_t want, struct span *out);

/*
 * The same for somebody who goes through all of the file, from *at on until it
 * is w->bytes: what is `whole` bytes long and not in one window is in the next.
 */
enum err log_window_next(struct log_window *w, uint64_t *at, size_t whole, struct span *out);

/* The header of the segment that it is. *h is set when it is good. ERR_FILE_UNREADABLE. */
enum err log_window_header(struct log_window *w, enum segment_header_state *state, struct segment_header *h);

/*
 * The bytes [from, to), at most as many as log_window_at gives; the window is
 * moved so that what lies before them is seen too. Borrowed until the next
 * call. ERR_FILE_UNREADABLE: so, or the file ends before `to`.
 */
enum err log_window_before(struct log_window *w, uint64_t from, uint64_t to, struct span *out);

/* Reads anew from now on: somebody may be writing. ERR_FILE_UNREADABLE, ERR_INVALID_CONTENT. */
enum err log_window_renew(struct log_window *w);

#endif
