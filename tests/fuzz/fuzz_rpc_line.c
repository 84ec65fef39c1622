/*
 * Any bytes on stdin of an MCP server: whatever comes, each answer is one line
 * of strict JSON, and the lines around a bad one are still served.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gateway/json_scan.h"
#include "gateway/rpc_line.h"
#include "tests/gateway/mcp_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
need(bool fact)
{
	if (!fact)
		abort();
}

static void
answer_line(struct mcp_rig *rig, struct span line)
{
	need(mcp_handle(&rig->server, &rig->stream, line, &rig->answer) == OK);
	if (rig->answer.len == 0)
		return;
	need(memchr(rig->answer.p, '\n', rig->answer.len) == NULL);
	/* A batch may answer more than we would read. */
	need(json_scan((struct span){ rig->answer.p, rig->answer.len }) != ERR_INVALID_CONTENT);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mcp_rig rig;
	struct rpc_reader *reader = NULL;
	struct span line;
	enum rpc_line outcome;
	int fd = memfd_create("input", 0);

	need(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	need(rpc_line_open(fd, &reader) == OK);
	rig_open(&rig);
	while ((outcome = rpc_line_next(reader, &line)) != RPC_LINE_END) {
		if (outcome == RPC_LINE)
			answer_line(&rig, line);
		else if (outcome == RPC_LINE_WAIT)
			need(rpc_line_fill(reader) == RPC_LINE);
	}
	rig_close(&rig);
	rpc_line_close(&reader);
	close(fd);
	return 0;
}
