/*
 * http_config: the member `http` of HOME/config.json: where the endpoint for
 * remote assistants listens, and under which name it is known. docs/http.md
 * says what each member means. All that lies in files is read here, before the
 * process that listens gives up opening any.
 */
#ifndef GATEWAY_HTTP_CONFIG_H
#define GATEWAY_HTTP_CONFIG_H

#include "escrow/secret.h"
#include "gateway/http_address.h"

#define HTTP_ORIGIN_MAX       512
#define HTTP_ORIGINS_MAX      32
#define HTTP_PROXIES_MAX      32
#define HTTP_CONNECTIONS_MAX  12000
#define HTTP_PEER_CONNECTIONS 64   /* of one address, where config.json says nothing else */

struct http_config {
	char                listen[HTTP_ADDRESS_TEXT_MAX + 8]; /* "127.0.0.1:8787", "[::1]:8787" */
	struct http_address address;
	unsigned            port;
	char                origin[HTTP_ORIGIN_MAX + 1]; /* "https://example.org": the issuer; no slash, no default port */
	bool                is_secure;                   /* the origin's scheme is https */
	char                origins[HTTP_ORIGINS_MAX][HTTP_ORIGIN_MAX + 1]; /* others, whose pages may call /mcp */
	size_t              n_origins;
	struct http_network proxies[HTTP_PROXIES_MAX];
	size_t              n_proxies;
	unsigned            peer_connections;
	unsigned            refresh_overlap_s;
	struct secret      *certificate; /* PEM; NULL: no TLS */
	struct secret      *key;
};

/*
 * What config.json in that folder says, or the defaults.
 *
 * *out  new; http_config_free wipes and frees it
 *
 * ERR_CONFIG_INVALID: it is not strict JSON, or the member or one in it has
 * not its form, or is not known; the files for TLS cannot be used: the key is
 * not a regular file of the caller's that nobody else may read. ERR_NO_MEMORY,
 * ERR_STORAGE_FAILED.
 */
enum err http_config_read(int home_fd, struct http_config **out);
enum err http_config_default(struct http_config **out); /* without any file */
void     http_config_free(struct http_config **c);

/* The same from config.json's text, without the files. The paths point into what lives until free. */
struct http_files {
	char certificate[4096], key[4096]; /* "": none */
};
enum err http_config_parse(struct span text, struct http_config *out, struct http_files *files);

/* "https://example.org:8443", in its one form, or refused: ERR_CONFIG_INVALID. */
enum err http_origin_form(struct span text, char out[HTTP_ORIGIN_MAX + 1]);

#endif
