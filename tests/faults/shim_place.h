/* shim_place: which file of the home a call is about. Part of the preloaded shim. */
#ifndef TESTS_FAULTS_SHIM_PLACE_H
#define TESTS_FAULTS_SHIM_PLACE_H

#include <limits.h>

#include "tests/faults/shim_plan.h"

/*
 * The path below the home, in buf or in name; NULL when it is not there, and
 * when the filters of the process hide it.
 */
const char *shim_place_of(int fd, char buf[PATH_MAX]);
const char *shim_place_at(int dir_fd, const char *name, char buf[PATH_MAX]);

/* True when the call is to end here: *result is -1 and errno is set. */
bool shim_place_wrong(enum shim_call call, long *result);

#endif
