#include <errno.h>
#include <sys/socket.h>

#include "actors/http_server_inside.h"

/* What a client may send behind our last word. */
#define DRAIN_MAX ((size_t)256 << 10)

static enum http_io
failed(bool writing)
{
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return writing ? HTTP_IO_NEEDS_WRITE : HTTP_IO_NEEDS_READ;
	return HTTP_IO_END;
}

enum http_io
http_conn_recv(struct http_conn *c, uint8_t *p, size_t room, size_t *n)
{
	ssize_t got;

	if (c->tls != NULL)
		return http_tls_read(c->tls, p, room, n);
	while ((got = recv(c->fd, p, room, 0)) < 0 && errno == EINTR)
		;
	if (got > 0)
		*n = (size_t)got;
	return got > 0 ? HTTP_IO_DONE : got == 0 ? HTTP_IO_END : failed(false);
}

enum http_io
http_conn_send(struct http_conn *c, const uint8_t *p, size_t len, size_t *n)
{
	ssize_t sent;

	if (c->tls != NULL)
		return http_tls_write(c->tls, p, len, n);
	while ((sent = send(c->fd, p, len, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	if (sent >= 0)
		*n = (size_t)sent;
	return sent >= 0 ? HTTP_IO_DONE : failed(true);
}

/* Under TLS, too, the bytes are taken as they are: nobody reads them. */
bool
http_conn_drain(struct http_conn *c)
{
	uint8_t thrown[4096];
	ssize_t n = recv(c->fd, thrown, sizeof thrown, 0);

	wipe(thrown, sizeof thrown);
	if (n > 0 && (c->drained += (size_t)n) <= DRAIN_MAX)
		return true;
	if (n >= 0 || failed(false) == HTTP_IO_END)
		c->is_over = true;
	return false;
}

bool
http_conn_ended(struct http_conn *c)
{
	uint8_t byte;
	ssize_t n;

	if (c->tls != NULL)
		return http_tls_ended(c->tls);
	n = recv(c->fd, &byte, 1, MSG_PEEK);
	return n == 0 || (n < 0 && failed(false) == HTTP_IO_END);
}
