#include <errno.h>
#include <poll.h>

#include "gateway/mcp_stdio.h"
#include "gateway/rpc_line.h"

struct session {
	const struct mcp_server *server;
	struct rpc_reader       *reader;
	struct mcp_stream        stream;
	struct json_writer       answer;
	int                      in_fd, out_fd, stop_fd;
	bool                     over;
};

/* Waits for input or the stop, then reads once. */
static enum err
await_input(struct session *s)
{
	struct pollfd fds[] = {
		{ .fd = s->stop_fd, .events = POLLIN },
		{ .fd = s->in_fd, .events = POLLIN },
	};

	if (poll(fds, 2, -1) < 0)
		return errno == EINTR ? OK : ERR_FILE_UNREADABLE;
	s->over = fds[0].revents != 0;
	if (s->over || fds[1].revents == 0)
		return OK;
	return rpc_line_fill(s->reader) == RPC_LINE_FAILED ? ERR_FILE_UNREADABLE : OK;
}

static enum err
write_answer(struct session *s)
{
	enum rpc_line outcome;

	if (s->answer.len == 0)
		return OK;
	outcome = rpc_line_write(s->out_fd, (struct span){ s->answer.p, s->answer.len });
	json_write_clear(&s->answer);
	s->over = outcome == RPC_LINE_END;
	return outcome == RPC_LINE_FAILED ? ERR_FILE_UNWRITABLE : OK;
}

static enum err
step(struct session *s)
{
	struct span line;
	enum err e = OK;

	switch (rpc_line_next(s->reader, &line)) {
	case RPC_LINE:
		e = mcp_handle(s->server, &s->stream, line, &s->answer);
		break;
	case RPC_LINE_TOO_LONG:
		e = mcp_refuse_unreadable(&s->answer);
		break;
	case RPC_LINE_WAIT:
		return await_input(s);
	case RPC_LINE_END:
	case RPC_LINE_FAILED:
		s->over = true;
		return OK;
	}
	return e == OK ? write_answer(s) : e;
}

enum err
mcp_stdio_serve(const struct mcp_server *server, int in_fd, int out_fd, int stop_fd)
{
	struct session s = { .server = server, .in_fd = in_fd, .out_fd = out_fd, .stop_fd = stop_fd };
	enum err e;

	if ((e = rpc_line_open(in_fd, &s.reader)) != OK)
		return e;
	while (e == OK && !s.over)
		e = step(&s);
	rpc_line_close(&s.reader);
	json_write_free(&s.answer);
	return e;
}
