#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/log.h"
#include "store/log_read.h"
#include "store/log_scan.h"
#include "tests/faults/oracle_log.h"

/* Of each record what a delivery is checked against. */
struct record {
	enum log_type type;
	uint64_t      offset, length;
	struct uuid   asset, revision;
};

struct records {
	struct record *r;
	size_t         n, room;
};

static bool
keep(void *arg, const struct log_record *from)
{
	struct records *all = arg;

	if (all->n == all->room) {
		all->room = all->room * 2 + 1024;
		all->r = realloc(all->r, all->room * sizeof *all->r);
		if (all->r == NULL)
			return false;
	}
	all->r[all->n++] = (struct record){ from->type, from->offset, from->length, from->asset, from->revision };
	return true;
}

/* As audit verify --full does, and what counts is kept. */
static bool
verifies(const char *dir, const struct library_record *library, const char *when, struct records *all,
    char why[ORACLE_WHY_MAX])
{
	struct log_check k = { .depth = LOG_CHECK_FULL, .log_public = library->log_public, .each = keep, .arg = all };
	struct log_scan s = { .check = &k, .has_library = true, .library = library->library };
	int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum err e = ERR_FILE_UNREADABLE;
	bool fine;

	all->n = 0;
	s.seg_fd = openat(dir_fd, "seg", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	k.has_anchor = log_anchor_read(dir_fd, &k.anchor);
	if (s.seg_fd >= 0)
		e = log_scan(&s);
	fine = e == OK && !k.broken && !k.beside_anchor && !log_check_behind_anchor(&k);
	if (!fine)
		snprintf(why, ORACLE_WHY_MAX, "the log %s: %s, %s after %" PRIu64 " records%s%s", when, err_code(e),
		    k.reason != NULL ? k.reason : "", k.chain.size, k.beside_anchor ? ", beside its anchor" : "",
		    log_check_behind_anchor(&k) ? ", behind its anchor" : "");
	close(s.seg_fd);
	close(dir_fd);
	return fine;
}

/* What anybody is told who asks: this looks at the checkpoint, too. Now and then, for it reads all again. */
static bool
is_called_valid(const char *dir, char why[ORACLE_WHY_MAX])
{
	struct log_verify_options o = { .dir = dir, .full = true };
	struct log_verdict v = { .valid = false };
	static unsigned n;
	enum err e;

	if (n++ % 4 != 0 || ((e = log_verify(&o, &v)) == OK && v.valid))
		return true;
	snprintf(why, ORACLE_WHY_MAX, "audit verify: %s, %s at %" PRIu64, err_code(e), v.reason, v.bad_index);
	return false;
}

/* Bytes delivered are bytes covered by durable intents: each delivery has one of its own. */
static bool
covers(const struct records *all, const struct fact *f, char why[ORACLE_WHY_MAX])
{
	const struct record *r = &all->r[f->index];

	if (f->index >= all->n) {
		snprintf(why, ORACLE_WHY_MAX, "delivered under record %" PRIu64 ", the log has %zu", f->index, all->n);
		return false;
	}
	if (r->type == LOG_INTENT && (uuid_is_zero(f->revision) || (uuid_equal(r->asset, f->asset) &&
	    uuid_equal(r->revision, f->revision) && r->offset == f->offset && r->length >= f->length)))
		return true;
	snprintf(why, ORACLE_WHY_MAX, "record %" PRIu64 " is not that of the delivery", f->index);
	return false;
}

static enum err
seal_nothing(void *arg, uint8_t **bytes, size_t *len)
{
	(void)arg;
	*len = 0;
	return (*bytes = malloc(1)) == NULL ? ERR_NO_MEMORY : OK;
}

/* Whatever the daemon kept: it is not used here, and the seal is. */
static bool
unseal_nothing(void *arg, struct span bytes)
{
	(void)arg;
	(void)bytes;
	return true;
}

static bool
recovers(const char *dir, const struct library_record *library, bool *manual_lock, char why[ORACLE_WHY_MAX])
{
	struct log_settings settings = { .dir = dir, .library = library->library, .log_public = library->log_public,
	    .first_segment_bytes = 65536, .segment_bytes = 65536, .seal = seal_nothing, .unseal = unseal_nothing };
	struct log *log = NULL;
	enum err e = log_open(&settings, &log);

	if (e != OK) {
		snprintf(why, ORACLE_WHY_MAX, "the log cannot be opened: %s", err_code(e));
		return false;
	}
	*manual_lock = log_manual_lock(log);
	log_close(&log);
	return true;
}

bool
oracle_log_check(const char *home, const struct library_record *library, const struct expect *x, size_t event,
    bool *manual_lock, char why[ORACLE_WHY_MAX])
{
	struct records all = { 0 };
	char dir[4096];
	bool fine;

	snprintf(dir, sizeof dir, "%s/audit", home);
	fine = verifies(dir, library, "as it lies there", &all, why) && is_called_valid(dir, why) && recovers(dir, library, manual_lock, why) &&
	    verifies(dir, library, "after recovery", &all, why);
	for (size_t i = 0; fine && i < x->n && x->facts[i].event <= event; i++)
		if (x->facts[i].type == FACT_DELIVERED)
			fine = covers(&all, &x->facts[i], why);
	free(all.r);
	return fine;
}
