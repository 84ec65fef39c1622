/*
 * log_tile: a log as the static files of C2SP tlog-tiles. A tile holds the
 * hashes of up to 256 neighbouring nodes, whose levels are multiples of eight;
 * an entry bundle holds up to 256 leaves, each behind a u16 length. A full one
 * never changes; a partial one says its width in its path.
 * Source: C2SP tlog-tiles; docs/store-format.md, "Tiles".
 */
#ifndef STORE_LOG_TILE_H
#define STORE_LOG_TILE_H

#include "mailbox/err.h"
#include "store/merkle_proof.h"

#define LOG_TILE_WIDTH    256
#define LOG_TILE_LEVELS   8 /* 2^64 leaves */
#define LOG_TILE_ENTRIES  LOG_TILE_LEVELS /* as a level: the entry bundles */
#define LOG_TILE_PATH_MAX 64

/* "tile/0/x001/234.p/17", "tile/entries/000": width LOG_TILE_WIDTH is a full one. */
void log_tile_path(unsigned level, uint64_t index, unsigned width, char out[LOG_TILE_PATH_MAX]);

/*
 * Makes the tiles of a log from its leaves in order; 64 KiB and one bundle of
 * memory, whatever the size.
 */
struct log_tiler;

struct log_tile {
	unsigned    level;
	uint64_t    index;
	unsigned    width;
	struct span bytes; /* valid during put() */
};

struct log_tiler_settings {
	bool     entries; /* the bundles too */
	enum err (*put)(void *arg, const struct log_tile *t);
	void    *arg;
};

/* ERR_NO_MEMORY. */
enum err log_tiler_new(const struct log_tiler_settings *settings, struct log_tiler **out);
void     log_tiler_free(struct log_tiler **t);

/*
 * Goes on where the tiles of a tree of `size` leaves end, a multiple of 256,
 * from the tiles that lie in a directory. They are believed: whoever resumes
 * compares a root afterwards. ERR_FILE_UNREADABLE: one is missing or too short.
 */
enum err log_tiler_resume(struct log_tiler *t, int dir_fd, uint64_t size);

/* One more leaf. Full tiles are put as they come about; what put() answers. */
enum err log_tiler_add(struct log_tiler *t, struct span leaf);

/* Puts the partial tiles. More leaves may follow. */
enum err log_tiler_finish(struct log_tiler *t);

/* So far. */
const struct merkle *log_tiler_tree(const struct log_tiler *t);

#endif
