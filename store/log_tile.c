#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/log_record.h"
#include "store/log_tile.h"
#include "store/log_tile_read.h"

struct log_tiler {
	struct log_tiler_settings settings;
	struct merkle             tree;
	uint8_t                   hashes[LOG_TILE_LEVELS][LOG_TILE_WIDTH][SHA256_LEN];
	uint8_t                  *bundle; /* LOG_TILE_WIDTH leaves with their lengths; NULL without entries */
	size_t                    bundle_len;
	enum err                  e;      /* of a put() within merkle_add_seen */
};

#define BUNDLE_MAX ((size_t)LOG_TILE_WIDTH * (2 + LOG_LEAF_MAX))

void
log_tile_path(unsigned level, uint64_t index, unsigned width, char out[LOG_TILE_PATH_MAX])
{
	uint64_t above[7];
	size_t n = 0, at;

	for (uint64_t rest = index / 1000; rest > 0; rest /= 1000)
		above[n++] = rest % 1000;
	if (level == LOG_TILE_ENTRIES)
		at = (size_t)snprintf(out, LOG_TILE_PATH_MAX, "tile/entries/");
	else
		at = (size_t)snprintf(out, LOG_TILE_PATH_MAX, "tile/%u/", level);
	while (n > 0)
		at += (size_t)snprintf(out + at, LOG_TILE_PATH_MAX - at, "x%03" PRIu64 "/", above[--n]);
	at += (size_t)snprintf(out + at, LOG_TILE_PATH_MAX - at, "%03" PRIu64, index % 1000);
	if (width < LOG_TILE_WIDTH)
		snprintf(out + at, LOG_TILE_PATH_MAX - at, ".p/%u", width);
}

enum err
log_tiler_new(const struct log_tiler_settings *settings, struct log_tiler **out)
{
	struct log_tiler *t = calloc(1, sizeof *t);

	if (t == NULL)
		return ERR_NO_MEMORY;
	t->settings = *settings;
	if (settings->entries && (t->bundle = malloc(BUNDLE_MAX)) == NULL) {
		free(t);
		return ERR_NO_MEMORY;
	}
	*out = t;
	return OK;
}

void
log_tiler_free(struct log_tiler **t)
{
	if (*t == NULL)
		return;
	free((*t)->bundle);
	free(*t);
	*t = NULL;
}

const struct merkle *
log_tiler_tree(const struct log_tiler *t)
{
	return &t->tree;
}

/* How many hashes the tile at the right edge of a level has; 0 when all are full. */
static unsigned
edge_width(uint64_t size, unsigned level)
{
	return (unsigned)(size >> 8 * level & (LOG_TILE_WIDTH - 1));
}

enum err
log_tiler_resume(struct log_tiler *t, int dir_fd, uint64_t size)
{
	struct log_tile_reader reader = { dir_fd, size };

	t->bundle_len = 0;
	t->tree = (struct merkle){ .size = 0 };
	for (unsigned level = 0; level < LOG_TILE_LEVELS; level++) {
		unsigned width = edge_width(size, level);
		struct merkle part = { .size = 0 };
		enum err e = width == 0 ? OK :
		    log_tile_read_hashes(&reader, level, (size >> 8 * level) - width, width, t->hashes[level]);

		if (e != OK)
			return e;
		for (unsigned i = 0; i < width; i++)
			merkle_add(&part, t->hashes[level][i]);
		memcpy(t->tree.peaks[8 * level], part.peaks, 8 * sizeof part.peaks[0]);
	}
	t->tree.size = size;
	return OK;
}

static void
put(struct log_tiler *t, unsigned level, uint64_t index, unsigned width)
{
	struct log_tile tile = { level, index, width, { NULL, 0 } };

	if (t->e != OK)
		return;
	if (level == LOG_TILE_ENTRIES)
		tile.bytes = (struct span){ t->bundle, t->bundle_len };
	else
		tile.bytes = (struct span){ t->hashes[level][0], width * SHA256_LEN };
	t->e = t->settings.put(t->settings.arg, &tile);
}

static void
on_node(void *arg, unsigned level, uint64_t index, const uint8_t hash[SHA256_LEN])
{
	struct log_tiler *t = arg;
	unsigned place = (unsigned)(index % LOG_TILE_WIDTH);

	if (level % 8 != 0)
		return;
	memcpy(t->hashes[level / 8][place], hash, SHA256_LEN);
	if (place == LOG_TILE_WIDTH - 1)
		put(t, level / 8, index / LOG_TILE_WIDTH, LOG_TILE_WIDTH);
}

static void
bundle_leaf(struct log_tiler *t, struct span leaf)
{
	struct wire_out o = wire_out(t->bundle + t->bundle_len, BUNDLE_MAX - t->bundle_len);

	wire_put_u16(&o, (uint16_t)leaf.len);
	wire_put_bytes(&o, leaf.p, leaf.len);
	t->bundle_len += o.len;
}

enum err
log_tiler_add(struct log_tiler *t, struct span leaf)
{
	uint8_t hash[SHA256_LEN];

	t->e = leaf.len <= LOG_LEAF_MAX ? OK : ERR_INVALID_CONTENT;
	if (t->e != OK)
		return t->e;
	if (t->bundle != NULL)
		bundle_leaf(t, leaf);
	merkle_leaf(leaf, hash);
	merkle_add_seen(&t->tree, hash, on_node, t);
	if (t->bundle != NULL && t->tree.size % LOG_TILE_WIDTH == 0) {
		put(t, LOG_TILE_ENTRIES, t->tree.size / LOG_TILE_WIDTH - 1, LOG_TILE_WIDTH);
		t->bundle_len = 0;
	}
	return t->e;
}

enum err
log_tiler_finish(struct log_tiler *t)
{
	t->e = OK;
	for (unsigned level = 0; level < LOG_TILE_LEVELS; level++)
		if (edge_width(t->tree.size, level) > 0)
			put(t, level, t->tree.size >> 8 * level >> 8, edge_width(t->tree.size, level));
	if (t->bundle_len > 0)
		put(t, LOG_TILE_ENTRIES, t->tree.size / LOG_TILE_WIDTH, edge_width(t->tree.size, 0));
	return t->e;
}
