#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/log_checkpoint.h"
#include "store/log_dir.h"
#include "store/log_export.h"
#include "store/log_place.h"
#include "store/log_read.h"
#include "store/log_tile.h"

#define CACHE    "tile"
#define DELEGATE "delegate.pub"

struct export {
	const char           *log_dir;
	bool                  cache;     /* only hashes, in log_dir */
	bool                  anew;      /* nothing that is there is believed */
	struct log_checkpoint newest;
	uint8_t               log_public[SIGN_PUBLIC_LEN];
	struct log_place      place;
	int                   tiles_fd;  /* where `tile` lies */
	bool                  has_old;
	struct log_checkpoint old;       /* up to which tiles are there */
	struct log_tiler     *tiler;
	enum err              e;         /* of a step within log_walk */
	struct log_export     result;
};

static enum err
put_tile(void *arg, const struct log_tile *t)
{
	struct export *x = arg;
	char path[LOG_TILE_PATH_MAX];

	log_tile_path(t->level, t->index, t->width, path);
	return log_place_put(&x->place, path + (x->cache ? sizeof CACHE : 0), t->bytes);
}

/* Does the log have this root at this size, as far as its leaves were added? */
static bool
has_root(const struct export *x, const struct log_note *n)
{
	const struct merkle *tree = log_tiler_tree(x->tiler);
	uint8_t root[SHA256_LEN];

	merkle_root(tree, root);
	return tree->size == n->size && memcmp(root, n->root, sizeof root) == 0;
}

static bool
passes_old(struct export *x)
{
	if (x->has_old && log_tiler_tree(x->tiler)->size == x->old.note.size && !has_root(x, &x->old.note))
		x->e = ERR_AUDIT_DIVERGED;
	return x->e == OK;
}

static bool
add_record(void *arg, const struct log_record *r)
{
	static uint8_t buf[LOG_LEAF_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct export *x = arg;
	uint64_t size = log_tiler_tree(x->tiler)->size;

	if (!passes_old(x) || size == x->newest.note.size)
		return false;
	log_record_put(&o, r);
	x->e = r->index != size || o.failed ? ERR_AUDIT_TAMPERED : log_tiler_add(x->tiler, wire_written(&o));
	return x->e == OK;
}

static enum err
walk(struct export *x)
{
	uint64_t from = log_tiler_tree(x->tiler)->size;
	enum err e = from == x->newest.note.size ? OK : log_walk(x->log_dir, from, add_record, x);

	if (e != OK || !passes_old(x))
		return e != OK ? e : x->e;
	if (!has_root(x, &x->newest.note))
		return ERR_AUDIT_TAMPERED;
	return log_tiler_finish(x->tiler);
}

static enum err
make_tiles(struct export *x)
{
	struct log_tiler_settings settings = { .entries = !x->cache, .put = put_tile, .arg = x };
	uint64_t from = x->has_old ? x->old.note.size - x->old.note.size % LOG_TILE_WIDTH : 0;
	enum err e;

	if ((e = log_tiler_new(&settings, &x->tiler)) != OK)
		return e;
	/* Tiles that are lost are made anew. */
	if (log_tiler_resume(x->tiler, x->tiles_fd, from) != OK)
		(void)log_tiler_resume(x->tiler, x->tiles_fd, 0);
	return walk(x);
}

/* What an earlier export left: nothing, or a checkpoint of this log that is not ahead of it. */
static enum err
find_old(struct export *x)
{
	enum err e = x->anew ? ERR_NOT_FOUND : log_checkpoint_read_at(x->place.dir_fd, "checkpoint", &x->old);

	if (e == ERR_NOT_FOUND || (e != OK && x->cache))
		return OK;
	if (e != OK)
		return e == ERR_INVALID_CONTENT || e == ERR_FILE_UNREADABLE ? ERR_EXPORT_FOREIGN : e;
	x->has_old = true;
	e = log_checkpoint_vouched(&x->old, x->log_dir, x->newest.note.origin, x->log_public);
	if (e == OK && x->old.note.size > x->newest.note.size)
		e = ERR_AUDIT_DIVERGED;
	if (e != OK && x->cache) {
		x->has_old = false;
		return OK;
	}
	return e == ERR_AUDIT_TAMPERED ? ERR_EXPORT_FOREIGN : e;
}

static enum err
put_key(struct export *x)
{
	char text[LOG_KEY_TEXT_MAX + 1];

	log_key_text(x->newest.note.origin, x->log_public, text);
	return log_place_put(&x->place, "key.pub", (struct span){ (const uint8_t *)text, strlen(text) });
}

/* The key of a delegate that signed. It may be another one than at an earlier checkpoint. */
static enum err
put_delegate(struct export *x)
{
	char text[LOG_KEY_TEXT_MAX + 1], name[LOG_ORIGIN_MAX + 1];
	uint8_t key[SIGN_PUBLIC_LEN];

	if (memcmp(x->newest.signed_by, x->log_public, SIGN_PUBLIC_LEN) == 0)
		return OK;
	if (log_dir_has(x->place.dir_fd, DELEGATE) &&
	    (log_key_read_at(x->place.dir_fd, DELEGATE, name, key) != OK || strcmp(name, x->newest.note.origin) != 0))
		return ERR_EXPORT_FOREIGN;
	log_key_text(x->newest.note.origin, x->newest.signed_by, text);
	return log_place_replace(&x->place, DELEGATE, (struct span){ (const uint8_t *)text, strlen(text) });
}

static enum err
publish(struct export *x)
{
	enum err e = x->cache ? OK : log_place_sync(&x->place);

	if (e == OK && !x->cache)
		e = put_delegate(x);
	if (e == OK)
		e = log_place_replace(&x->place, "checkpoint", (struct span){ x->newest.bytes, x->newest.len });
	x->result = (struct log_export){ x->newest.note.size, x->has_old ? x->old.note.size : 0, x->place.n_new };
	return e;
}

/* A cache at the newest checkpoint is left as it is: who finds it wrong makes it anew. */
static bool
is_done(const struct export *x)
{
	return x->cache && x->has_old && x->old.len == x->newest.len &&
	    memcmp(x->old.bytes, x->newest.bytes, x->newest.len) == 0;
}

static enum err
bring_up(struct export *x)
{
	enum err e;

	/* A folder of another log, or of another use, is refused before anything is in it. */
	if ((e = find_old(x)) != OK || (!x->cache && (e = put_key(x)) != OK) || is_done(x))
		return e;
	e = make_tiles(x);
	return e != OK ? e : publish(x);
}

static enum err
run(struct export *x, int dir_fd, const char *out)
{
	enum err e = log_checkpoint_newest(x->log_dir, NULL, &x->newest, x->log_public);

	if (e != OK)
		return e;
	if ((e = log_place_open(&x->place, dir_fd, out)) == OK) {
		x->tiles_fd = x->cache ? dir_fd : x->place.dir_fd;
		e = bring_up(x);
	}
	log_tiler_free(&x->tiler);
	log_place_close(&x->place);
	log_checkpoint_free(&x->old);
	log_checkpoint_free(&x->newest);
	return e;
}

enum err
log_export(const char *log_dir, const char *out, struct log_export *result)
{
	struct export x = { .log_dir = log_dir, .place = { .dir_fd = -1, .mode = 0644 } };
	enum err e = run(&x, AT_FDCWD, out);

	if (e == OK)
		*result = x.result;
	return e;
}

enum err
log_export_cache(const char *log_dir, bool anew)
{
	struct export x = { .log_dir = log_dir, .cache = true, .anew = anew,
	    .place = { .dir_fd = -1, .mode = 0600, .ours = true } };
	int dir_fd = open(log_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum err e;

	if (dir_fd < 0)
		return ERR_FILE_UNREADABLE;
	e = run(&x, dir_fd, CACHE);
	close(dir_fd);
	return e;
}
