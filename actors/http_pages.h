/*
 * http_pages: what a person sees: login and consent. Sessions, and requests
 * that wait for consent, are in memory alone.
 */
#ifndef ACTORS_HTTP_PAGES_H
#define ACTORS_HTTP_PAGES_H

#include "actors/http_gateway_state.h"

enum err http_pages_start(struct http_gateway *g); /* ERR_NO_MEMORY, ERR_UNSUPPORTED */
void     http_pages_stop(struct http_gateway *g);

/* Ends all sessions, and all that waits for consent. */
void http_pages_forget(struct http_gateway *g);

/* Passwords that were tried meanwhile. */
void http_pages_turn(struct http_gateway *g);

/* 503 for a person: off, locked, or in maintenance with the owner's words. */
void http_pages_say_closed(struct http_gateway *g, struct http_exchange *x);

/* Routes. */
void http_pages_on_authorize(struct http_gateway *g, struct http_exchange *x);
void http_pages_on_login(struct http_gateway *g, struct http_exchange *x);
void http_pages_on_consent(struct http_gateway *g, struct http_exchange *x);
void http_pages_on_static(struct http_gateway *g, struct http_exchange *x);

#endif
