#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "mailbox/log_line.h"

static void
put_line(const char *line, int len, size_t size)
{
	ssize_t n;

	if (len <= 0)
		return;
	n = write(STDERR_FILENO, line, (size_t)len < size ? (size_t)len : size - 1);
	(void)n;
}

void
log_line_error(enum actor who, enum err e, uint64_t ask_id)
{
	char line[160];

	put_line(line, snprintf(line, sizeof line, "memories: %s: %s (ask %" PRIu64 ")\n",
	    actor_name(who), err_code(e), ask_id), sizeof line);
}

void
log_line_say(const char *who, const char *words, int64_t number)
{
	char line[256];

	put_line(line, snprintf(line, sizeof line, "memories: %s: %s %" PRId64 "\n", who, words, number),
	    sizeof line);
}
