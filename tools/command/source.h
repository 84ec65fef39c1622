/* source: content that comes from a file or from stdin. */
#ifndef TOOLS_COMMAND_SOURCE_H
#define TOOLS_COMMAND_SOURCE_H

#include "gateway/writer.h"
#include "tools/command/command.h"

#define SMALL_MAX ((size_t)1 << 20) /* of a memory or a card */

struct source {
	int         fd;
	const char *name;  /* the file's own name; "" for stdin */
	uint64_t    total; /* 0: unknown */
};

/* A path as it was given, "-" for stdin. ERR_FILE_UNREADABLE, ERR_TOO_LARGE. */
enum err source_open(struct invocation *in, const char *path, struct source *s);
void     source_close(struct source *s);

/* All of a small content. New. ERR_TOO_LARGE: past max bytes. ERR_FILE_UNREADABLE, ERR_NO_MEMORY. */
enum err source_read(const struct source *s, size_t max, struct secret **out);

/* All of it into a writer, in constant memory, with progress. Errors as writer_add; ERR_FILE_UNREADABLE. */
enum err source_copy(const struct source *s, struct writer *w);

#endif
