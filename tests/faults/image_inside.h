/* image_inside: what image.c, image_load.c and image_build.c share. */
#ifndef TESTS_FAULTS_IMAGE_INSIDE_H
#define TESTS_FAULTS_IMAGE_INSIDE_H

#include "tests/faults/image.h"

#define ENTRIES_MAX 256
#define FILES_MAX   2048
#define PENDING_MAX 65536
#define SYNCS_MAX   64
#define FILE_BYTES_MAX ((size_t)64 << 20)

struct bytes {
	uint8_t *p;
	size_t   len, room;
};

/* A name of the home and what it names: a file, or -1 for a directory. */
struct entry {
	char path[RECORDING_PATH_MAX];
	int  file;
};

struct names {
	struct entry e[ENTRIES_MAX];
	size_t       n;
};

/* What is not certain yet, in the order in which it was done. */
struct pending {
	enum event_type type;
	uint64_t        seq;
	int             file;
	char            path[RECORDING_PATH_MAX], path2[RECORDING_PATH_MAX]; /* of names */
	uint64_t        at;
	const uint8_t  *data;
	size_t          data_len;
};

struct sync {
	char     path[RECORDING_PATH_MAX];
	uint32_t thread;
	uint64_t seq;
};

struct image {
	struct names    certain, live;
	struct bytes    files[FILES_MAX]; /* what is certain of each */
	size_t          n_files;
	struct pending *pending;
	size_t          n_pending;
	struct sync     syncs[SYNCS_MAX]; /* that have begun */
	size_t          n_syncs;
	uint64_t        seq;
};

/* At least that long, what is new being zeros. False: no memory, or absurd. */
bool image_bytes_reach(struct bytes *b, size_t len);
bool image_bytes_put(struct bytes *b, uint64_t at, const uint8_t *p, size_t len);

struct entry *image_names_find(struct names *names, const char *path);
bool          image_names_set(struct names *names, const char *path, int file);

bool image_is_name(const struct pending *p);
bool image_do_name(struct names *names, const struct pending *p);
bool image_do_data(struct bytes *b, const struct pending *p);
void image_parent_of(const char *path, char out[RECORDING_PATH_MAX]);

#endif
