/* env_rig: an environment of two databases in the folder of a test, and short words for it. */
#ifndef TESTS_STORE_ENV_RIG_H
#define TESTS_STORE_ENV_RIG_H

#include <sys/stat.h>

#include "store/env.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

static const char *const names[] = { "a", "b" };

#define TEXT(s) ((struct span){ (const uint8_t *)(s), sizeof(s) - 1 })
#define BIG_LEN 60000

static inline struct env *
opened(void **state)
{
	struct env *e = NULL;

	assert_int_equal(env_open(((struct temp_dir *)*state)->path, names, 2, &e), OK);
	return e;
}

static inline bool
has(struct env *e, struct span key)
{
	struct span value;
	enum err r;

	assert_int_equal(env_look(e), OK);
	r = env_get(e, 0, key, &value);
	assert_true(r == OK || r == ERR_NOT_FOUND);
	return r == OK;
}

static inline void
put(struct env *e, struct span key)
{
	assert_int_equal(env_begin(e), OK);
	assert_int_equal(env_put(e, 0, key, TEXT("value"), NULL), OK);
}

/* The n-th big record; OK or the error of begin or put. */
static inline enum err
put_big(struct env *e, uint32_t n)
{
	static const uint8_t big[BIG_LEN] = { 1 };
	enum err r = env_begin(e);

	return r != OK ? r : env_put(e, 0, (struct span){ (uint8_t *)&n, sizeof n }, (struct span){ big, sizeof big }, NULL);
}

static inline off_t
file_bytes(void **state)
{
	struct stat s;

	assert_int_equal(stat(temp_dir_at(*state, "data.mdb"), &s), 0);
	return s.st_size;
}

#endif
