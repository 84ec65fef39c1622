/*
 * http_oauth: the endpoints of OAuth that programs call, and what they and the
 * pages ask grants. Tokens and codes are made here and seen here alone: grants
 * gets their hashes.
 */
#ifndef ACTORS_HTTP_OAUTH_H
#define ACTORS_HTTP_OAUTH_H

#include "actors/http_gateway_state.h"

enum err http_oauth_start(struct http_gateway *g); /* ERR_NO_MEMORY */
void     http_oauth_stop(struct http_gateway *g); /* before http_pages_stop: what waits for grants is answered */

/* The profile's keys for the pages have come, or are gone; then all sessions end, and what waits for consent. */
enum err http_oauth_on_web_keys(struct http_gateway *g, const struct web_keys_body *b);
bool http_oauth_has_keys(const struct http_gateway *g);

/* An answer, or a refusal, of grants. False: it is of an ask of somebody else in this process, or of none any more. */
bool http_oauth_on_answer(struct http_gateway *g, const struct inbound *in);

void http_oauth_on_edge(struct http_gateway *g, enum actor other, bool up);

/* After whatever happened: what is due is done. Returns when there is more to do; 0: nothing. */
struct mono_ms http_oauth_turn(struct http_gateway *g, struct mono_ms now);

/* Routes. */
void http_oauth_on_well_known(struct http_gateway *g, struct http_exchange *x);
void http_oauth_on_register(struct http_gateway *g, struct http_exchange *x);
void http_oauth_on_token(struct http_gateway *g, struct http_exchange *x);
void http_oauth_on_revoke(struct http_gateway *g, struct http_exchange *x);

#endif
