#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mailbox/edge_peer.h"

bool
edge_peer_is_ours(nng_pipe pipe, uint32_t *pid)
{
	uint64_t uid;
	uint64_t peer;

	if (nng_pipe_get_uint64(pipe, NNG_OPT_IPC_PEER_UID, &uid) != 0 || uid != getuid() ||
	    nng_pipe_get_uint64(pipe, NNG_OPT_IPC_PEER_PID, &peer) != 0)
		return false;
	*pid = (uint32_t)peer;
	return true;
}

bool
edge_peer_has_parent(uint32_t pid, uint32_t parent)
{
	char path[32];
	char text[512];
	const char *after_name;
	ssize_t len;
	int fd;

	snprintf(path, sizeof path, "/proc/%u/stat", (unsigned)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return false;
	len = read(fd, text, sizeof text - 1);
	close(fd);
	if (len <= 0)
		return false;
	text[len] = '\0';
	/* "pid (name) S parent": the name is the process's own choice and may hold anything. */
	if ((after_name = strrchr(text, ')')) == NULL || strlen(after_name) < 4)
		return false;
	return strtoul(after_name + 4, NULL, 10) == parent;
}
