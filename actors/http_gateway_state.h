/*
 * http_gateway_state: what the files of actor http share. Each thing has one
 * file that changes it; handlers, routes and event callbacks all run on the
 * actor's thread, one at a time.
 *
 * `out` is where what is to be said goes: it is set whenever the actor runs,
 * and a route may put into it. A handler that answers an exchange may have the
 * next request of that connection come to its route before it returns; so it
 * answers last, and returns OK then (an error would drop what that route put).
 */
#ifndef ACTORS_HTTP_GATEWAY_STATE_H
#define ACTORS_HTTP_GATEWAY_STATE_H

#include "actors/http_server.h"
#include "actors/settings.h"
#include "gateway/json_write.h"
#include "mailbox/actor.h"
#include "mailbox/words.h"

struct http_gateway {
	const struct actor_context *context;   /* of start; borrowed */
	const struct settings      *settings;  /* NULL in tests */
	const struct http_config   *config;    /* never NULL */
	struct http_config         *own_config; /* the defaults, where none was given */
	struct http_server         *server;
	enum err                    error;     /* why it does not listen; ERR_CONFIG_INVALID: until the next start */
	bool                        is_unusable; /* config.json: nor does it then */
	struct mono_ms              try_at;    /* listening is tried again; 0: no need */
	struct outbox              *out;

	/* As grants last said; HTTP_NEVER until it does. */
	enum http_phase phase;
	bool            initialized;
	struct uuid     library;
	uint8_t         log_public[32];
	char            message[1201];

	bool is_up[ACTOR__COUNT]; /* the edges */

	/* Each made and freed by its own file. */
	struct http_mcp   *mcp;
	struct http_asks  *asks;
	struct http_oauth *oauth;
	struct http_pages *pages;
};

/* Each handler, tick and edge begins with it. */
static inline struct http_gateway *
http_gateway_enter(void *self, struct outbox *out)
{
	struct http_gateway *g = self;

	g->out = out;
	return g;
}

/* What was written becomes the body; w is freed. What could not be written fails the response. */
void http_body_json(struct http_response *r, struct json_writer *w);

/* {"error":{"code":…,"message":…}}; message NULL: the code's own sentence. Not yet answered: headers may be added. */
void http_error_json(struct http_response *r, int status, const char *code, const char *message);

/* The same of one of our codes. */
void http_error_of(struct http_response *r, int status, enum err e);

#endif
