/*
 * segment_list: which segments a directory has. A name says nothing of what
 * lies between: one stray file of the highest number must cost no walk over
 * the numbers below it.
 */
#ifndef STORE_SEGMENT_LIST_H
#define STORE_SEGMENT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "mailbox/err.h"

struct segment_list {
	uint64_t *numbers; /* ascending; owned */
	size_t    n;       /* at least 1 */
};

/* ERR_NOT_FOUND: there is no segment. ERR_FILE_UNREADABLE, ERR_NO_MEMORY. */
enum err segment_list_read(int seg_fd, struct segment_list *out);
void     segment_list_free(struct segment_list *l);

#endif
