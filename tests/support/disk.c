#include <signal.h>

#include "tests/support/check.h"
#include "tests/support/disk.h"

static struct rlimit was;

void
disk_limit(rlim_t bytes)
{
	struct rlimit low;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	low = was;
	low.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
}

void
disk_unlimit(void)
{
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
}
