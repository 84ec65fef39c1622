#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/log_folder.h"

enum err
log_folder_open(const char *dir, struct log_folder *out)
{
	struct log_folder f = LOG_FOLDER_NONE;

	if ((f.fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
	    (f.seg_fd = openat(f.fd, "seg", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0) {
		enum err e = errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_FILE_UNREADABLE;

		log_folder_close(&f);
		return e;
	}
	*out = f;
	return OK;
}

void
log_folder_close(struct log_folder *f)
{
	if (f->seg_fd >= 0)
		close(f->seg_fd);
	if (f->fd >= 0)
		close(f->fd);
	*f = LOG_FOLDER_NONE;
}
