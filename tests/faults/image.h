/*
 * image: what a disk holds of a home: for certain, and perhaps. Events are
 * applied in their order; at any moment a crash can be built as a directory.
 *
 * The model: a write is certain from the end of the next sync of its file that
 * began after it (or by itself, through a descriptor that syncs); until then
 * each 512-byte sector of it is there or not. A name is certain from the end
 * of the next sync of its directory; until then those of one directory are
 * there up to some point of their order. A rename is never half done.
 */
#ifndef TESTS_FAULTS_IMAGE_H
#define TESTS_FAULTS_IMAGE_H

#include "tests/faults/recording.h"

struct image;

/* The home as it lies in that directory, all of it certain. NULL when it cannot be read. */
struct image *image_new(const char *base);
void          image_free(struct image *m);

/* False: the event does not fit what came before it. */
bool image_apply(struct image *m, const struct event *e);

/* How many writes and names are not certain. */
size_t image_n_pending(const struct image *m);

/* Of what is not certain, so many in 256 are kept: 0 none, 256 all. The same seed gives the same crash. */
struct crash {
	unsigned keep_data;
	unsigned keep_names;
	unsigned seed;
};

/* Builds the crash below dir, which is emptied first. False when that cannot be done. */
bool image_build(const struct image *m, struct crash crash, const char *dir);

#endif
