/* recording: the events that the shim wrote (shim_record.h), in their order. */
#ifndef TESTS_FAULTS_RECORDING_H
#define TESTS_FAULTS_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/faults/shim_record.h"

#define RECORDING_PATH_MAX 128

struct event {
	enum event_type type;
	char            path[RECORDING_PATH_MAX];
	char            path2[RECORDING_PATH_MAX];
	uint64_t        at;
	const uint8_t  *data; /* borrowed from the recording */
	size_t          data_len;
	uint32_t        thread;
};

struct recording {
	uint8_t      *bytes;
	struct event *events;
	size_t        n;
};

/* False when the file cannot be read or is none of the shim's. Freed with recording_free. */
bool recording_read(const char *path, struct recording *out);
void recording_free(struct recording *r);

#endif
