#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escrow/cert.h"
#include "store/log_aside.h"
#include "store/log_checkpoint.h"
#include "store/log_dir.h"
#include "store/log_io.h"
#include "store/log_read.h"

static enum err
read_note(int fd, struct log_checkpoint *c)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) != 0)
		return ERR_FILE_UNREADABLE;
	if (!S_ISREG(st.st_mode))
		return ERR_INVALID_CONTENT;
	if ((c->bytes = malloc(LOG_NOTE_MAX + 2)) == NULL)
		return ERR_NO_MEMORY;
	if ((n = log_io()->pread(fd, c->bytes, LOG_NOTE_MAX + 1, 0)) < 0)
		return ERR_FILE_UNREADABLE;
	c->len = (size_t)n;
	c->bytes[n] = '\0';
	return log_note_take((struct span){ c->bytes, c->len }, &c->note);
}

enum err
log_checkpoint_read_at(int dir_fd, const char *path, struct log_checkpoint *out)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct log_checkpoint c = { .len = 0 };
	enum err e;

	if (fd < 0)
		return errno == ENOENT ? ERR_NOT_FOUND : errno == ELOOP ? ERR_INVALID_CONTENT : ERR_FILE_UNREADABLE;
	e = read_note(fd, &c);
	close(fd);
	if (e == OK)
		*out = c;
	else
		free(c.bytes);
	return e;
}

void
log_checkpoint_free(struct log_checkpoint *c)
{
	free(c->bytes);
	*c = (struct log_checkpoint){ .len = 0 };
}

/* A delegate signs in an epoch that names it, and an epoch ends at 65,536 records: its certificate is mostly this near. */
#define EPOCH_REACH 70000

/* The search for a delegate that signed. */
struct search {
	struct log_checkpoint *checkpoint;
	const char            *origin;
	const uint8_t         *log_public;
	enum log_note_vouch    found;
};

/* In an epoch record that carries one, the certificate stands last. */
static bool
take_cert(const struct log_record *r, struct cert *c)
{
	struct wire_in in = wire_in(r->extra.p, r->extra.len);

	if (r->type != LOG_EPOCH || r->extra.len <= CERT_LEN)
		return false;
	(void)wire_take_raw(&in, r->extra.len - CERT_LEN);
	cert_take(&in, c);
	return wire_done(&in);
}

static enum log_note_vouch
look_at(struct log_checkpoint *c, const char *origin, const uint8_t key[SIGN_PUBLIC_LEN])
{
	memcpy(c->signed_by, key, SIGN_PUBLIC_LEN);
	return log_note_vouched(&c->note, origin, key);
}

static bool
look_for_delegate(void *arg, const struct log_record *r)
{
	struct search *s = arg;
	struct cert c;

	if (take_cert(r, &c) && c.delegated && cert_valid(&c, s->log_public))
		s->found = look_at(s->checkpoint, s->origin, c.delegation.delegate);
	return s->found == LOG_NOTE_UNSIGNED;
}

enum err
log_checkpoint_vouched(struct log_checkpoint *c, const char *log_dir, const char *origin,
    const uint8_t log_public[SIGN_PUBLIC_LEN])
{
	struct search s = { c, origin, log_public, LOG_NOTE_UNSIGNED };
	uint64_t near = c->note.size > EPOCH_REACH ? c->note.size - EPOCH_REACH : 0;
	enum err e = OK;

	if (strcmp(c->note.origin, origin) != 0)
		return ERR_AUDIT_TAMPERED;
	s.found = look_at(c, origin, log_public);
	if (s.found == LOG_NOTE_UNSIGNED)
		e = log_walk(log_dir, near, look_for_delegate, &s);
	if (s.found == LOG_NOTE_UNSIGNED && e == OK && near > 0)
		e = log_walk(log_dir, 0, look_for_delegate, &s);
	if (e != OK)
		return e;
	return s.found == LOG_NOTE_SIGNED ? OK : ERR_AUDIT_TAMPERED;
}

static enum err
newest(int dir_fd, const char *log_dir, const char *key_file, struct log_checkpoint *c,
    uint8_t log_public[SIGN_PUBLIC_LEN])
{
	char origin[LOG_ORIGIN_MAX + 1];
	enum err e = log_key_find(dir_fd, key_file, origin, log_public);

	if (e != OK)
		return e;
	if ((e = log_checkpoint_read_at(dir_fd, "checkpoint", c)) != OK)
		return e == ERR_INVALID_CONTENT ? ERR_AUDIT_TAMPERED : e;
	if ((e = log_checkpoint_vouched(c, log_dir, origin, log_public)) != OK)
		log_checkpoint_free(c);
	return e;
}

enum err
log_checkpoint_newest(const char *log_dir, const char *key_file, struct log_checkpoint *out,
    uint8_t log_public[SIGN_PUBLIC_LEN])
{
	int dir_fd = open(log_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum err e;

	if (dir_fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_FILE_UNREADABLE;
	e = newest(dir_fd, log_dir, key_file, out, log_public);
	close(dir_fd);
	return e;
}

/* A folder in its place gives way; anything else does to the rename. */
static enum err
put_note(int dir_fd, const char *name, struct span bytes)
{
	struct stat st;
	enum err e;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
	    (e = log_aside_foreign(dir_fd)) != OK)
		return e;
	return log_dir_publish(dir_fd, name, bytes);
}

enum err
log_checkpoint_publish(const char *log_dir, struct span note, const char *origin, const uint8_t *delegate)
{
	int fd = open(log_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char key[LOG_KEY_TEXT_MAX + 1];
	enum err e = OK;

	if (fd < 0)
		return ERR_AUDIT_UNAVAILABLE;
	if (delegate != NULL) {
		log_key_text(origin, delegate, key);
		e = put_note(fd, "delegate.pub", (struct span){ (const uint8_t *)key, strlen(key) });
	}
	if (e == OK)
		e = put_note(fd, "checkpoint", note);
	close(fd);
	return e;
}
