#include <stdio.h>
#include <string.h>

#include "store/log_checkpoint.h"
#include "store/log_folder.h"
#include "store/log_key.h"
#include "store/log_read.h"
#include "store/log_scan.h"

static void
set_invalid(struct log_verdict *v, uint64_t index, const char *reason)
{
	v->valid = false;
	v->bad_index = index;
	snprintf(v->reason, sizeof v->reason, "%s", reason);
}

static bool
is_behind(const struct log_check *k)
{
	return log_check_behind_anchor(k) || log_check_behind_checkpoint(k);
}

static void
judge(const struct log_check *k, const struct log_scan *s, struct log_verdict *v)
{
	*v = (struct log_verdict){ .valid = true, .size = k->chain.size,
	    .n_epochs = k->chain.n_epochs, .n_pending_epochs = k->chain.n_pending_epochs,
	    .n_repairs = k->chain.n_repairs, .n_lost = k->chain.n_lost };
	merkle_root(&k->chain.tree, v->root);
	if (k->broken)
		set_invalid(v, k->bad_index, k->reason);
	else if (s->loose && is_behind(k))
		/* A torn write is never within what was anchored or signed: this counted once. */
		set_invalid(v, k->chain.size,
		    k->reason != NULL ? k->reason : "the header of a segment does not have its form");
}

/* The walk and what it says, short of the checkpoint's signature. */
static enum err
scan(const struct log_verify_options *options, int seg_fd, struct uuid library, struct log_check *k,
    struct log_verdict *verdict)
{
	struct log_scan s = { .seg_fd = seg_fd, .check = k, .has_library = true, .library = library };
	enum err e;

	k->depth = options->full ? LOG_CHECK_FULL : LOG_CHECK_FAST;
	if ((e = log_scan(&s)) == OK)
		judge(k, &s, verdict);
	return e;
}

static enum err
check_signature(const struct log_verify_options *options, const char *origin, const struct log_check *k,
    struct log_checkpoint *c, struct log_verdict *verdict)
{
	enum err e = log_checkpoint_vouched(c, options->dir, origin, k->log_public);

	if (e == ERR_AUDIT_TAMPERED)
		set_invalid(verdict, verdict->size, "neither the log key nor a delegate signed the checkpoint");
	return e == ERR_AUDIT_TAMPERED ? OK : e;
}

static enum err
verify_in(const struct log_verify_options *options, const struct log_folder *folder, struct log_verdict *verdict)
{
	char origin[LOG_ORIGIN_MAX + 1];
	uint8_t public_key[SIGN_PUBLIC_LEN];
	struct log_checkpoint c = { .len = 0 };
	struct log_check k = { .log_public = public_key };
	enum log_anchor_state anchor;
	struct uuid library;
	enum err e, found;

	if ((e = log_key_find(folder->fd, options->key_file, origin, public_key)) != OK ||
	    (e = log_key_library(origin, &library)) != OK)
		return e;
	/* Both before the walk: a log that grows meanwhile must not seem to be behind them. */
	if ((anchor = log_anchor_look(folder->fd, &k.anchor)) == LOG_ANCHOR_UNREADABLE)
		return ERR_FILE_UNREADABLE;
	k.has_anchor = anchor == LOG_ANCHOR_GOOD;
	found = log_checkpoint_read_at(folder->fd, "checkpoint", &c);
	k.checkpoint = found == OK ? &c.note : NULL;
	if (found != OK && found != ERR_NOT_FOUND && found != ERR_INVALID_CONTENT)
		return found;
	e = scan(options, folder->seg_fd, library, &k, verdict);
	if (e == ERR_NOT_FOUND && is_behind(&k))
		e = ERR_AUDIT_DIVERGED;
	if (e == OK && verdict->valid && found == ERR_INVALID_CONTENT)
		set_invalid(verdict, verdict->size, "the checkpoint does not have its form");
	if (e == OK && verdict->valid && found == OK)
		e = check_signature(options, origin, &k, &c, verdict);
	if (e == OK && verdict->valid &&
	    (anchor == LOG_ANCHOR_DAMAGED || k.beside_anchor || k.beside_checkpoint || is_behind(&k)))
		e = ERR_AUDIT_DIVERGED;
	log_checkpoint_free(&c);
	return e;
}

enum err
log_verify(const struct log_verify_options *options, struct log_verdict *verdict)
{
	struct log_folder folder;
	enum err e;

	if ((e = log_folder_open(options->dir, &folder)) != OK)
		return e;
	e = verify_in(options, &folder, verdict);
	log_folder_close(&folder);
	return e;
}

struct walk {
	uint64_t first;
	bool   (*each)(void *arg, const struct log_record *r);
	void    *arg;
};

static bool
from_first(void *arg, const struct log_record *r)
{
	const struct walk *w = arg;

	return r->index < w->first || w->each(w->arg, r);
}

enum err
log_walk(const char *dir, uint64_t first, bool (*each)(void *arg, const struct log_record *r), void *arg)
{
	struct walk w = { first, each, arg };
	struct log_check k = { .depth = LOG_CHECK_CHAIN, .each = from_first, .arg = &w };
	struct log_scan s = { .check = &k };
	struct log_folder folder;
	enum err e;

	if ((e = log_folder_open(dir, &folder)) != OK)
		return e;
	s.seg_fd = folder.seg_fd;
	e = log_scan_from(&s, first);
	log_folder_close(&folder);
	return e == OK && k.broken ? ERR_AUDIT_TAMPERED : e;
}
