/* http_address: addresses and authorities as text: where we listen, who calls, what a Host or an Origin names. */
#ifndef GATEWAY_HTTP_ADDRESS_H
#define GATEWAY_HTTP_ADDRESS_H

#include "mailbox/wire.h"

/* An IPv4 address is kept as the IPv6 one that it maps to (RFC 4291, section 2.5.5.2). */
struct http_address {
	uint8_t b[16];
};

#define HTTP_ADDRESS_TEXT_MAX 48

/* A literal without brackets. False: it is none. */
bool http_address_parse(struct span text, struct http_address *out);
void http_address_text(const struct http_address *a, char out[HTTP_ADDRESS_TEXT_MAX]);
bool http_address_is_v4(const struct http_address *a);

/* Whose it is: of an IPv6 address its /64, for whoever has one address of that has them all. */
struct http_address http_address_party(const struct http_address *a);

bool http_address_is_loopback(const struct http_address *a);
bool http_address_is_any(const struct http_address *a);

struct http_network {
	struct http_address address;
	unsigned            bits; /* of 128 */
};

/* "10.0.0.0/8", "fd00::/8", or an address alone. False: it is none, or has bits behind its prefix. */
bool http_network_parse(struct span text, struct http_network *out);
bool http_network_has(const struct http_network *n, const struct http_address *a);

/* host[:port], the host in brackets when it is IPv6. `host` is without them. */
struct http_authority {
	struct span host;
	bool        is_v6;
	unsigned    port; /* 0: none is said */
};

bool http_authority_parse(struct span text, struct http_authority *out);

/* "localhost", or an address of loopback. */
bool http_host_is_loopback(struct span host);

#endif
