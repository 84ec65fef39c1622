#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/log_dir.h"
#include "store/log_io.h"
#include "store/log_seal.h"
#include "store/segment.h"

#define NAME_LEN 20
#define FIXED_LEN (4 + 8 + SHA256_LEN + 2 * 8 + SHA256_LEN + UUID_LEN + SIGN_PUBLIC_LEN + CERT_LEN + 4 * 8 + 4 + 1 + 4)
#define SEAL_MAX (FIXED_LEN + 64 * SHA256_LEN + LOG_SEAL_STATE_MAX)

static const uint8_t magic[4] = { 'A', 'S', 'L', '1' };

static void
put_peaks(struct wire_out *o, const struct merkle *m)
{
	for (int i = 63; i >= 0; i--)
		if (m->size >> i & 1)
			wire_put_bytes(o, m->peaks[i], SHA256_LEN);
}

static void
take_peaks(struct wire_in *in, struct merkle *m)
{
	for (int i = 63; i >= 0; i--)
		if (m->size >> i & 1)
			wire_take_bytes(in, m->peaks[i], SHA256_LEN);
}

enum err
log_seal_put(const struct log_seal *s, uint8_t **bytes, size_t *len)
{
	const struct log_chain *c = &s->chain;
	size_t cap = FIXED_LEN + 64 * SHA256_LEN + s->state.len;
	struct wire_out o;
	uint8_t *buf;

	if (s->state.len > LOG_SEAL_STATE_MAX)
		return ERR_INVALID_ARGUMENT;
	if ((buf = malloc(cap)) == NULL)
		return ERR_NO_MEMORY;
	o = wire_out(buf, cap);
	wire_put_bytes(&o, magic, sizeof magic);
	wire_put_u64(&o, c->size);
	wire_put_bytes(&o, c->previous, sizeof c->previous);
	wire_put_u64(&o, s->segment);
	wire_put_u64(&o, s->end);
	wire_put_bytes(&o, s->segments, sizeof s->segments);
	wire_put_id(&o, c->epoch.id);
	wire_put_bytes(&o, c->epoch.public_key, sizeof c->epoch.public_key);
	cert_put(&o, &s->certificate);
	wire_put_u64(&o, c->n_epochs);
	wire_put_u64(&o, c->n_pending_epochs);
	wire_put_u64(&o, c->n_repairs);
	wire_put_u64(&o, c->n_lost);
	wire_put_u32(&o, c->repaired);
	wire_put_u8(&o, c->manual_lock);
	put_peaks(&o, &c->tree);
	wire_put_u32(&o, (uint32_t)s->state.len);
	wire_put_bytes(&o, s->state.p, s->state.len);
	*bytes = buf;
	*len = o.len;
	return OK;
}

static void
take(struct wire_in *in, struct log_seal *out)
{
	struct log_chain *c = &out->chain;
	uint8_t found[sizeof magic], lock;

	memset(out, 0, sizeof *out);
	wire_take_bytes(in, found, sizeof found);
	c->size = c->tree.size = wire_take_u64(in);
	wire_take_bytes(in, c->previous, sizeof c->previous);
	out->segment = wire_take_u64(in);
	out->end = wire_take_u64(in);
	wire_take_bytes(in, out->segments, sizeof out->segments);
	c->epoch.id = wire_take_id(in);
	wire_take_bytes(in, c->epoch.public_key, sizeof c->epoch.public_key);
	cert_take(in, &out->certificate);
	c->n_epochs = wire_take_u64(in);
	c->n_pending_epochs = wire_take_u64(in);
	c->n_repairs = wire_take_u64(in);
	c->n_lost = wire_take_u64(in);
	c->repaired = wire_take_u32(in);
	lock = wire_take_u8(in);
	take_peaks(in, &c->tree);
	out->state = wire_take_raw(in, wire_take_u32(in));
	c->manual_lock = lock == 1;
	c->epoch.begun = c->epoch.certified = true;
	if (memcmp(found, magic, sizeof found) != 0 || lock > 1)
		in->failed = true;
}

bool
log_seal_take(struct span bytes, const uint8_t log_public[SIGN_PUBLIC_LEN], struct log_seal *out)
{
	struct wire_in in = wire_in(bytes.p, bytes.len);

	take(&in, out);
	return wire_done(&in) && out->segment >= 1 &&
	    out->end > SEGMENT_HEADER_LEN && log_check_cert(&out->certificate, &out->chain.epoch, log_public);
}

static void
name_of(uint64_t size, char name[NAME_LEN + 1])
{
	snprintf(name, NAME_LEN + 1, "%020" PRIu64, size);
}

enum err
log_seal_write(int seal_fd, const struct log_seal *s, uint8_t hash[SHA256_LEN])
{
	char name[NAME_LEN + 1];
	uint8_t *bytes;
	size_t len;
	enum err e;

	if ((e = log_seal_put(s, &bytes, &len)) != OK)
		return e;
	name_of(s->chain.size, name);
	if ((e = log_dir_publish(seal_fd, name, (struct span){ bytes, len })) == OK)
		sha256(bytes, len, hash);
	free(bytes);
	return e;
}

/* 0 for a name of another form. No seal is made of no records. */
static uint64_t
size_of(const char *name)
{
	char again[NAME_LEN + 1];
	uint64_t size = strtoull(name, NULL, 10);

	name_of(size, again);
	return strcmp(name, again) == 0 ? size : 0;
}

/* Keeps the newest, in order. What falls out of the list can be removed. */
static uint64_t
insert(uint64_t sizes[LOG_SEAL_KEPT + 1], uint64_t size)
{
	for (size_t i = 0; i < LOG_SEAL_KEPT + 1; i++) {
		uint64_t there = sizes[i];

		if (size > there) {
			sizes[i] = size;
			size = there;
		}
	}
	return size;
}

void
log_seal_list(int seal_fd, uint64_t sizes[LOG_SEAL_KEPT + 1])
{
	DIR *dir = log_io_entries(seal_fd);
	struct dirent *entry;

	memset(sizes, 0, (LOG_SEAL_KEPT + 1) * sizeof *sizes);
	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
		(void)insert(sizes, size_of(entry->d_name));
	closedir(dir);
}

static enum err
read_all(int fd, uint8_t **bytes, size_t *len)
{
	struct stat st;
	uint8_t *buf;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)SEAL_MAX)
		return ERR_FILE_UNREADABLE;
	if ((buf = malloc((size_t)st.st_size + 1)) == NULL)
		return ERR_NO_MEMORY;
	if (log_io()->pread(fd, buf, (size_t)st.st_size, 0) != st.st_size) {
		free(buf);
		return ERR_FILE_UNREADABLE;
	}
	*bytes = buf;
	*len = (size_t)st.st_size;
	return OK;
}

enum err
log_seal_read(int seal_fd, uint64_t size, uint8_t **bytes, size_t *len, uint8_t hash[SHA256_LEN])
{
	char name[NAME_LEN + 1];
	enum err e;
	int fd;

	name_of(size, name);
	fd = openat(seal_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return ERR_FILE_UNREADABLE;
	e = read_all(fd, bytes, len);
	close(fd);
	if (e == OK)
		sha256(*bytes, *len, hash);
	return e;
}

void
log_seal_prune(int seal_fd)
{
	uint64_t sizes[LOG_SEAL_KEPT + 1];
	char name[NAME_LEN + 1];

	for (log_seal_list(seal_fd, sizes); sizes[LOG_SEAL_KEPT] != 0; log_seal_list(seal_fd, sizes)) {
		name_of(sizes[LOG_SEAL_KEPT], name);
		if (unlinkat(seal_fd, name, 0) != 0)
			return;
	}
}

bool
log_seal_segments(int seg_fd, uint64_t number, uint8_t hash[SHA256_LEN])
{
	struct sha256 h;
	bool good = true;

	sha256_start(&h);
	for (uint64_t n = 1; n <= number && good; n++) {
		uint8_t bytes[8 + SEGMENT_HEADER_LEN];
		struct wire_out o = wire_out(bytes, sizeof bytes);
		struct segment s = SEGMENT_NONE;

		good = segment_open(seg_fd, n, &s) == OK &&
		    log_io()->pread(s.fd, bytes + 8, SEGMENT_HEADER_LEN, 0) == SEGMENT_HEADER_LEN;
		wire_put_u64(&o, s.bytes);
		if (good)
			sha256_add(&h, bytes, sizeof bytes);
		segment_close(&s);
	}
	sha256_end(&h, hash);
	return good;
}
