#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/log_io.h"
#include "store/log_key.h"
#include "store/log_recover.h"
#include "store/log_start.h"

#define FIRST_BYTES ((uint64_t)4 << 20)
#define LATER_BYTES ((uint64_t)64 << 20)
#define PIECE       4096u

static bool
pass_on(void *arg, const struct log_record *r)
{
	const struct log_settings *settings = arg;

	settings->on_record(settings->arg, r);
	return true;
}

static enum err
copy_tail(const struct log_tail *t, struct log_window *w, int fd)
{
	uint64_t at = t->from;
	struct span bytes;
	enum err e;

	while (at < t->to) {
		if ((e = log_window_at(w, at, PIECE, &bytes)) != OK)
			return e;
		if (bytes.len > t->to - at)
			bytes.len = (size_t)(t->to - at);
		if (!log_io_write(fd, bytes.p, bytes.len, (off_t)(at - t->from)))
			return log_io_failure();
		at += bytes.len;
	}
	return OK;
}

/* The name says which bytes they are, and they never change: once kept, always kept. */
static enum err
keep_tail(void *arg, const struct log_tail *t, struct log_window *w)
{
	const struct log_dir *dir = arg;
	char name[48];
	enum err e;
	int fd = -1;

	snprintf(name, sizeof name, "%010" PRIu64 "-%" PRIu64 ".bytes", t->number, t->from);
	if (log_dir_has(dir->quarantine_fd, name))
		return OK;
	if ((e = log_dir_begin(dir->quarantine_fd, name, &fd)) != OK)
		return e;
	if ((e = copy_tail(t, w, fd)) != OK) {
		log_dir_abandon(dir->quarantine_fd, name, &fd);
		return e;
	}
	return log_dir_finish(dir->quarantine_fd, name, &fd);
}

static enum err
check_key(const struct log_settings *settings, const struct log_dir *dir)
{
	char expected[LOG_KEY_TEXT_MAX + 1], origin[LOG_ORIGIN_MAX + 1], found_origin[LOG_ORIGIN_MAX + 1];
	uint8_t found[SIGN_PUBLIC_LEN];
	enum err e;

	log_key_origin(settings->library, origin);
	log_key_text(origin, settings->log_public, expected);
	if (!log_dir_has(dir->fd, "key.pub"))
		return log_dir_publish(dir->fd, "key.pub",
		    (struct span){ (const uint8_t *)expected, strlen(expected) });
	e = log_key_read_at(dir->fd, "key.pub", found_origin, found);
	if (e == ERR_FILE_UNREADABLE)
		return ERR_AUDIT_UNAVAILABLE;
	return e == OK && strcmp(origin, found_origin) == 0 &&
	    memcmp(found, settings->log_public, sizeof found) == 0 ? OK : ERR_AUDIT_TAMPERED;
}

static enum err
scan(const struct log_settings *settings, const struct log_dir *dir, struct log_check *k,
    struct log_scan *s)
{
	enum log_anchor_state anchor;
	enum err e;

	*k = (struct log_check){ .depth = LOG_CHECK_FAST, .log_public = settings->log_public };
	if (settings->on_record != NULL) {
		k->each = pass_on;
		k->arg = (void *)(uintptr_t)settings;
	}
	/* What a repair is about to give up, the anchor still names; and it must know every record. */
	anchor = settings->repair ? LOG_ANCHOR_NONE : log_anchor_look(dir->fd, &k->anchor);
	if (anchor == LOG_ANCHOR_DAMAGED || anchor == LOG_ANCHOR_UNREADABLE)
		return anchor == LOG_ANCHOR_DAMAGED ? ERR_AUDIT_TAMPERED : ERR_AUDIT_UNAVAILABLE;
	k->has_anchor = anchor == LOG_ANCHOR_GOOD;
	*s = (struct log_scan){ .seg_fd = dir->seg_fd, .check = k, .owner = true, .has_library = true,
	    .library = settings->library, .on_tail = keep_tail, .arg = (void *)(uintptr_t)dir };
	if (!settings->repair)
		log_start(settings, dir, s);
	e = log_scan(s);
	if (e == ERR_FILE_UNREADABLE)
		return ERR_AUDIT_UNAVAILABLE;
	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	return k->broken || k->beside_anchor || log_check_behind_anchor(k) ? ERR_AUDIT_TAMPERED : OK;
}

/*
 * After a failed sync the page cache can still show a group that the disk
 * lacks. Writing beside it would bring it back, so such a segment is left too.
 */
static bool
cache_agrees(const struct segment *s, uint64_t end)
{
	uint8_t buf[PIECE];
	uint64_t stop = s->bytes - end < LOG_FRAME_REACH ? s->bytes : end + LOG_FRAME_REACH;

	(void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_DONTNEED);
	while (end < stop) {
		uint64_t want = stop - end < sizeof buf ? stop - end : sizeof buf;
		ssize_t n = log_io()->pread(s->fd, buf, (size_t)want, (off_t)end);

		if (n <= 0 || !wire_is_zero((struct span){ buf, (size_t)n }))
			return false;
		end += (uint64_t)n;
	}
	return true;
}

_Static_assert(LOG_SPARES == LOG_SCAN_BLANKS, "each blank segment is a spare");

/* What is no good as a spare lies there unused; the next one has a number above it. */
static enum err
ready_spares(const struct log_scan *s, struct log_room *room)
{
	size_t n = 0;
	enum err e = OK;

	for (size_t i = 0; e == OK && i < LOG_SPARES && s->blank[i] > 0; i++) {
		if ((e = segment_open(s->seg_fd, s->blank[i], &room->spares[n])) != OK)
			break;
		if (segment_is_spare(&room->spares[n], s->seg_fd))
			n++;
		else
			segment_close(&room->spares[n]);
	}
	return e;
}

static enum err
ready_room(const struct log_scan *s, struct log_room *room)
{
	enum err e = OK;

	if (s->number > 0 && !s->torn && !segment_has_failed(s->seg_fd, s->number))
		e = segment_open(s->seg_fd, s->number, &room->current);
	room->end = s->end;
	if (e == OK && room->current.fd >= 0 && !cache_agrees(&room->current, s->end))
		segment_close(&room->current);
	return e == OK ? ready_spares(s, room) : e;
}

enum err
log_recover(const struct log_settings *settings, const struct log_dir *dir,
    struct log_chain *chain, struct log_room *room)
{
	struct log_check k;
	struct log_scan s;
	enum err e;

	*room = LOG_ROOM_NONE;
	if ((e = check_key(settings, dir)) != OK || (e = scan(settings, dir, &k, &s)) != OK)
		return e;
	room->seg_fd = dir->seg_fd;
	room->next_number = s.n_segments + 1;
	room->first_bytes = settings->first_segment_bytes != 0 ? settings->first_segment_bytes : FIRST_BYTES;
	room->later_bytes = settings->segment_bytes != 0 ? settings->segment_bytes : LATER_BYTES;
	if ((e = ready_room(&s, room)) != OK)
		log_room_close(room);
	else
		*chain = k.chain;
	return e;
}
