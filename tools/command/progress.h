/* progress: a bar on stderr for long transfers, when stderr is a terminal. */
#ifndef TOOLS_COMMAND_PROGRESS_H
#define TOOLS_COMMAND_PROGRESS_H

#include "mailbox/clock.h"

#include <stdbool.h>

struct progress {
	bool           on;
	uint64_t       total; /* bytes; 0: unknown */
	struct mono_ms drawn; /* last */
	bool           shown;
};

/* wanted says whether this transfer should have one at all. */
struct progress progress_start(bool wanted, uint64_t total);
void            progress_at(struct progress *p, uint64_t done);

/* Clears the line. */
void            progress_end(struct progress *p);

#endif
