/* temp_dir: a folder for one test, and children that run as somebody else. */
#ifndef TESTS_SUPPORT_TEMP_DIR_H
#define TESTS_SUPPORT_TEMP_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define TEMP_PATH_MAX 512

#define OTHER_UID 65534

struct temp_dir {
	char path[TEMP_PATH_MAX];
	char joined[TEMP_PATH_MAX]; /* what temp_dir_at gave last */
};

/* cmocka fixtures: a new folder of mode 0700 under $TMPDIR or /tmp in *state; then its end. */
int temp_dir_setup(void **state);
int temp_dir_teardown(void **state);

/* The path of a name in it, valid until the next call. */
const char *temp_dir_at(struct temp_dir *d, const char *name);

/* Makes a file of that mode there. */
void temp_dir_put(struct temp_dir *d, const char *name, const void *bytes, size_t len, mode_t mode);

/* Makes a folder of that mode there. */
void temp_dir_mkdir(struct temp_dir *d, const char *name, mode_t mode);

/* The exit status of a child that ran the function; with drop it is user OTHER_UID if we are root. */
int run_in_child(int (*function)(void *), void *argument, bool drop);

#endif
