#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "escrow/peer.h"

/* Fields of stat after the name, counted from the state, which is proc(5)'s number 3. */
#define FIELD_SESSION 3
#define FIELD_TTY     4
#define FIELD_START   19

/* The number that the text starts with, perhaps with a minus. False: none, or it does not fit. */
static bool
take_number(struct span *text, int64_t *out)
{
	bool minus = text->len > 0 && text->p[0] == '-';
	size_t i = minus;
	int64_t v = 0;

	for (; i < text->len && text->p[i] >= '0' && text->p[i] <= '9'; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, text->p[i] - '0', &v))
			return false;
	if (i == minus)
		return false;
	*out = minus ? -v : v;
	*text = (struct span){ text->p + i, text->len - i };
	return true;
}

static bool
number_field(struct span fields, unsigned wanted, int64_t *out)
{
	const uint8_t *blank;

	for (unsigned i = 0; i < wanted; i++) {
		if (fields.len == 0 || (blank = memchr(fields.p, ' ', fields.len)) == NULL)
			return false;
		fields.len -= (size_t)(blank + 1 - fields.p);
		fields.p = blank + 1;
	}
	return take_number(&fields, out) && fields.len > 0 &&
	    (fields.p[0] == ' ' || fields.p[0] == '\n');
}

enum err
peer_stat_parse(struct span text, struct peer_stat *out)
{
	const uint8_t *name_end = text.len > 0 ? memrchr(text.p, ')', text.len) : NULL;
	int64_t session, tty, start;
	struct span fields;

	if (name_end == NULL || text.p + text.len - name_end < 2 || name_end[1] != ' ')
		return ERR_UNSUPPORTED;
	fields.p = name_end + 2;
	fields.len = (size_t)(text.p + text.len - fields.p);
	if (!number_field(fields, FIELD_SESSION, &session) ||
	    !number_field(fields, FIELD_TTY, &tty) || !number_field(fields, FIELD_START, &start))
		return ERR_UNSUPPORTED;
	if (session < 0 || session > INT32_MAX || tty < INT32_MIN || tty > UINT32_MAX || start < 0)
		return ERR_UNSUPPORTED;
	*out = (struct peer_stat){
		.session = (pid_t)session,
		.tty = (uint32_t)tty,
		.start_ticks = (uint64_t)start,
	};
	return OK;
}

enum err
peer_uid_parse(struct span text, uid_t *out)
{
	static const char label[] = "\nUid:\t";
	const uint8_t *at = text.len > 0 ? memmem(text.p, text.len, label, strlen(label)) : NULL;
	int64_t real, effective;
	struct span rest;

	if (at == NULL)
		return ERR_UNSUPPORTED;
	rest.p = at + strlen(label);
	rest.len = (size_t)(text.p + text.len - rest.p);
	if (!take_number(&rest, &real) || rest.len == 0 || rest.p[0] != '\t')
		return ERR_UNSUPPORTED;
	rest = (struct span){ rest.p + 1, rest.len - 1 };
	if (!take_number(&rest, &effective) || effective < 0 || effective > UINT32_MAX)
		return ERR_UNSUPPORTED;
	*out = (uid_t)effective;
	return OK;
}

static enum err
open_process(pid_t pid, int *fd)
{
	char path[32];
	int opened;

	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	opened = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (opened < 0)
		return errno == ENOENT && access("/proc/self", F_OK) == 0 ? ERR_NOT_FOUND : ERR_UNSUPPORTED;
	*fd = opened;
	return OK;
}

/* Reads through the process's directory, which never becomes another process's. */
static enum err
read_fact(int process_fd, const char *name, uint8_t *buf, size_t cap, struct span *out)
{
	int fd = openat(process_fd, name, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got = 1;

	if (fd < 0)
		return errno == ENOENT || errno == ESRCH ? ERR_NOT_FOUND : ERR_UNSUPPORTED;
	while (n < cap && (got = read(fd, buf + n, cap - n)) > 0)
		n += (size_t)got;
	close(fd);
	if (got < 0)
		return errno == ESRCH ? ERR_NOT_FOUND : ERR_UNSUPPORTED;
	*out = (struct span){ buf, n };
	return OK;
}

static enum err
read_stat(int process_fd, struct peer_stat *out)
{
	uint8_t buf[2048];
	struct span text;
	enum err e;

	if ((e = read_fact(process_fd, "stat", buf, sizeof buf, &text)) != OK)
		return e;
	return peer_stat_parse(text, out);
}

static enum err
read_uid(int process_fd, uid_t *out)
{
	uint8_t buf[4096];
	struct span text;
	enum err e;

	/* The owner of /proc/PID is root's for a process that is not dumpable; this line is not. */
	if ((e = read_fact(process_fd, "status", buf, sizeof buf, &text)) != OK)
		return e;
	return peer_uid_parse(text, out);
}

/* 0 when the session has lost its leader. */
static enum err
leader_start(pid_t session, uint64_t *out)
{
	struct peer_stat leader = { .session = 0 };
	enum err e = ERR_NOT_FOUND;
	int fd = -1;

	if (session > 0)
		e = open_process(session, &fd);
	if (e == OK) {
		e = read_stat(fd, &leader);
		close(fd);
	}
	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	*out = e == OK && leader.session == session ? leader.start_ticks : 0;
	return OK;
}

enum err
peer_facts(pid_t pid, struct peer_facts *out)
{
	struct peer_facts facts;
	enum err e;
	int fd;

	if (pid <= 0)
		return ERR_NOT_FOUND;
	if ((e = open_process(pid, &fd)) != OK)
		return e;
	e = read_uid(fd, &facts.uid);
	if (e == OK)
		e = read_stat(fd, &facts.own);
	close(fd);
	if (e == OK)
		e = leader_start(facts.own.session, &facts.leader_start_ticks);
	if (e == OK)
		*out = facts;
	return e;
}
