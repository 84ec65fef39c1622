#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "escrow/home_lock.h"

#define LOCK_FILE "daemon.lock"

enum err
home_lock_take(int *fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int f = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (f < 0)
		return errno == ENOSPC || errno == EDQUOT ? ERR_STORAGE_FULL : ERR_STORAGE_FAILED;
	if (fcntl(f, F_OFD_SETLK, &whole) != 0) {
		enum err e = errno == EAGAIN || errno == EACCES ? ERR_ALREADY_RUNNING : ERR_STORAGE_FAILED;

		close(f);
		return e;
	}
	*fd = f;
	return OK;
}

bool
home_lock_held(void)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int f = open(LOCK_FILE, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool held;

	if (f < 0)
		return false;
	held = fcntl(f, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
	close(f);
	return held;
}
