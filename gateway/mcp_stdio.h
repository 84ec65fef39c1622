/* mcp_stdio: an MCP server on two descriptors, one message a line. */
#ifndef GATEWAY_MCP_STDIO_H
#define GATEWAY_MCP_STDIO_H

#include "gateway/mcp.h"

/*
 * Answers each line of in_fd on out_fd, in order, until the input ends, the
 * other side is gone, or stop_fd (a signalfd, a pipe; -1: none) is readable.
 * A call in hand is finished first and its answer written. The caller has
 * SIGPIPE ignored. Nothing else may write to out_fd.
 *
 * ERR_NO_MEMORY. ERR_FILE_UNREADABLE, ERR_FILE_UNWRITABLE: a descriptor failed.
 */
enum err mcp_stdio_serve(const struct mcp_server *server, int in_fd, int out_fd, int stop_fd);

#endif
