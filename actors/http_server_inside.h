/* http_server_inside: what the files of the server share. */
#ifndef ACTORS_HTTP_SERVER_INSIDE_H
#define ACTORS_HTTP_SERVER_INSIDE_H

#include <event2/event.h>
#include <event2/event_struct.h>
#include <sys/queue.h>

#include "actors/http_peers.h"
#include "actors/http_server.h"
#include "actors/http_tls.h"
#include "gateway/http_parse.h"

/* One list for each length of time: who comes last is due last. */
enum http_wait {
	HTTP_WAIT_HEAD,
	HTTP_WAIT_BODY,
	HTTP_WAIT_WRITE,
	HTTP_WAIT_IDLE,
	HTTP_WAIT_LINGER,
	HTTP_WAIT__COUNT, /* of a connection: it waits for us */
};

enum http_conn_state {
	HTTP_CONN_READING,
	HTTP_CONN_WORKING,   /* an exchange is out */
	HTTP_CONN_WRITING,
	HTTP_CONN_LINGERING, /* all is said; what still comes is thrown away */
};

struct http_conn {
	TAILQ_ENTRY(http_conn) in_wait;
	LIST_ENTRY(http_conn)  in_all;
	struct http_server    *server;
	struct event           readable;
	struct event          *writable;  /* NULL: never waited for */
	struct http_tls_conn  *tls;       /* NULL: none */
	struct http_parser    *parser;    /* NULL: no byte of a request is here */
	struct http_exchange  *exchange;  /* the one that is out */
	struct secret         *out;
	size_t                 out_at;
	struct http_peer      *peer;      /* NULL: not counted */
	struct http_address    address;
	uint64_t               due_ms;
	size_t                 drained;
	size_t                 counted;   /* of the server's input */
	int                    fd;
	unsigned               n_requests;
	enum http_conn_state   state;
	enum http_wait         wait;
	enum http_parse        next;      /* of what came behind the request that is being answered */
	bool                   is_paused; /* not listened to for input */
	bool                   closes;
	bool                   saw_end;   /* the client says no more */
	bool                   needs_read, needs_write; /* what the last try of reading or writing waits for */
	bool                   is_pumping, is_over;
};

TAILQ_HEAD(http_waiting, http_conn);
LIST_HEAD(http_conns, http_conn);

struct http_server {
	struct http_server_config config;
	struct event_base        *base;
	struct http_tls          *tls;
	struct http_peers        *peers;
	struct event              acceptable, woken, resume, alarm;
	bool                      has_woken, has_resume;
	int                       fd;      /* -1: it does not listen */
	int                       wake_fd;
	int                       reserve; /* a descriptor to give up when there is no other */
	bool                      is_paused;
	struct http_waiting       waiting[HTTP_WAIT__COUNT];
	struct http_conns         conns;
	struct http_figures       figures;
};

struct http_exchange {
	struct http_conn   *conn;   /* NULL: gone */
	struct http_parser *parser; /* holds the request */
	struct http_request request;
	char                peer[HTTP_ADDRESS_TEXT_MAX];

	/* Of one without a connection from its start. */
	void              (*on_answer)(void *arg, const struct http_response *r);
	void               *arg;
};

/* http_listener.c: has its events; nothing is listened to yet. */
void http_listener_begin(struct http_server *s);

/* A connection of that descriptor, which is its own then; on an error it is closed. */
enum err http_conn_open(struct http_server *s, int fd, const struct http_address *from);

/* Goes on with it as far as it goes; may free it. */
void http_conn_pump(struct http_conn *c);
void http_conn_free(struct http_conn *c);

/* Its time is over. */
void http_conn_due(struct http_conn *c);

/* Which time it has from now on. */
void http_conn_wait(struct http_conn *c, enum http_wait wait);

/* Reads and writes without waiting, over TLS or plainly. */
enum http_io http_conn_recv(struct http_conn *c, uint8_t *p, size_t room, size_t *n);
enum http_io http_conn_send(struct http_conn *c, const uint8_t *p, size_t len, size_t *n);

/* Throws away what comes. True: it may be called again. */
bool http_conn_drain(struct http_conn *c);

/* The client has ended its side; looked at without taking anything. */
bool http_conn_ended(struct http_conn *c);

/* A request that is complete in the connection's parser becomes an exchange. */
void http_exchange_begin(struct http_conn *c);

/* What is said to a request that is none; the connection ends behind it. */
void http_conn_refuse(struct http_conn *c, int status);

/* Counts the memory of its input anew. False: there is too much of it over all connections. */
bool http_conn_count(struct http_conn *c);

/* Its response is written, or never will be. */
void http_conn_drop_out(struct http_conn *c);

/* Leaves slow readers, but not that one, while all responses together are too much. */
void http_server_make_room(struct http_server *s, const struct http_conn *but);

/* A connection is between two requests: it may be left for another, where they are many. */
void http_server_has_idle(struct http_server *s);

/* A connection has ended: the listener may go on. */
void http_server_left(struct http_server *s);

#endif
