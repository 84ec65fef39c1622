/* diff: two texts side by side, by the system's diff; they are in memory only while it runs. */
#ifndef TOOLS_COMMAND_DIFF_H
#define TOOLS_COMMAND_DIFF_H

#include "escrow/secret.h"

struct diff_side {
	struct span text;
	const char *label;
};

/*
 * *out  new; a unified diff, empty when the texts are the same
 * ERR_UNSUPPORTED: there is no diff here, or it failed. ERR_TOO_LARGE: more than 16 MiB of it. ERR_NO_MEMORY.
 */
enum err diff_texts(struct diff_side old, struct diff_side new, struct secret **out);

#endif
