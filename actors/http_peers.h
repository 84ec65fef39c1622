/* http_peers: how many connections each address has; of IPv6, each /64. */
#ifndef ACTORS_HTTP_PEERS_H
#define ACTORS_HTTP_PEERS_H

#include "gateway/http_address.h"
#include "mailbox/err.h"

struct http_peers;
struct http_peer;

enum err http_peers_new(struct http_peers **out);
void     http_peers_free(struct http_peers **p); /* those that were added, too */

/* One more; *out is for http_peers_remove. ERR_BUSY: it has max. ERR_NO_MEMORY. */
enum err http_peers_add(struct http_peers *p, const struct http_address *a, unsigned max, struct http_peer **out);
void     http_peers_remove(struct http_peers *p, struct http_peer *peer);

#endif
