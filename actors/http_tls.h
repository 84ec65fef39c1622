/*
 * http_tls: TLS 1.2 and newer on a connection's descriptor. The only file that
 * knows OpenSSL, which keeps the private key, session keys and one record of
 * plaintext in memory of its own; what was read is wiped there, too, and the
 * memory given back between records.
 */
#ifndef ACTORS_HTTP_TLS_H
#define ACTORS_HTTP_TLS_H

#include "escrow/secret.h"

enum http_io {
	HTTP_IO_DONE,
	HTTP_IO_NEEDS_READ,  /* nothing done: when the descriptor is readable again */
	HTTP_IO_NEEDS_WRITE,
	HTTP_IO_END,         /* the other side has ended, or the connection is broken */
};

struct http_tls;      /* certificate and key */
struct http_tls_conn; /* one connection */

/* From PEM. ERR_CONFIG_INVALID: they are none, or do not belong together. ERR_NO_MEMORY. */
enum err http_tls_new(struct span certificate, struct span key, struct http_tls **out);
void     http_tls_free(struct http_tls **t);

/* The descriptor stays the caller's. ERR_NO_MEMORY. */
enum err http_tls_open(struct http_tls *t, int fd, struct http_tls_conn **out);
void     http_tls_close(struct http_tls_conn **c);

/* The handshake goes on by itself in either. */
enum http_io http_tls_read(struct http_tls_conn *c, uint8_t *p, size_t room, size_t *n);
enum http_io http_tls_write(struct http_tls_conn *c, const uint8_t *p, size_t len, size_t *n);

/* There is input that the descriptor does not tell of. */
bool http_tls_has_pending(const struct http_tls_conn *c);

/* Looks whether the other side has said that it ends. */
bool http_tls_ended(struct http_tls_conn *c);

/* Says that we end. */
void http_tls_end(struct http_tls_conn *c);

#endif
