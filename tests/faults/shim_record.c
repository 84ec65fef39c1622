#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/faults/shim_plan.h"
#include "tests/faults/shim_record.h"

/* Out of the way of the descriptors that the program hands on by number. */
#define RECORD_FD 900

static int record_fd = -1;

void
shim_record_start(void)
{
	const char *path = getenv("FAULTS_RECORD");
	long fd;

	if (path == NULL || (fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC)) < 0)
		return;
	record_fd = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, RECORD_FD);
	syscall(SYS_close, fd);
}

bool
shim_record_on(void)
{
	return record_fd >= 0;
}

static struct iovec
part(const void *p, size_t len)
{
	return (struct iovec){ (void *)(uintptr_t)p, len };
}

void
shim_record(const struct shim_event *e)
{
	struct event_head head = { .magic = EVENT_MAGIC, .type = (uint8_t)e->type,
	    .process = (uint8_t)shim_plan_process(), .at = e->at, .data_len = (uint32_t)e->data_len };
	struct iovec parts[4];

	if (record_fd < 0)
		return;
	head.pid = (uint32_t)syscall(SYS_getpid);
	head.thread = (uint32_t)syscall(SYS_gettid);
	head.path_len = e->path != NULL ? (uint16_t)strlen(e->path) : 0;
	head.path2_len = e->path2 != NULL ? (uint16_t)strlen(e->path2) : 0;
	parts[0] = part(&head, sizeof head);
	parts[1] = part(e->path, head.path_len);
	parts[2] = part(e->path2, head.path2_len);
	parts[3] = part(e->data, e->data_len);
	syscall(SYS_writev, record_fd, parts, 4);
}
