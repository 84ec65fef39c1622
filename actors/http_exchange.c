#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/http_server_inside.h"
#include "gateway/http_peer.h"
#include "gateway/http_write.h"

const struct http_request *
http_exchange_request(const struct http_exchange *x)
{
	return &x->request;
}

bool
http_exchange_is_wanted(const struct http_exchange *x)
{
	return x->on_answer != NULL || (x->conn != NULL && !x->conn->saw_end);
}

void
http_exchange_begin(struct http_conn *c)
{
	const struct http_config *config = c->server->config.http;
	struct http_exchange *x = calloc(1, sizeof *x);
	struct http_address peer;

	if (x == NULL) {
		c->is_over = true;
		return;
	}
	x->conn = c;
	x->parser = c->parser;
	c->parser = NULL;
	c->exchange = x;
	c->state = HTTP_CONN_WORKING;
	c->n_requests++;
	c->needs_read = c->needs_write = false;
	http_conn_wait(c, HTTP_WAIT__COUNT);
	http_parser_request(x->parser, &x->request);
	peer = http_peer(config, &c->address, &x->request);
	http_address_text(&peer, x->peer);
	x->request.peer = (struct span){ (const uint8_t *)x->peer, strlen(x->peer) };
	x->request.is_secure = c->tls != NULL;
	c->server->figures.requests++;
	c->server->config.on_request(c->server->config.arg, x);
}

enum err
http_exchange_of(struct span bytes, void (*on_answer)(void *arg, const struct http_response *r), void *arg,
    struct http_exchange **out)
{
	struct http_exchange *x = calloc(1, sizeof *x);
	enum http_parse outcome = HTTP_PARSE_MORE;
	enum err e = x == NULL ? ERR_NO_MEMORY : http_parser_new(&x->parser);

	while (e == OK && outcome == HTTP_PARSE_MORE && bytes.len > 0) {
		size_t room = 0, n;
		uint8_t *at;

		if ((e = http_parser_room(x->parser, &at, &room)) != OK)
			break;
		n = bytes.len < room ? bytes.len : room;
		memcpy(at, bytes.p, n);
		bytes = (struct span){ bytes.p + n, bytes.len - n };
		outcome = http_parser_took(x->parser, n);
	}
	if (e == OK && outcome != HTTP_PARSE_DONE)
		e = ERR_INVALID_ARGUMENT;
	if (e != OK) {
		if (x != NULL)
			http_parser_free(&x->parser);
		free(x);
		return e;
	}
	http_parser_request(x->parser, &x->request);
	x->request.peer = (struct span){ (const uint8_t *)"192.0.2.1", 9 };
	x->on_answer = on_answer;
	x->arg = arg;
	*out = x;
	return OK;
}

/* The response goes out; the state is the one that writes. */
static void
begin_writing(struct http_conn *c, const struct http_response *r, bool is_head, bool closes)
{
	struct http_write how = { .now = clock_wall(), .is_head = is_head, .closes = closes };

	http_conn_drop_out(c);
	c->out_at = 0;
	c->closes = closes;
	c->state = HTTP_CONN_WRITING;
	c->needs_read = c->needs_write = false;
	if (http_write(r, &how, &c->out) != OK) {
		c->is_over = true;
		return;
	}
	c->server->figures.output += secret_len(c->out);
	http_conn_wait(c, HTTP_WAIT_WRITE);
	http_server_make_room(c->server, c);
}

void
http_exchange_answer(struct http_exchange *x, struct http_response *r)
{
	struct http_conn *c = x->conn;
	bool closes = r->closes || http_parser_closes(x->parser);

	if (x->on_answer != NULL)
		x->on_answer(x->arg, r);
	if (c != NULL) {
		if (c->server->config.before_answer != NULL)
			c->server->config.before_answer(c->server->config.arg, r);
		c->exchange = NULL;
		begin_writing(c, r, x->request.method == HTTP_HEAD,
		    closes || c->saw_end || c->n_requests >= HTTP_REQUESTS_MAX);
		if (!c->closes) {
			c->next = http_parser_next(x->parser);
			c->parser = x->parser;
			x->parser = NULL;
		}
		if (c->parser != NULL && c->next == HTTP_PARSE_MORE && http_parser_is_empty(c->parser))
			http_parser_free(&c->parser);
		(void)http_conn_count(c);
	}
	http_parser_free(&x->parser);
	http_response_free(r);
	free(x);
	if (c != NULL)
		http_conn_pump(c);
}

void
http_conn_refuse(struct http_conn *c, int status)
{
	struct http_response r;
	char text[160];

	snprintf(text, sizeof text, "{\"error\":{\"code\":\"http_%d\",\"message\":\"%s\"}}", status, http_reason(status));
	http_response_start(&r, status);
	http_response_header(&r, "Cache-Control", "no-store");
	http_response_header(&r, "X-Content-Type-Options", "nosniff");
	http_response_text(&r, "application/json", text);
	begin_writing(c, &r, false, true);
	http_response_free(&r);
	http_parser_free(&c->parser);
	(void)http_conn_count(c);
}
