#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "mailbox/clock.h"
#include "mailbox/trace.h"

static atomic_int trace_fd = -1;

void
trace_to(int fd)
{
	trace_fd = fd;
}

/* A trace that cannot be written is no reason to stop. */
static void
put_line(int fd, const char *line, int len, size_t size)
{
	ssize_t n;

	if (len <= 0 || (size_t)len >= size)
		return;
	n = write(fd, line, (size_t)len);
	(void)n;
}

void
trace_message(enum actor from, enum actor to, enum msg type, uint64_t ask_id, size_t len)
{
	int fd = trace_fd;
	char line[160];

	if (fd < 0)
		return;
	put_line(fd, line, snprintf(line, sizeof line, "%" PRIu64 " %s>%s %s ask=%" PRIu64 " len=%zu\n",
	    clock_mono().ms, actor_name(from), actor_name(to), msg_name(type), ask_id, len),
	    sizeof line);
}

void
trace_mark(enum actor who, const char *word, uint64_t ask_id, uint64_t number)
{
	int fd = trace_fd;
	char line[160];

	if (fd < 0)
		return;
	put_line(fd, line, snprintf(line, sizeof line, "%" PRIu64 " %s %s ask=%" PRIu64 " index=%" PRIu64 "\n",
	    clock_mono().ms, actor_name(who), word, ask_id, number), sizeof line);
}
