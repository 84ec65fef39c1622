#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/log_aside.h"
#include "store/log_io.h"
#include "store/log_key.h"
#include "store/log_repair_files.h"
#include "store/segment.h"
#include "store/segment_list.h"

#define PIECE    ((size_t)64 << 10)

/*
 * What is ours but has another mode gets its mode back; links are not followed.
 * What cannot be mended is found again by whoever uses it.
 */
static bool
mend_mode(int at_fd, const char *name, mode_t type, mode_t mode)
{
	struct stat st;

	return fstatat(at_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_mode & S_IFMT) == type &&
	    st.st_uid == geteuid() && ((st.st_mode & 07777) == mode || fchmodat(at_fd, name, mode, 0) == 0);
}

/* Calls each() for the segments that there are, in no order, until one answers an error. */
static enum err
each_segment(const struct log_dir *dir, enum err (*each)(void *arg, const struct log_dir *dir, uint64_t number),
    void *arg)
{
	DIR *d = log_io_entries(dir->seg_fd);
	struct dirent *entry;
	enum err e = OK;

	if (d == NULL)
		return ERR_AUDIT_UNAVAILABLE;
	while (e == OK && (entry = readdir(d)) != NULL)
		if (segment_number(entry->d_name) != 0)
			e = each(arg, dir, segment_number(entry->d_name));
	closedir(d);
	return e;
}

static enum err
mend_segment(void *arg, const struct log_dir *dir, uint64_t number)
{
	char name[SEGMENT_NAME_LEN + 1];

	(void)arg;
	segment_name(number, name);
	(void)mend_mode(dir->seg_fd, name, S_IFREG, 0600);
	return OK;
}

/* The highest head that any commit behind the damage claims. What cannot be read claims nothing. */
static enum err
look_for_claims(void *arg, const struct log_dir *dir, uint64_t number)
{
	struct log_damage *d = arg;
	struct log_head *claimed = &d->claimed;
	struct log_window w = LOG_WINDOW_NONE;
	uint64_t at = number == d->number ? d->end : 0;
	struct log_commit c;
	struct span bytes;
	enum err e;

	if (number < d->number)
		return OK;
	e = log_window_open(&w, dir->seg_fd, number, true);
	while (e == OK && at < w.bytes && (e = log_window_next(&w, &at, LOG_COMMIT_FRAME_LEN, &bytes)) == OK)
		for (size_t i = 0; log_frame_next_commit(bytes, &i, &c); i++)
			if (c.size > claimed->size) {
				claimed->size = c.size;
				memcpy(claimed->root, c.root, sizeof claimed->root);
			}
	log_window_end(&w);
	return e == ERR_NO_MEMORY ? e : OK;
}

static enum err
walk(const struct log_settings *settings, const struct log_dir *dir, enum log_check_depth depth,
    struct log_check *k, struct log_scan *s)
{
	enum err e;

	*k = (struct log_check){ .depth = depth, .log_public = settings->log_public };
	*s = (struct log_scan){ .seg_fd = dir->seg_fd, .check = k, .owner = true, .has_library = true,
	    .library = settings->library };
	e = log_scan(s);
	if (e == ERR_NOT_FOUND)
		return OK;
	/* A place that cannot be read is damage there: nothing else could ever end that state. */
	if (e == ERR_FILE_UNREADABLE && s->at_number > 0) {
		log_check_break(k, k->chain.size, "a segment cannot be read");
		return OK;
	}
	return e == OK || e == ERR_NO_MEMORY ? e : ERR_AUDIT_UNAVAILABLE;
}

enum err
log_repair_files_walk(const struct log_settings *settings, const struct log_dir *dir, struct log_damage *out)
{
	struct log_damage d = { .broken = false };
	struct log_check k;
	struct log_scan s;
	enum err e;

	if ((e = each_segment(dir, mend_segment, NULL)) != OK ||
	    (e = walk(settings, dir, LOG_CHECK_FAST, &k, &s)) != OK)
		return e;
	/* One signature that did not hold vouched for many groups: which of them does not? */
	if (k.broken && k.bad_index < k.chain.size && (e = walk(settings, dir, LOG_CHECK_FULL, &k, &s)) != OK)
		return e;
	d.broken = k.broken;
	d.number = k.broken ? s.at_number : s.n_used;
	d.end = s.at > SEGMENT_HEADER_LEN ? s.at : 0;
	d.found = (struct log_head){ .repairs = k.chain.repaired, .size = k.chain.size };
	merkle_root(&k.chain.tree, d.found.root);
	d.claimed.repairs = d.found.repairs;
	if (k.broken)
		e = each_segment(dir, look_for_claims, &d);
	if (e == OK)
		*out = d;
	return e;
}

/* Links, devices and files of others in the place of a segment: nothing of the log can be in them. */
static enum err
evict(void *arg, const struct log_dir *dir, uint64_t number)
{
	char name[SEGMENT_NAME_LEN + 1];

	(void)arg;
	segment_name(number, name);
	return log_aside_is_our_file(dir->seg_fd, name) ? OK : log_aside(dir, dir->seg_fd, 0, name);
}

enum err
log_repair_files_hold(const char *dir, struct log_dir *out)
{
	static const char *const below[] = { "seg", "quarantine", "seal" };
	struct log_dir held;
	int fd;
	enum err e;

	(void)mend_mode(AT_FDCWD, dir, S_IFDIR, 0700);
	if ((fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		return ERR_AUDIT_UNAVAILABLE;
	for (size_t i = 0; i < sizeof below / sizeof *below; i++)
		(void)mend_mode(fd, below[i], S_IFDIR, 0700);
	e = log_aside_foreign(fd);
	close(fd);
	if (e != OK || (e = log_dir_open(dir, &held)) != OK)
		return e;
	e = each_segment(&held, evict, NULL);
	if (e != OK) {
		log_dir_close(&held);
		return e;
	}
	*out = held;
	return OK;
}

static bool
is_all_zero(int seg_fd, uint64_t number)
{
	struct log_window w = LOG_WINDOW_NONE;
	bool zero = log_window_open(&w, seg_fd, number, true) == OK;
	struct span bytes = { NULL, 0 };

	for (uint64_t at = 0; zero && at < w.bytes; at += bytes.len)
		zero = log_window_at(&w, at, 1, &bytes) == OK && wire_is_zero(bytes);
	log_window_end(&w);
	return zero;
}

static enum err
set_segment_aside(const struct log_dir *dir, uint64_t number, uint32_t repairs)
{
	char name[SEGMENT_NAME_LEN + 1];

	segment_name(number, name);
	/* A spare holds nothing, and is as large as what the new log will need. */
	if (log_aside_is_our_file(dir->seg_fd, name) && is_all_zero(dir->seg_fd, number))
		return unlinkat(dir->seg_fd, name, 0) == 0 ? OK : log_io_failure();
	return log_aside(dir, dir->seg_fd, repairs, name);
}

static enum err
write_zeros(int fd, uint64_t from, uint64_t to)
{
	static const uint8_t zeros[PIECE];

	for (uint64_t at = from; at < to; at += PIECE) {
		size_t n = to - at < PIECE ? (size_t)(to - at) : PIECE;

		if (!log_io_write(fd, zeros, n, (off_t)at))
			return log_io_failure();
	}
	return OK;
}

static enum err
write_pieces(struct log_window *w, uint64_t end, int fd)
{
	struct span bytes;
	enum err e = OK;

	for (uint64_t at = 0; e == OK && at < end; at += bytes.len) {
		if ((e = log_window_at(w, at, 1, &bytes)) != OK)
			return e;
		if (bytes.len > end - at)
			bytes.len = (size_t)(end - at);
		if (!log_io_write(fd, bytes.p, bytes.len, (off_t)at))
			e = log_io_failure();
	}
	return e;
}

/* The first `end` bytes of a segment, and zeros to the length that its header says. */
static enum err
copy_head(const struct log_dir *dir, uint64_t number, uint64_t end, int fd)
{
	struct log_window w = LOG_WINDOW_NONE;
	enum segment_header_state state;
	struct segment_header h;
	enum err e;

	if ((e = log_window_open(&w, dir->seg_fd, number, true)) == OK && (e = log_window_header(&w, &state, &h)) == OK)
		e = state == SEGMENT_GOOD ? write_pieces(&w, end, fd) : ERR_AUDIT_UNAVAILABLE;
	if (e == OK)
		e = write_zeros(fd, end, h.bytes <= SEGMENT_BYTES_MAX ? h.bytes : w.bytes);
	log_window_end(&w);
	return e == ERR_FILE_UNREADABLE ? ERR_AUDIT_UNAVAILABLE : e;
}

/*
 * Replaces a segment by a copy that ends at `end`. The original has its second
 * name before it loses the first, and the copy is whole before it takes that.
 */
static enum err
cut_segment(const struct log_dir *dir, uint64_t number, uint64_t end, uint32_t repairs)
{
	char name[SEGMENT_NAME_LEN + 1], aside[LOG_ASIDE_NAME_LEN];
	enum err e;
	int fd;

	segment_name(number, name);
	if ((e = log_dir_begin(dir->seg_fd, name, &fd)) != OK)
		return e;
	if ((e = copy_head(dir, number, end, fd)) != OK) {
		log_dir_abandon(dir->seg_fd, name, &fd);
		return e;
	}
	log_aside_name(dir->quarantine_fd, repairs, name, aside);
	if (linkat(dir->seg_fd, name, dir->quarantine_fd, aside, 0) != 0 ||
	    log_io()->fsync(dir->quarantine_fd) != 0) {
		e = log_io_failure();
		log_dir_abandon(dir->seg_fd, name, &fd);
		return e;
	}
	return log_dir_finish(dir->seg_fd, name, &fd);
}

static enum err
trim_segment(void *arg, const struct log_dir *dir, uint64_t number)
{
	struct log_window w = LOG_WINDOW_NONE;
	enum segment_header_state state;
	struct segment_header h;
	bool longer;

	(void)arg;
	longer = log_window_open(&w, dir->seg_fd, number, true) == OK &&
	    log_window_header(&w, &state, &h) == OK && state == SEGMENT_GOOD && h.number == number && h.bytes < w.bytes &&
	    h.bytes >= SEGMENT_HEADER_LEN;
	log_window_end(&w);
	return longer ? cut_segment(dir, number, h.bytes, 0) : OK;
}

enum err
log_repair_files_trim(const struct log_dir *dir)
{
	return each_segment(dir, trim_segment, NULL);
}

/* Seals, checkpoint and tiles speak of the log as it was; a key that is not the library's is no key. */
static enum err
set_derived_aside(const struct log_settings *settings, const struct log_dir *dir, uint32_t repairs)
{
	char origin[LOG_ORIGIN_MAX + 1], wanted[LOG_ORIGIN_MAX + 1];
	uint8_t key[SIGN_PUBLIC_LEN];
	enum err e;

	log_key_origin(settings->library, wanted);
	if ((e = log_aside(dir, dir->fd, repairs, "seal")) != OK ||
	    (e = log_aside(dir, dir->fd, repairs, "checkpoint")) != OK ||
	    (e = log_aside(dir, dir->fd, repairs, "tile")) != OK)
		return e;
	if (log_key_read_at(dir->fd, "key.pub", origin, key) == OK && strcmp(origin, wanted) == 0 &&
	    memcmp(key, settings->log_public, sizeof key) == 0)
		return OK;
	return log_aside(dir, dir->fd, repairs, "key.pub");
}

enum err
log_repair_files_move(const struct log_settings *settings, const struct log_dir *dir,
    const struct log_damage *damage, uint32_t repairs)
{
	enum err e = set_derived_aside(settings, dir, repairs);
	struct segment_list l = { NULL, 0 };

	if (e == OK)
		e = segment_list_read(dir->seg_fd, &l);
	for (size_t i = l.n; e == OK && i > 0 && l.numbers[i - 1] > damage->number; i--)
		e = set_segment_aside(dir, l.numbers[i - 1], repairs);
	segment_list_free(&l);
	if (e == ERR_NOT_FOUND)
		return OK;
	if (e != OK)
		return e == ERR_FILE_UNREADABLE ? ERR_AUDIT_UNAVAILABLE : e;
	if (!damage->broken)
		return OK;
	if (damage->end > 0)
		return cut_segment(dir, damage->number, damage->end, repairs);
	return set_segment_aside(dir, damage->number, repairs);
}
