#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/log_inside.h"
#include "store/log_io.h"
#include "store/log_recover.h"

static bool
bytes_in_range(uint64_t bytes)
{
	return bytes == 0 || (bytes >= SEGMENT_BYTES_MIN && bytes <= SEGMENT_BYTES_MAX);
}

static enum err
open_all(struct log *l, const struct log_settings *settings)
{
	struct log_anchor a;
	enum err e;

	if ((e = log_group_start(&l->group)) != OK ||
	    (e = log_dir_open(settings->dir, &l->dir)) != OK ||
	    (e = log_recover(settings, &l->dir, &l->chain, &l->room)) != OK)
		return e;
	l->waiting_lock = l->chain.manual_lock;
	l->found.size = l->chain.size;
	merkle_root(&l->chain.tree, l->found.root);
	/* Until a repair is recorded the anchor says what was lost. */
	if ((e = log_anchor_open(l->dir.fd, &l->anchor_fd)) != OK || (e = log_inside_begin_epoch(l)) != OK ||
	    settings->repair)
		return e;
	a = log_inside_anchor(l);
	if ((e = log_anchor_sync(l->anchor_fd, &a)) == OK && log_io()->fsync(l->dir.fd) != 0)
		e = ERR_AUDIT_UNAVAILABLE;
	return e;
}

enum err
log_open(const struct log_settings *settings, struct log **out)
{
	struct log *l;
	enum err e;

	if (!bytes_in_range(settings->first_segment_bytes) || !bytes_in_range(settings->segment_bytes))
		return ERR_INVALID_ARGUMENT;
	if ((l = calloc(1, sizeof *l)) == NULL)
		return ERR_NO_MEMORY;
	l->dir = LOG_DIR_NONE;
	l->room = LOG_ROOM_NONE;
	l->anchor_fd = -1;
	l->settings = *settings;
	l->settings.dir = NULL;
	l->settings.log_public = l->log_public;
	memcpy(l->log_public, settings->log_public, sizeof l->log_public);
	if ((e = open_all(l, settings)) != OK) {
		log_inside_latch(l, e);
		log_close(&l);
		return e;
	}
	*out = l;
	return OK;
}

/* A log that failed leaves its anchor where it was: it may be ahead of what the disk has. */
void
log_close(struct log **l)
{
	struct log_anchor a;

	if (*l == NULL)
		return;
	if ((*l)->failure == OK && !(*l)->settings.repair) {
		a = log_inside_anchor(*l);
		(void)log_anchor_sync((*l)->anchor_fd, &a);
	}
	if ((*l)->anchor_fd >= 0)
		close((*l)->anchor_fd);
	log_room_close(&(*l)->room);
	log_dir_close(&(*l)->dir);
	log_group_end(&(*l)->group);
	signer_free(&(*l)->epoch_key);
	signer_free(&(*l)->next_key);
	free(*l);
	*l = NULL;
}

