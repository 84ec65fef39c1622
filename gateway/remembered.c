#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "escrow/home.h"
#include "escrow/safe_dir.h"
#include "escrow/safe_file.h"
#include "gateway/remembered.h"
#include "gateway/remembered_form.h"

#define NAME_MAX_OF (UUID_TEXT_LEN + sizeof ".checkpoint.new")

/* How long another client may hold the folder: it has a log to follow, which can be long once. */
#define LOCK_TRIES    1000
#define LOCK_PAUSE_NS 2000000

struct remembered {
	struct uuid      library;
	int              dir_fd;  /* -1: there is no place to remember in */
	char            *dir;     /* its path; owned */
	char             name[NAME_MAX_OF], fresh[NAME_MAX_OF];
	bool             has_last;
	struct log_point last;    /* what was read or seen last */
	bool             warned;
	char             detail[640];
};

static void
warn(struct remembered *r, const char *what)
{
	if (!r->warned)
		fprintf(stderr, "memories: warning: %s/%s %s; what this program sees of the log is not remembered\n",
		    r->dir != NULL ? r->dir : "~", r->name, what);
	r->warned = true;
}

static enum err
diverged(struct remembered *r, const struct log_point *known, const char *what)
{
	if (known != NULL)
		snprintf(r->detail, sizeof r->detail, "%.400s/%s remembers %" PRIu64 " records, %s", r->dir != NULL ? r->dir : "~",
		    r->name, known->size, what);
	else
		snprintf(r->detail, sizeof r->detail, "%s", what);
	return ERR_AUDIT_DIVERGED;
}

static enum err
open_place(struct remembered *r)
{
	struct safe_dir_want want = { .kind = SAFE_DIR_STEADY, .refusal = ERR_FILE_UNWRITABLE };
	struct home_place place;
	enum err e;

	if ((e = home_find_state(&place)) != OK)
		return e;
	want.path = place.path;
	want.n_make = place.n_make;
	e = safe_dir_open(&want, &r->dir_fd, NULL);
	r->dir = place.path;
	return e;
}

static bool
lock(struct remembered *r)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (int i = 0; r->dir_fd >= 0 && i < LOCK_TRIES; i++) {
		if (flock(r->dir_fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		nanosleep(&pause, NULL);
	}
	return false;
}

static void
unlock(struct remembered *r, bool locked)
{
	if (locked)
		(void)flock(r->dir_fd, LOCK_UN);
}

/*
 * An empty file is what a power loss can leave of one that was written without
 * a sync; it says no more than none.
 */
static enum err
load(struct remembered *r, bool *has, struct log_point *out)
{
	const struct safe_file_rule rule = { .forbidden = 022, .max_len = REMEMBERED_TEXT_MAX,
		.unsafe = ERR_AUDIT_DIVERGED, .invalid = ERR_AUDIT_DIVERGED };
	struct secret *text = NULL;
	enum err e;

	*has = false;
	if (r->dir_fd < 0)
		return OK;
	if ((e = safe_file_read(r->dir_fd, r->name, &rule, &text)) == ERR_NOT_FOUND)
		return OK;
	if (e == OK && secret_len(text) > 0) {
		if (remembered_form_take(secret_span(text), r->library, out) == OK)
			*has = true;
		else
			e = ERR_AUDIT_DIVERGED;
	}
	secret_free(&text);
	if (e == ERR_AUDIT_DIVERGED)
		snprintf(r->detail, sizeof r->detail, "%.400s/%s is not a remembered checkpoint of this library, or not yours alone; "
		    "find out who changed it before you remove it", r->dir, r->name);
	return e;
}

enum err
remembered_open(struct uuid library, struct remembered **out)
{
	struct remembered *r = calloc(1, sizeof *r);
	char id[UUID_TEXT_LEN + 1];
	bool locked;
	enum err e;

	if (r == NULL)
		return ERR_NO_MEMORY;
	r->library = library;
	r->dir_fd = -1;
	uuid_text(library, id);
	snprintf(r->name, sizeof r->name, "%s.checkpoint", id);
	snprintf(r->fresh, sizeof r->fresh, "%s.checkpoint.new", id);
	if ((e = open_place(r)) == ERR_NO_MEMORY) {
		remembered_close(&r);
		return e;
	}
	if (e != OK)
		warn(r, "cannot be kept in a folder that only you can change");
	locked = lock(r);
	e = load(r, &r->has_last, &r->last);
	unlock(r, locked);
	*out = r;
	return e;
}

void
remembered_close(struct remembered **r)
{
	if (*r == NULL)
		return;
	if ((*r)->dir_fd >= 0)
		close((*r)->dir_fd);
	free((*r)->dir);
	free(*r);
	*r = NULL;
}

/* Not synced, for a read must not wait for this disk: at worst a power loss brings an older one back. */
static bool
save(struct remembered *r, const struct log_point *place)
{
	char text[REMEMBERED_TEXT_MAX + 1];
	size_t len = remembered_form_put(r->library, place, text);
	bool whole;
	int fd;

	(void)unlinkat(r->dir_fd, r->fresh, 0);
	fd = openat(r->dir_fd, r->fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	whole = write(fd, text, len) == (ssize_t)len;
	close(fd);
	if (whole && renameat(r->dir_fd, r->fresh, r->dir_fd, r->name) == 0)
		return true;
	(void)unlinkat(r->dir_fd, r->fresh, 0);
	return false;
}

static enum err
open_log(struct log_follow **out)
{
	enum err e = log_follow_open(HOME_LOG, out);

	return e == ERR_NOT_FOUND ? ERR_AUDIT_DIVERGED : e;
}

/*
 * The group of that size, from what is known where that lies before it. A
 * client that was overtaken by another begins where it was itself, or at the
 * segment's header: what vouches for the group then is that `known` continues it.
 */
static enum err
reach(struct log_follow *f, const struct remembered *r, const struct log_point *known, uint64_t size,
    struct log_point *to, uint8_t commit[LOG_COMMIT_LEN])
{
	uint8_t later[LOG_COMMIT_LEN];
	struct log_point at_known;
	enum err e = ERR_AUDIT_DIVERGED;

	if (known != NULL && known->size <= size)
		return log_follow_to(f, known, size, to, commit);
	if (r->has_last && r->last.size <= size)
		e = log_follow_to(f, &r->last, size, to, commit);
	if (e == ERR_AUDIT_DIVERGED && (known != NULL || !r->has_last))
		e = log_follow_find(f, size, to, commit);
	if (e != OK || known == NULL)
		return e;
	if ((e = log_follow_to(f, to, known->size, &at_known, later)) != OK)
		return e;
	return memcmp(at_known.root, known->root, sizeof known->root) == 0 ? OK : ERR_AUDIT_DIVERGED;
}

static enum err
follow(struct remembered *r, const struct log_point *known, uint64_t size, struct log_point *to,
    uint8_t commit[LOG_COMMIT_LEN])
{
	struct log_follow *f = NULL;
	enum err e;

	if ((e = open_log(&f)) == OK)
		e = reach(f, r, known, size, to, commit);
	log_follow_close(&f);
	return e == ERR_FILE_UNREADABLE ? ERR_AUDIT_UNAVAILABLE : e;
}

static const struct log_point *
vouching(const struct remembered *r, bool has_known, const struct log_point *known)
{
	return has_known ? known : r->has_last ? &r->last : NULL;
}

static enum err
extend_locked(struct remembered *r, const uint8_t receipt[LOG_COMMIT_LEN], bool locked)
{
	struct wire_in in = wire_in(receipt, LOG_COMMIT_LEN);
	uint8_t commit[LOG_COMMIT_LEN];
	struct log_point known, place;
	struct log_commit c;
	bool has_known;
	enum err e;

	log_commit_take(&in, &c);
	if (!wire_done(&in))
		return ERR_AUDIT_UNAVAILABLE;
	if ((e = load(r, &has_known, &known)) != OK)
		return e;
	e = follow(r, has_known ? &known : NULL, c.size, &place, commit);
	if (e == ERR_AUDIT_DIVERGED || (e == OK && memcmp(commit, receipt, sizeof commit) != 0))
		return diverged(r, vouching(r, has_known, &known), "which the log in this home does not extend to the record of this ask");
	if (e != OK)
		return e;
	if ((!has_known || known.size < place.size) && (!locked || !save(r, &place)))
		warn(r, "cannot be written");
	r->last = place;
	r->has_last = true;
	return OK;
}

enum err
remembered_extend(struct remembered *r, const uint8_t commit[LOG_COMMIT_LEN])
{
	bool locked = lock(r);
	enum err e = extend_locked(r, commit, locked);

	unlock(r, locked);
	return e;
}

enum err
remembered_compare(struct remembered *r, uint64_t size, const uint8_t root[SHA256_LEN])
{
	uint8_t commit[LOG_COMMIT_LEN];
	struct log_point to;
	enum err e = ERR_AUDIT_DIVERGED;

	if (!r->has_last)
		return OK;
	if (r->last.size <= size)
		e = follow(r, &r->last, size, &to, commit);
	if (e == OK && memcmp(to.root, root, SHA256_LEN) != 0)
		e = ERR_AUDIT_DIVERGED;
	return e == ERR_AUDIT_DIVERGED ? diverged(r, &r->last, "which this log does not extend") : e;
}

bool
remembered_last(const struct remembered *r, struct log_point *out)
{
	if (r->has_last)
		*out = r->last;
	return r->has_last;
}

enum err
remembered_accept(struct remembered *r, uint64_t size)
{
	uint8_t commit[LOG_COMMIT_LEN];
	struct log_follow *f = NULL;
	struct log_point place;
	bool saved = false;
	enum err e;

	if ((e = open_log(&f)) == OK)
		e = log_follow_find(f, size, &place, commit);
	log_follow_close(&f);
	if (e != OK)
		return e == ERR_FILE_UNREADABLE ? ERR_AUDIT_UNAVAILABLE : e;
	if (lock(r)) {
		saved = save(r, &place);
		unlock(r, true);
	}
	if (!saved)
		return ERR_FILE_UNWRITABLE;
	r->last = place;
	r->has_last = true;
	return OK;
}

const char *
remembered_detail(const struct remembered *r)
{
	return r->detail;
}
