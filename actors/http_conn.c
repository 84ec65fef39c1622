#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "actors/http_server_inside.h"

/* Requests that are not complete may take so much memory over all connections. */
#define INPUT_MAX ((size_t)64 << 20)

void
http_conn_wait(struct http_conn *c, enum http_wait wait)
{
	static const unsigned times[HTTP_WAIT__COUNT] = {
		[HTTP_WAIT_HEAD] = HTTP_HEAD_MS, [HTTP_WAIT_BODY] = HTTP_BODY_MS, [HTTP_WAIT_WRITE] = HTTP_WRITE_MS,
		[HTTP_WAIT_IDLE] = HTTP_IDLE_MS, [HTTP_WAIT_LINGER] = HTTP_LINGER_MS,
	};

	if (c->wait != HTTP_WAIT__COUNT)
		TAILQ_REMOVE(&c->server->waiting[c->wait], c, in_wait);
	c->wait = wait;
	if (wait == HTTP_WAIT__COUNT)
		return;
	c->due_ms = clock_mono().ms + times[wait];
	TAILQ_INSERT_TAIL(&c->server->waiting[wait], c, in_wait);
	if (wait == HTTP_WAIT_IDLE)
		http_server_has_idle(c->server);
}

bool
http_conn_count(struct http_conn *c)
{
	struct http_server *s = c->server;
	size_t now = c->parser == NULL ? 0 : http_parser_size(c->parser);

	s->figures.input = s->figures.input - c->counted + now;
	c->counted = now;
	return s->figures.input <= INPUT_MAX;
}

void
http_conn_drop_out(struct http_conn *c)
{
	if (c->out == NULL)
		return;
	c->server->figures.output -= secret_len(c->out);
	secret_free(&c->out);
}

void
http_conn_free(struct http_conn *c)
{
	struct http_server *s = c->server;

	http_conn_wait(c, HTTP_WAIT__COUNT);
	event_del(&c->readable);
	if (c->writable != NULL)
		event_free(c->writable);
	http_parser_free(&c->parser);
	(void)http_conn_count(c);
	if (c->exchange != NULL)
		c->exchange->conn = NULL;
	http_conn_drop_out(c);
	if (c->tls != NULL)
		http_tls_close(&c->tls);
	close(c->fd);
	if (c->peer != NULL)
		http_peers_remove(s->peers, c->peer);
	LIST_REMOVE(c, in_all);
	free(c);
	http_server_left(s);
}

/* Says at once that the body may come; there is room for it, since nothing else was said. */
static void
say_continue(struct http_conn *c)
{
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
	size_t n = 0;

	if (http_conn_send(c, (const uint8_t *)text, sizeof text - 1, &n) != HTTP_IO_DONE || n != sizeof text - 1)
		c->is_over = true;
}

/* The request goes on: each part of it has its time, whatever comes of it meanwhile. */
static void
await_more(struct http_conn *c)
{
	if (http_parser_is_empty(c->parser)) {
		http_parser_free(&c->parser);
		(void)http_conn_count(c);
		if (c->wait == HTTP_WAIT__COUNT || c->wait == HTTP_WAIT_WRITE)
			http_conn_wait(c, HTTP_WAIT_IDLE);
		return;
	}
	if (!http_conn_count(c)) {
		http_conn_refuse(c, 503);
		return;
	}
	if (http_parser_in_body(c->parser)) {
		if (c->wait != HTTP_WAIT_BODY)
			http_conn_wait(c, HTTP_WAIT_BODY);
		if (http_parser_wants_continue(c->parser))
			say_continue(c);
	} else if (c->wait != HTTP_WAIT_HEAD)
		http_conn_wait(c, HTTP_WAIT_HEAD);
}

static void
take_outcome(struct http_conn *c, enum http_parse outcome)
{
	switch (outcome) {
	case HTTP_PARSE_MORE:
		await_more(c);
		break;
	case HTTP_PARSE_DONE:
		http_exchange_begin(c);
		break;
	case HTTP_PARSE_REFUSED:
		c->server->figures.refused++;
		http_conn_refuse(c, http_parser_status(c->parser));
		break;
	}
}

/* True when there may be more to do at once. */
static bool
read_some(struct http_conn *c)
{
	size_t room = 0, n = 0;
	enum http_io io;
	uint8_t *at;

	if ((c->parser == NULL && http_parser_new(&c->parser) != OK) || http_parser_room(c->parser, &at, &room) != OK) {
		c->is_over = true;
		return false;
	}
	io = http_conn_recv(c, at, room, &n);
	c->needs_write = io == HTTP_IO_NEEDS_WRITE;
	c->needs_read = io == HTTP_IO_NEEDS_READ;
	if (io == HTTP_IO_END)
		c->is_over = true;
	if (io == HTTP_IO_DONE)
		take_outcome(c, http_parser_took(c->parser, n));
	else if (http_parser_is_empty(c->parser))
		http_parser_free(&c->parser);
	return io == HTTP_IO_DONE && (c->tls != NULL || n == room || c->state != HTTP_CONN_READING);
}

/* All is said, and the client is given the time to read it before the connection goes. */
static void
linger(struct http_conn *c)
{
	if (c->tls != NULL)
		http_tls_end(c->tls);
	c->state = HTTP_CONN_LINGERING;
	if (c->saw_end || shutdown(c->fd, SHUT_WR) != 0)
		c->is_over = true;
	else
		http_conn_wait(c, HTTP_WAIT_LINGER);
}

static bool
wrote_all(struct http_conn *c)
{
	http_conn_drop_out(c);
	if (c->closes) {
		linger(c);
		return true;
	}
	c->state = HTTP_CONN_READING;
	if (c->parser != NULL)
		take_outcome(c, c->next);
	else
		http_conn_wait(c, HTTP_WAIT_IDLE);
	/* What TLS has read already the descriptor does not tell of. */
	return c->state != HTTP_CONN_READING || (c->tls != NULL && http_tls_has_pending(c->tls));
}

static bool
write_some(struct http_conn *c)
{
	struct span out = secret_span(c->out);
	size_t n = 0;
	enum http_io io = http_conn_send(c, out.p + c->out_at, out.len - c->out_at, &n);

	c->needs_read = io == HTTP_IO_NEEDS_READ;
	c->needs_write = io == HTTP_IO_NEEDS_WRITE;
	if (io == HTTP_IO_END)
		c->is_over = true;
	if (io != HTTP_IO_DONE)
		return false;
	if ((c->out_at += n) == out.len)
		return wrote_all(c);
	http_conn_wait(c, HTTP_WAIT_WRITE);
	return true;
}

static bool
step(struct http_conn *c)
{
	switch (c->state) {
	case HTTP_CONN_READING:
		return read_some(c);
	case HTTP_CONN_WRITING:
		return write_some(c);
	case HTTP_CONN_LINGERING:
		return http_conn_drain(c);
	case HTTP_CONN_WORKING:
		break;
	}
	return false;
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	http_conn_pump(arg);
}

/* The descriptor is asked for what the next step waits for. */
static void
arm(struct http_conn *c)
{
	bool reads = c->state == HTTP_CONN_READING || c->state == HTTP_CONN_LINGERING || c->needs_read;

	if (c->is_paused && reads) {
		c->is_paused = false;
		c->is_over = event_add(&c->readable, NULL) != 0 || c->is_over;
	}
	if (!c->needs_write)
		return;
	if (c->writable == NULL)
		c->writable = event_new(c->server->base, c->fd, EV_WRITE, on_writable, c);
	c->is_over = c->writable == NULL || event_add(c->writable, NULL) != 0 || c->is_over;
}

void
http_conn_pump(struct http_conn *c)
{
	if (c->is_pumping)
		return;
	c->is_pumping = true;
	while (!c->is_over && step(c))
		;
	if (!c->is_over)
		arm(c);
	c->is_pumping = false;
	if (c->is_over)
		http_conn_free(c);
}

/* While we are busy with it a client is not read from; that it has gone is noticed all the same. */
static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct http_conn *c = arg;

	(void)fd;
	(void)what;
	if (c->state == HTTP_CONN_READING || c->state == HTTP_CONN_LINGERING || c->needs_read) {
		http_conn_pump(c);
		return;
	}
	c->saw_end = c->saw_end || http_conn_ended(c);
	c->is_paused = true;
	event_del(&c->readable);
}

void
http_conn_due(struct http_conn *c)
{
	bool may_be_told = c->state == HTTP_CONN_READING && c->parser != NULL &&
	    (c->wait == HTTP_WAIT_HEAD || c->wait == HTTP_WAIT_BODY);

	http_conn_wait(c, HTTP_WAIT__COUNT);
	if (may_be_told)
		http_conn_refuse(c, 408);
	else
		c->is_over = true;
	http_conn_pump(c);
}

enum err
http_conn_open(struct http_server *s, int fd, const struct http_address *from)
{
	struct http_conn *c = calloc(1, sizeof *c);
	enum err e = c == NULL ? ERR_NO_MEMORY : OK;

	if (e == OK && s->tls != NULL)
		e = http_tls_open(s->tls, fd, &c->tls);
	if (e != OK) {
		free(c);
		close(fd);
		return e;
	}
	c->server = s;
	c->fd = fd;
	c->address = *from;
	c->wait = HTTP_WAIT__COUNT;
	event_assign(&c->readable, s->base, fd, EV_READ | EV_PERSIST, on_readable, c);
	LIST_INSERT_HEAD(&s->conns, c, in_all);
	s->figures.connections++;
	http_conn_wait(c, HTTP_WAIT_HEAD);
	if (event_add(&c->readable, NULL) != 0) {
		http_conn_free(c);
		return ERR_NO_MEMORY;
	}
	return OK;
}
