#include <string.h>
#include <unistd.h>

#include "store/log_inside.h"
#include "store/log_io.h"
#include "store/log_repair_files.h"

/* The newest head that anybody knows. What commits behind the damage claim counts only when nobody knows better. */
static struct log_head
newest(const struct log_dir *dir, struct log_known known, const struct log_damage *damage)
{
	struct log_head best = { .size = 0 }, anchor = { .repairs = damage->found.repairs };
	struct log_anchor a;

	for (size_t i = 0; i < known.n; i++)
		if (known.heads[i].size > 0 && log_head_newer(&known.heads[i], &best))
			best = known.heads[i];
	if (log_anchor_read(dir->fd, &a)) {
		anchor.size = a.size;
		memcpy(anchor.root, a.root, sizeof anchor.root);
		if (log_head_newer(&anchor, &best))
			best = anchor;
	}
	if (log_head_newer(&damage->claimed, &best) && !log_head_newer(&best, &damage->found))
		best = damage->claimed;
	return best.size > 0 ? best : damage->found;
}

static enum err
look(const struct log_settings *settings, struct log_known known, const struct log_dir *dir,
    struct log_damage *damage, struct log_repaired *out)
{
	uint32_t most;
	enum err e;

	if ((e = log_repair_files_walk(settings, dir, damage)) != OK)
		return e;
	out->found = damage->found;
	out->lost = newest(dir, known, damage);
	most = out->lost.repairs > out->found.repairs ? out->lost.repairs : out->found.repairs;
	out->repairs = most + 1;
	out->found.repairs = out->lost.repairs = most;
	return most == UINT32_MAX ? ERR_AUDIT_TAMPERED : OK;
}

enum err
log_repair_look(const struct log_settings *settings, struct log_known known, struct log_repaired *out)
{
	struct log_dir dir = LOG_DIR_NONE;
	struct log_damage damage;
	struct log_repaired repaired;
	enum err e;

	if ((e = log_repair_files_hold(settings->dir, &dir)) == OK)
		e = look(settings, known, &dir, &damage, &repaired);
	log_dir_close(&dir);
	if (e == OK)
		*out = repaired;
	return e;
}

/* From here on until the record is durable, the log is behind its anchor or beside it. */
static enum err
anchor_what_is_lost(const struct log_dir *dir, const struct log_head *lost)
{
	struct log_anchor a = { .size = lost->size };
	int fd;
	enum err e;

	memcpy(a.root, lost->root, sizeof a.root);
	if ((e = log_anchor_open(dir->fd, &fd)) != OK)
		return e;
	e = log_anchor_sync(fd, &a);
	close(fd);
	return e == OK && log_io()->fsync(dir->fd) != 0 ? ERR_AUDIT_UNAVAILABLE : e;
}

static enum err
clear_away(const struct log_settings *settings, struct log_known known, struct log_repaired *out)
{
	struct log_dir dir = LOG_DIR_NONE;
	struct log_damage damage;
	enum err e;

	if ((e = log_repair_files_hold(settings->dir, &dir)) == OK && (e = log_repair_files_trim(&dir)) == OK &&
	    (e = look(settings, known, &dir, &damage, out)) == OK &&
	    (e = anchor_what_is_lost(&dir, &out->lost)) == OK)
		e = log_repair_files_move(settings, &dir, &damage, out->repairs);
	log_dir_close(&dir);
	return e;
}

enum err
log_repair_open(const struct log_settings *settings, struct log_known known, struct log **out,
    struct log_repaired *repaired)
{
	struct log_settings repairing = *settings;
	struct log_repaired r;
	struct log *l = NULL;
	enum err e;

	repairing.repair = true;
	if ((e = clear_away(settings, known, &r)) != OK || (e = log_open(&repairing, &l)) != OK)
		return e;
	/* What was just found must be what is left. */
	if (l->found.size != r.found.size || memcmp(l->found.root, r.found.root, sizeof r.found.root) != 0) {
		log_close(&l);
		return ERR_AUDIT_TAMPERED;
	}
	l->repaired = r;
	*repaired = r;
	*out = l;
	return OK;
}

enum err
log_repair_finish(struct log *l, struct uuid terminal)
{
	struct log_record r = { .type = LOG_REPAIR, .surface = SURFACE_OWNER, .subject_kind = LOG_TERMINAL,
	    .subject = terminal };
	uint8_t extra[LOG_REPAIRED_LEN];
	struct wire_out o = wire_out(extra, sizeof extra);
	const struct log_receipt *receipt;
	struct log_anchor a;
	uint64_t index;
	enum err e;

	if (l->failure != OK)
		return l->failure;
	if (!l->epoch.certified)
		return ERR_LOCKED;
	log_repaired_put(&o, &l->repaired);
	r.extra = wire_written(&o);
	if ((e = log_inside_append(l, &r, &index)) != OK || (e = log_commit(l, &receipt)) != OK)
		return e;
	log_check_count_repair(&l->repaired, &l->chain);
	l->settings.repair = false;
	a = log_inside_anchor(l);
	return log_anchor_sync(l->anchor_fd, &a);
}
