/*
 * rpc_line: messages on a byte stream, one a line (MCP's stdio framing).
 * Memory stays bounded whatever comes in.
 */
#ifndef GATEWAY_RPC_LINE_H
#define GATEWAY_RPC_LINE_H

#include "gateway/json_scan.h"

/* More than a message may have: of one that is too long, the id can still be told. */
#define RPC_LINE_MAX (4 * JSON_TEXT_MAX)

enum rpc_line {
	RPC_LINE,          /* a line is there, or was written whole; or bytes came */
	RPC_LINE_TOO_LONG, /* over RPC_LINE_MAX; it was thrown away up to its end */
	RPC_LINE_WAIT,     /* no whole line yet, or no bytes for now */
	RPC_LINE_END,      /* the other side is gone: an ordinary end */
	RPC_LINE_FAILED,   /* the descriptor failed, or memory is out */
};

struct rpc_reader;

/* Reads from fd, blocking or not, and leaves it open at the end. ERR_NO_MEMORY. */
enum err rpc_line_open(int fd, struct rpc_reader **out);

/* Wipes what was read. Sets the pointer to NULL; accepts NULL inside. */
void rpc_line_close(struct rpc_reader **r);

/*
 * The next line that is not blank, without its line end (\n or \r\n), out of
 * what was filled in so far; never reads. A last line without an end counts.
 * RPC_LINE: *line is borrowed until the next call. RPC_LINE_WAIT: fill first.
 */
enum rpc_line rpc_line_next(struct rpc_reader *r, struct span *line);

/*
 * One read. RPC_LINE: bytes or the end of the input came. RPC_LINE_WAIT: a
 * signal came first, or a non-blocking descriptor has nothing. RPC_LINE_FAILED.
 */
enum rpc_line rpc_line_fill(struct rpc_reader *r);

/*
 * Writes the line and \n, all of it, waiting where fd would block. The caller
 * has SIGPIPE ignored. Never gives TOO_LONG or WAIT.
 */
enum rpc_line rpc_line_write(int fd, struct span line);

#endif
