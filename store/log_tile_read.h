/*
 * log_tile_read: nodes of a tree from the tiles in a directory. They are
 * believed: whoever uses them compares a root, or checks the proof.
 */
#ifndef STORE_LOG_TILE_READ_H
#define STORE_LOG_TILE_READ_H

#include "store/log_tile.h"

struct log_tile_reader {
	int      dir_fd; /* in which `tile` lies */
	uint64_t size;   /* of the tree, whose partial tiles are read too */
};

/*
 * The hashes of n nodes of a level of tiles (level 1: of 256 leaves each), all
 * of them in one tile. ERR_FILE_UNREADABLE: it is missing or too short.
 */
enum err log_tile_read_hashes(const struct log_tile_reader *r, unsigned level, uint64_t first, unsigned n,
    uint8_t out[][SHA256_LEN]);

/* A merkle_source's node(); arg is a struct log_tile_reader. ERR_FILE_UNREADABLE. */
enum err log_tile_read_node(void *arg, unsigned level, uint64_t index, uint8_t out[SHA256_LEN]);

#endif
