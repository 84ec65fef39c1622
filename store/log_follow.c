#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/log_folder.h"
#include "store/log_follow.h"
#include "store/log_frame.h"
#include "store/log_io.h"
#include "store/segment.h"
#include "store/segment_list.h"

/* An asker's next group is mostly just behind its last one, and small. */
#define FIRST_PIECE ((size_t)8 << 10)
#define BUFFER      ((size_t)512 << 10)

struct log_follow {
	struct log_folder folder;
	int      fd;     /* of the segment `number`; -1: none */
	uint64_t number;
	uint8_t *buf;    /* owned; BUFFER bytes, of which len are those from base on */
	uint64_t base;
	size_t   len;
	size_t   piece;  /* how much the next read takes; grows while the way is long */
};

/* Where a walk is: behind the group that it counted last. */
struct walk {
	uint64_t size;
	uint8_t  last[SHA256_LEN]; /* hash of its commit and signature */
	uint64_t at;
	uint64_t next;             /* the next segment in use; 0: there is none yet */
	struct segment_header next_header;
};

enum err
log_follow_open(const char *dir, struct log_follow **out)
{
	struct log_follow *f = calloc(1, sizeof *f);
	enum err e;

	if (f == NULL)
		return ERR_NO_MEMORY;
	f->fd = -1;
	f->folder = LOG_FOLDER_NONE;
	e = log_folder_open(dir, &f->folder);
	if (e == OK && (f->buf = malloc(BUFFER)) == NULL)
		e = ERR_NO_MEMORY;
	if (e != OK) {
		log_follow_close(&f);
		return e;
	}
	*out = f;
	return OK;
}

static void
close_segment(struct log_follow *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	f->len = 0;
}

void
log_follow_close(struct log_follow **f)
{
	if (*f == NULL)
		return;
	close_segment(*f);
	log_folder_close(&(*f)->folder);
	free((*f)->buf);
	free(*f);
	*f = NULL;
}

static enum err
open_segment(struct log_follow *f, uint64_t number)
{
	char name[SEGMENT_NAME_LEN + 1];

	close_segment(f);
	segment_name(number, name);
	f->number = number;
	f->piece = FIRST_PIECE;
	f->fd = openat(f->folder.seg_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (f->fd < 0)
		return errno == ENOENT ? ERR_NOT_FOUND : ERR_FILE_UNREADABLE;
	return OK;
}

static enum err
read_from(struct log_follow *f, uint64_t at, size_t want)
{
	size_t stop = want > f->piece ? want : f->piece;

	f->base = at;
	f->len = 0;
	while (f->len < stop) {
		ssize_t n = log_io()->pread(f->fd, f->buf + f->len, stop - f->len, (off_t)(at + f->len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ERR_FILE_UNREADABLE;
		if (n == 0)
			break;
		f->len += (size_t)n;
	}
	f->piece = f->piece < BUFFER / 2 ? f->piece * 2 : BUFFER;
	return OK;
}

/* What the buffer has from `at` on: at least `want` bytes, or all up to the file's end. */
static enum err
bytes_at(struct log_follow *f, uint64_t at, size_t want, struct span *out)
{
	enum err e;

	if ((at < f->base || at + want > f->base + f->len) && (e = read_from(f, at, want)) != OK)
		return e;
	*out = (struct span){ f->buf + (at - f->base), (size_t)(f->base + f->len - at) };
	return OK;
}

/* ERR_AUDIT_DIVERGED: no group begins there. */
static enum err
group_at(struct log_follow *f, uint64_t at, struct log_frame_group *g)
{
	size_t want = FIRST_PIECE;
	struct span bytes;
	enum err e;

	for (;;) {
		if ((e = bytes_at(f, at, want, &bytes)) != OK)
			return e;
		if (log_frame_find_group(bytes, g))
			return OK;
		if (bytes.len < want || want == LOG_FRAME_REACH)
			return ERR_AUDIT_DIVERGED;
		want = want * 2 < LOG_FRAME_REACH ? want * 2 : LOG_FRAME_REACH;
	}
}

static enum err
header_of(struct log_follow *f, uint64_t number, enum segment_header_state *state, struct segment_header *h)
{
	char name[SEGMENT_NAME_LEN + 1];
	uint8_t buf[SEGMENT_HEADER_LEN];
	ssize_t n;
	int fd;

	segment_name(number, name);
	if ((fd = openat(f->folder.seg_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) < 0)
		return errno == ENOENT ? ERR_NOT_FOUND : ERR_FILE_UNREADABLE;
	n = log_io()->pread(fd, buf, sizeof buf, 0);
	close(fd);
	if (n < 0)
		return ERR_FILE_UNREADABLE;
	*state = segment_header_take((struct span){ buf, (size_t)n }, h);
	return OK;
}

/* Spares and segments whose first write a crash tore are passed over. */
static enum err
find_next(struct log_follow *f, struct walk *w)
{
	enum segment_header_state state = SEGMENT_BLANK;
	enum err e = OK;

	w->next = 0;
	for (uint64_t n = f->number + 1; e == OK; n++) {
		if ((e = header_of(f, n, &state, &w->next_header)) == OK && state == SEGMENT_GOOD) {
			w->next = n;
			return OK;
		}
	}
	return e == ERR_NOT_FOUND ? OK : e;
}

static bool
next_continues(const struct walk *w)
{
	return w->next != 0 && w->next_header.number == w->next && w->next_header.first == w->size &&
	    memcmp(w->next_header.previous, w->last, sizeof w->last) == 0;
}

static enum err
go_on_in_next(struct log_follow *f, struct walk *w)
{
	enum err e = open_segment(f, w->next);

	w->at = SEGMENT_HEADER_LEN;
	return e == OK ? find_next(f, w) : e == ERR_NOT_FOUND ? ERR_AUDIT_DIVERGED : e;
}

static void
count(const struct log_follow *f, struct walk *w, const struct log_frame_group *g, struct log_point *to,
    uint8_t commit[LOG_COMMIT_LEN])
{
	*to = (struct log_point){ .size = g->commit.size, .segment = f->number, .at = w->at };
	memcpy(to->root, g->commit.root, sizeof to->root);
	memcpy(commit, g->signed_commit.p, LOG_COMMIT_LEN);
	sha256(commit, LOG_COMMIT_LEN, w->last);
	w->size = g->commit.size;
	w->at += g->len;
}

/*
 * One group on. Where the next segment says that it begins is looked at first:
 * bytes that never counted can lie behind the last group of a segment.
 */
static enum err
step(struct log_follow *f, struct walk *w, struct log_point *to, uint8_t commit[LOG_COMMIT_LEN])
{
	struct log_frame_group g;
	enum err e;

	while (next_continues(w))
		if ((e = go_on_in_next(f, w)) != OK)
			return e;
	e = group_at(f, w->at, &g);
	if (e == ERR_AUDIT_DIVERGED && w->next == 0) {
		/* The writer may just have moved on. */
		if ((e = find_next(f, w)) != OK)
			return e;
		return next_continues(w) ? step(f, w, to, commit) : ERR_AUDIT_DIVERGED;
	}
	if (e != OK)
		return e;
	if (g.commit.first != w->size || g.commit.count != g.n_records ||
	    memcmp(g.commit.previous, w->last, sizeof w->last) != 0)
		return ERR_AUDIT_DIVERGED;
	count(f, w, &g, to, commit);
	return OK;
}

static enum err
walk_to(struct log_follow *f, struct walk *w, uint64_t size, struct log_point *to,
    uint8_t commit[LOG_COMMIT_LEN])
{
	enum err e = OK;

	while (e == OK && w->size < size)
		e = step(f, w, to, commit);
	return e == OK && w->size != size ? ERR_AUDIT_DIVERGED : e;
}

enum err
log_follow_to(struct log_follow *f, const struct log_point *from, uint64_t size,
    struct log_point *to, uint8_t commit[LOG_COMMIT_LEN])
{
	struct walk w = { .at = from->at };
	struct log_point place;
	struct log_frame_group g;
	enum err e;

	if ((e = open_segment(f, from->segment)) != OK || (e = group_at(f, from->at, &g)) != OK)
		return e == ERR_NOT_FOUND ? ERR_AUDIT_DIVERGED : e;
	if (g.commit.size != from->size || memcmp(g.commit.root, from->root, sizeof from->root) != 0)
		return ERR_AUDIT_DIVERGED;
	count(f, &w, &g, &place, commit);
	if (size > from->size && (e = find_next(f, &w)) != OK)
		return e;
	if ((e = walk_to(f, &w, size, &place, commit)) == OK)
		*to = place;
	return e;
}

enum err
log_follow_find(struct log_follow *f, uint64_t size, struct log_point *to, uint8_t commit[LOG_COMMIT_LEN])
{
	enum segment_header_state state = SEGMENT_BLANK;
	struct walk w = { .at = SEGMENT_HEADER_LEN };
	struct segment_header h;
	struct log_point place;
	struct segment_list l;
	uint64_t n = 0;
	size_t i;
	enum err e;

	if ((e = segment_list_read(f->folder.seg_fd, &l)) != OK)
		return e == ERR_NOT_FOUND ? ERR_AUDIT_DIVERGED : e;
	for (i = l.n; i > 0; i--) {
		n = l.numbers[i - 1];
		if (header_of(f, n, &state, &h) == OK && state == SEGMENT_GOOD && h.number == n && h.first < size)
			break;
	}
	segment_list_free(&l);
	if (i == 0)
		return ERR_AUDIT_DIVERGED;
	w.size = h.first;
	memcpy(w.last, h.previous, sizeof w.last);
	if ((e = open_segment(f, n)) != OK || (e = find_next(f, &w)) != OK)
		return e == ERR_NOT_FOUND ? ERR_AUDIT_DIVERGED : e;
	if ((e = walk_to(f, &w, size, &place, commit)) == OK)
		*to = place;
	return e;
}
