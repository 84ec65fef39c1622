/* The front door's framing: whatever an asker sends, in whatever pieces. */
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mailbox/front_conn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct front_conn c;
	struct span message;
	uint32_t request;
	int fds[2];

	if (size > 65536 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) != 0)
		return 0;
	front_conn_open(&c, fds[0], 1);
	while (size > 0 && !c.broken) {
		size_t piece = 1 + data[0] % 97u < size ? 1 + data[0] % 97u : size;

		if (write(fds[1], data, piece) != (ssize_t)piece)
			break;
		data += piece;
		size -= piece;
		while (front_conn_read(&c))
			while (front_conn_next(&c, &request, &message))
				front_conn_send(&c, request, message, (struct mono_ms){ 1 });
	}
	front_conn_close(&c);
	close(fds[1]);
	return 0;
}
