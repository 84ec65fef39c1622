#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/log_io.h"
#include "store/segment.h"

#define VERSION 1
#define RESERVE_MAX ((uint64_t)1 << 20)

static const uint8_t magic[4] = { 'A', 'S', 'G', '1' };

void
segment_header_put(struct wire_out *o, const struct segment_header *h)
{
	size_t start = o->len;
	uint8_t checksum[SHA256_LEN];

	wire_put_bytes(o, magic, sizeof magic);
	wire_put_u16(o, VERSION);
	wire_put_id(o, h->library);
	wire_put_u64(o, h->number);
	wire_put_u64(o, h->first);
	wire_put_u64(o, h->bytes);
	wire_put_bytes(o, h->previous, sizeof h->previous);
	sha256(o->p + start, o->len - start, checksum);
	wire_put_bytes(o, checksum, sizeof checksum);
}

enum segment_header_state
segment_header_take(struct span bytes, struct segment_header *out)
{
	struct span head = { bytes.p, bytes.len < SEGMENT_HEADER_LEN ? bytes.len : SEGMENT_HEADER_LEN };
	struct wire_in in = wire_in(bytes.p, bytes.len);
	uint8_t found[sizeof magic], checksum[SHA256_LEN], computed[SHA256_LEN];
	uint16_t version;

	if (wire_is_zero(head))
		return SEGMENT_BLANK;
	wire_take_bytes(&in, found, sizeof found);
	version = wire_take_u16(&in);
	out->library = wire_take_id(&in);
	out->number = wire_take_u64(&in);
	out->first = wire_take_u64(&in);
	out->bytes = wire_take_u64(&in);
	wire_take_bytes(&in, out->previous, sizeof out->previous);
	wire_take_bytes(&in, checksum, sizeof checksum);
	if (in.failed)
		return SEGMENT_TORN;
	sha256(bytes.p, SEGMENT_HEADER_LEN - SHA256_LEN, computed);
	if (memcmp(found, magic, sizeof magic) != 0 || version != VERSION ||
	    memcmp(checksum, computed, sizeof computed) != 0)
		return SEGMENT_TORN;
	return SEGMENT_GOOD;
}

void
segment_name(uint64_t number, char out[SEGMENT_NAME_LEN + 1])
{
	/* Ten digits hold every number that segment_number gives; more would be cut off. */
	snprintf(out, SEGMENT_NAME_LEN + 1, "%010" PRIu64 ".seg", number % 10000000000u);
}

uint64_t
segment_number(const char *name)
{
	uint64_t number = 0;

	if (strlen(name) != SEGMENT_NAME_LEN || strcmp(name + 10, ".seg") != 0)
		return 0;
	for (size_t i = 0; i < 10; i++) {
		if (name[i] < '0' || name[i] > '9')
			return 0;
		number = number * 10 + (uint64_t)(name[i] - '0');
	}
	return number;
}

static bool
is_ours(const struct stat *st)
{
	return S_ISREG(st->st_mode) && (st->st_mode & 07777) == 0600 && st->st_uid == geteuid() &&
	    st->st_nlink >= 1;
}

enum err
segment_open(int seg_fd, uint64_t number, struct segment *out)
{
	char name[SEGMENT_NAME_LEN + 1];
	struct stat st;
	int fd;

	segment_name(number, name);
	fd = openat(seg_fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0) {
		if (fd >= 0)
			close(fd);
		return ERR_AUDIT_UNAVAILABLE;
	}
	if (!is_ours(&st)) {
		close(fd);
		return ERR_AUDIT_TAMPERED;
	}
	*out = (struct segment){ .fd = fd, .number = number, .bytes = (uint64_t)st.st_size };
	return OK;
}

void
segment_close(struct segment *s)
{
	if (s->fd >= 0)
		close(s->fd);
	*s = SEGMENT_NONE;
}

enum err
segment_intact(const struct segment *s, int seg_fd)
{
	char name[SEGMENT_NAME_LEN + 1];
	struct stat opened, named;

	segment_name(s->number, name);
	if (fstat(s->fd, &opened) != 0 || fstatat(seg_fd, name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !is_ours(&opened) || (uint64_t)opened.st_size != s->bytes ||
	    opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
		return ERR_AUDIT_TAMPERED;
	return OK;
}

static void
failure_name(uint64_t number, char out[SEGMENT_NAME_LEN + 4])
{
	segment_name(number, out);
	memcpy(out + SEGMENT_NAME_LEN - 4, ".failed", 8);
}

void
segment_note_failure(int seg_fd, uint64_t number)
{
	char name[SEGMENT_NAME_LEN + 4];
	int fd;

	failure_name(number, name);
	fd = openat(seg_fd, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	close(fd);
	(void)log_io()->fsync(seg_fd);
}

bool
segment_has_failed(int seg_fd, uint64_t number)
{
	char name[SEGMENT_NAME_LEN + 4];
	struct stat st;

	failure_name(number, name);
	return fstatat(seg_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool
segment_is_spare(const struct segment *s, int seg_fd)
{
	struct stat st;

	return s->bytes >= SEGMENT_BYTES_MIN && s->bytes <= SEGMENT_BYTES_MAX && fstat(s->fd, &st) == 0 && st.st_nlink == 1 &&
	    !segment_has_failed(seg_fd, s->number);
}

uint64_t
segment_reserve(uint64_t bytes)
{
	uint64_t quarter = bytes / 4;

	return quarter < RESERVE_MAX ? quarter : RESERVE_MAX;
}
