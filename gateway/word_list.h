/* word_list: the words that passphrases are made of (gateway/word_list.tbl.h). */
#ifndef GATEWAY_WORD_LIST_H
#define GATEWAY_WORD_LIST_H

#include <stddef.h>

#include "mailbox/wire.h"

/* Sorted, each once; none begins with another. Valid for ever. */
const struct span *word_list(size_t *n);

#endif
