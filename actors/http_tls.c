#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "actors/http_tls.h"

/* The library's own types under names of ours. */
static SSL_CTX *
context_of(struct http_tls *t)
{
	return (SSL_CTX *)t;
}

static SSL *
ssl_of(const struct http_tls_conn *c)
{
	return (SSL *)(uintptr_t)c;
}

/* We speak HTTP/1.1 whatever else is offered. */
static int
choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len, const unsigned char *in,
    unsigned in_len, void *arg)
{
	static const unsigned char ours[] = "\x08http/1.1";
	unsigned char *chosen = NULL;

	(void)ssl;
	(void)arg;
	if (SSL_select_next_proto(&chosen, out_len, ours, sizeof ours - 1, in, in_len) != OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_NOACK;
	*out = chosen;
	return SSL_TLSEXT_ERR_OK;
}

/* No passphrase is asked for. */
static int
no_passphrase(char *buf, int size, int writing, void *arg)
{
	(void)buf;
	(void)size;
	(void)writing;
	(void)arg;
	return 0;
}

static bool
take_chain(SSL_CTX *ctx, BIO *bio)
{
	X509 *cert = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL);
	bool taken = cert != NULL && SSL_CTX_use_certificate(ctx, cert) == 1;

	X509_free(cert);
	while (taken && (cert = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL)) != NULL)
		if (SSL_CTX_add0_chain_cert(ctx, cert) != 1) {
			X509_free(cert);
			taken = false;
		}
	/* Behind the last one there is nothing, and not something that is none. */
	return taken && ERR_GET_LIB(ERR_peek_last_error()) == ERR_LIB_PEM &&
	    ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
}

static bool
take_files(SSL_CTX *ctx, struct span certificate, struct span key)
{
	BIO *cert_bio = BIO_new_mem_buf(certificate.p, (int)certificate.len);
	BIO *key_bio = BIO_new_mem_buf(key.p, (int)key.len);
	EVP_PKEY *pkey = key_bio == NULL ? NULL : PEM_read_bio_PrivateKey(key_bio, NULL, no_passphrase, NULL);
	bool taken = cert_bio != NULL && pkey != NULL && take_chain(ctx, cert_bio) &&
	    SSL_CTX_use_PrivateKey(ctx, pkey) == 1 && SSL_CTX_check_private_key(ctx) == 1;

	EVP_PKEY_free(pkey);
	BIO_free(key_bio);
	BIO_free(cert_bio);
	ERR_clear_error();
	return taken;
}

enum err
http_tls_new(struct span certificate, struct span key, struct http_tls **out)
{
	SSL_CTX *ctx;

	/* No file of the system's may change what is said below. */
	if (OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) != 1 || (ctx = SSL_CTX_new(TLS_server_method())) == NULL)
		return ERR_NO_MEMORY;
	SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
	SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
	    SSL_OP_CLEANSE_PLAINTEXT);
	SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_alpn_select_cb(ctx, choose_protocol, NULL);
	if (!take_files(ctx, certificate, key) ||
	    SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) {
		SSL_CTX_free(ctx);
		return ERR_CONFIG_INVALID;
	}
	*out = (struct http_tls *)ctx;
	return OK;
}

void
http_tls_free(struct http_tls **t)
{
	SSL_CTX_free(context_of(*t));
	*t = NULL;
}

enum err
http_tls_open(struct http_tls *t, int fd, struct http_tls_conn **out)
{
	SSL *ssl = SSL_new(context_of(t));

	if (ssl == NULL || SSL_set_fd(ssl, fd) != 1) {
		SSL_free(ssl);
		return ERR_NO_MEMORY;
	}
	SSL_set_accept_state(ssl);
	*out = (struct http_tls_conn *)ssl;
	return OK;
}

void
http_tls_close(struct http_tls_conn **c)
{
	SSL_free(ssl_of(*c));
	*c = NULL;
}

static enum http_io
outcome(struct http_tls_conn *c, int rc)
{
	if (rc == 1)
		return HTTP_IO_DONE;
	switch (SSL_get_error(ssl_of(c), rc)) {
	case SSL_ERROR_WANT_READ:
		return HTTP_IO_NEEDS_READ;
	case SSL_ERROR_WANT_WRITE:
		return HTTP_IO_NEEDS_WRITE;
	default:
		ERR_clear_error();
		return HTTP_IO_END;
	}
}

enum http_io
http_tls_read(struct http_tls_conn *c, uint8_t *p, size_t room, size_t *n)
{
	ERR_clear_error();
	return outcome(c, SSL_read_ex(ssl_of(c), p, room, n));
}

enum http_io
http_tls_write(struct http_tls_conn *c, const uint8_t *p, size_t len, size_t *n)
{
	ERR_clear_error();
	return outcome(c, SSL_write_ex(ssl_of(c), p, len, n));
}

bool
http_tls_has_pending(const struct http_tls_conn *c)
{
	return SSL_has_pending(ssl_of(c)) == 1;
}

bool
http_tls_ended(struct http_tls_conn *c)
{
	uint8_t byte;
	size_t n;

	ERR_clear_error();
	return outcome(c, SSL_peek_ex(ssl_of(c), &byte, 1, &n)) == HTTP_IO_END;
}

void
http_tls_end(struct http_tls_conn *c)
{
	ERR_clear_error();
	if (SSL_in_init(ssl_of(c)) == 0)
		(void)SSL_shutdown(ssl_of(c));
	ERR_clear_error();
}
