#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escrow/hash.h"
#include "mailbox/wire.h"
#include "store/ban.h"

#define VERSION      1
#define SLOT_LEN     512
#define SLOT_GAP     4096 /* slots in two pages: no sector that is torn holds both */
#define FILE_LEN     (2 * SLOT_GAP)
#define HASHED_LEN   (SLOT_LEN - SHA256_LEN)

struct ban {
	char            *path;
	int              fd;       /* -1 after a failure, until the next try */
	uint64_t         sequence; /* of the newest slot */
	int              newest;
	struct ban_state state;
};

static const struct ban_state banning = { true, true };

static void
slot_put(uint8_t slot[SLOT_LEN], uint64_t sequence, struct ban_state state)
{
	struct wire_out o = wire_out(slot, SLOT_LEN);

	memset(slot, 0, SLOT_LEN);
	wire_put_u8(&o, VERSION);
	wire_put_u64(&o, sequence);
	wire_put_u8(&o, state.manual_lock);
	wire_put_u8(&o, state.disabled);
	sha256(slot, HASHED_LEN, slot + HASHED_LEN);
}

static bool
slot_take(const uint8_t slot[SLOT_LEN], uint64_t *sequence, struct ban_state *state)
{
	struct wire_in in = wire_in(slot, SLOT_LEN);
	uint8_t again[SLOT_LEN];
	uint8_t version = wire_take_u8(&in), manual_lock, disabled;
	uint64_t n = wire_take_u64(&in);

	manual_lock = wire_take_u8(&in);
	disabled = wire_take_u8(&in);
	if (version != VERSION || n == 0 || manual_lock > 1 || disabled > 1)
		return false;
	*state = (struct ban_state){ manual_lock == 1, disabled == 1 };
	*sequence = n;
	slot_put(again, n, *state);
	return memcmp(again, slot, SLOT_LEN) == 0;
}

static bool
write_at(int fd, const uint8_t *p, size_t len, off_t offset)
{
	ssize_t n;

	while (len > 0) {
		if ((n = pwrite(fd, p, len, offset)) < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
		offset += n;
	}
	return true;
}

static enum err
errno_meaning(void)
{
	return errno == ENOSPC || errno == EDQUOT ? ERR_STORAGE_FULL : ERR_STORAGE_FAILED;
}

/* Every byte is written, so that the file needs no room ever again. */
static enum err
fill(int fd, struct ban_state state)
{
	uint8_t file[FILE_LEN] = { 0 };

	slot_put(file, 1, state);
	slot_put(file + SLOT_GAP, 2, state);
	if (!write_at(fd, file, sizeof file, 0) || fsync(fd) != 0)
		return errno_meaning();
	return OK;
}

static enum err
sync_parent(const char *path)
{
	char *copy = strdup(path);
	int fd = copy == NULL ? -1 : open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum err e = fd < 0 || fsync(fd) != 0 ? ERR_STORAGE_FAILED : OK;

	if (fd >= 0)
		close(fd);
	free(copy);
	return e;
}

/* Under another name first: the file is there in full or not at all. */
static enum err
make(const char *path, struct ban_state state)
{
	char *draft;
	enum err e;
	int fd;

	if (asprintf(&draft, "%s.new", path) < 0)
		return ERR_NO_MEMORY;
	unlink(draft);
	if ((fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) < 0)
		e = errno_meaning();
	else if ((e = fill(fd, state)) == OK && rename(draft, path) != 0)
		e = errno_meaning();
	if (fd >= 0)
		close(fd);
	if (e != OK)
		unlink(draft);
	free(draft);
	return e == OK ? sync_parent(path) : e;
}

/* ERR_NOT_FOUND: there is none. ERR_STORAGE_CORRUPT: it is ours, but not of that length. */
static enum err
open_file(const char *path, int *out)
{
	struct stat s;
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	enum err e = OK;

	if (fd < 0)
		return errno == ENOENT ? ERR_NOT_FOUND : ERR_STORAGE_FAILED;
	if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != geteuid())
		e = ERR_STORAGE_FAILED;
	else if (s.st_size != FILE_LEN)
		e = ERR_STORAGE_CORRUPT;
	if (e == OK)
		*out = fd;
	else
		close(fd);
	return e;
}

static enum err
open_or_make(const char *path, int *out)
{
	enum err e = open_file(path, out);

	if (e != ERR_NOT_FOUND && e != ERR_STORAGE_CORRUPT)
		return e;
	if ((e = make(path, e == ERR_NOT_FOUND ? (struct ban_state){ false, false } : banning)) != OK)
		return e;
	e = open_file(path, out);
	return e == OK ? OK : ERR_STORAGE_FAILED;
}

static enum err
read_slots(struct ban *b)
{
	struct ban_state state;
	uint8_t slot[SLOT_LEN];
	uint64_t sequence;

	b->state = banning;
	for (int i = 0; i < 2; i++) {
		if (pread(b->fd, slot, sizeof slot, i * SLOT_GAP) != sizeof slot)
			return ERR_STORAGE_FAILED;
		if (!slot_take(slot, &sequence, &state) || sequence <= b->sequence)
			continue;
		b->sequence = sequence;
		b->newest = i;
		b->state = state;
	}
	return OK;
}

enum err
ban_open(const char *path, struct ban **out)
{
	struct ban *b = calloc(1, sizeof *b);
	enum err e = ERR_NO_MEMORY;

	if (b == NULL)
		return ERR_NO_MEMORY;
	b->fd = -1;
	if ((b->path = strdup(path)) == NULL)
		goto close;
	if ((e = open_or_make(path, &b->fd)) != OK)
		goto close;
	if ((e = read_slots(b)) != OK)
		goto close;
	*out = b;
	return OK;

close:
	ban_close(&b);
	return e;
}

void
ban_close(struct ban **b)
{
	if (*b == NULL)
		return;
	if ((*b)->fd >= 0)
		close((*b)->fd);
	free((*b)->path);
	free(*b);
	*b = NULL;
}

struct ban_state
ban_state(const struct ban *b)
{
	return b->state;
}

/* The older slot first: until it is synced the newest one is what a reader finds. */
static bool
write_older(struct ban *b)
{
	uint8_t slot[SLOT_LEN];
	int older = 1 - b->newest;

	slot_put(slot, b->sequence + 1, b->state);
	if (!write_at(b->fd, slot, sizeof slot, older * SLOT_GAP) || fdatasync(b->fd) != 0)
		return false;
	b->sequence++;
	b->newest = older;
	return true;
}

enum err
ban_set(struct ban *b, struct ban_state state)
{
	b->state = state;
	if (b->fd < 0 && open_file(b->path, &b->fd) != OK)
		return ERR_STORAGE_FAILED;
	if (write_older(b) && write_older(b))
		return OK;
	close(b->fd);
	b->fd = -1;
	return ERR_STORAGE_FAILED;
}
