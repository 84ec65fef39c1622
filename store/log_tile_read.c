#include <fcntl.h>
#include <unistd.h>

#include "store/log_io.h"
#include "store/log_tile_read.h"

static int
open_tile(const struct log_tile_reader *r, unsigned level, uint64_t index)
{
	uint64_t n_nodes = r->size >> 8 * level;
	unsigned width = index < n_nodes / LOG_TILE_WIDTH ? LOG_TILE_WIDTH : (unsigned)(n_nodes % LOG_TILE_WIDTH);
	char path[LOG_TILE_PATH_MAX];

	log_tile_path(level, index, width, path);
	return openat(r->dir_fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

enum err
log_tile_read_hashes(const struct log_tile_reader *r, unsigned level, uint64_t first, unsigned n,
    uint8_t out[][SHA256_LEN])
{
	int fd = open_tile(r, level, first / LOG_TILE_WIDTH);
	size_t len = (size_t)n * SHA256_LEN;
	ssize_t got;

	if (fd < 0)
		return ERR_FILE_UNREADABLE;
	got = log_io()->pread(fd, out, len, (off_t)(first % LOG_TILE_WIDTH * SHA256_LEN));
	close(fd);
	return got == (ssize_t)len ? OK : ERR_FILE_UNREADABLE;
}

enum err
log_tile_read_node(void *arg, unsigned level, uint64_t index, uint8_t out[SHA256_LEN])
{
	uint8_t below[LOG_TILE_WIDTH / 2][SHA256_LEN];
	unsigned n = 1U << level % 8;
	struct merkle m = { .size = 0 };
	enum err e = log_tile_read_hashes(arg, level / 8, index << level % 8, n, below);

	if (e != OK)
		return e;
	for (unsigned i = 0; i < n; i++)
		merkle_add(&m, below[i]);
	merkle_root(&m, out);
	return OK;
}
