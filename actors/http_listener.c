/* Who may come in: the listening socket, and what is done where there is no room. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "actors/http_server_inside.h"
#include "gateway/http_peer.h"

#define BACKLOG         1024
#define ACCEPTS_AT_ONCE 64
#define BACK_OFF_MS     100

static void
pause_listener(struct http_server *s)
{
	if (!s->is_paused)
		event_del(&s->acceptable);
	s->is_paused = true;
}

static void
resume_listener(struct http_server *s)
{
	if (s->is_paused && s->fd >= 0 && event_add(&s->acceptable, NULL) == 0)
		s->is_paused = false;
}

static bool
is_full(const struct http_server *s)
{
	return s->figures.connections >= s->config.connections_max;
}

/* Who is quiet between two requests makes room for another, and can come again. */
static struct http_conn *
idlest(const struct http_server *s)
{
	return TAILQ_FIRST(&s->waiting[HTTP_WAIT_IDLE]);
}

void
http_server_has_idle(struct http_server *s)
{
	if (is_full(s))
		resume_listener(s);
}

void
http_server_left(struct http_server *s)
{
	if (s->figures.connections-- == s->config.connections_max)
		resume_listener(s);
}

static void
on_resume(evutil_socket_t fd, short what, void *arg)
{
	struct http_server *s = arg;

	(void)fd;
	(void)what;
	if (s->reserve < 0)
		s->reserve = eventfd(0, EFD_CLOEXEC);
	if (!is_full(s) || idlest(s) != NULL)
		resume_listener(s);
}

static void
address_of(const struct sockaddr_storage *sa, struct http_address *out)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;

	if (sa->ss_family == AF_INET) {
		memcpy(&v4, sa, sizeof v4);
		memcpy(out->b, mapped, sizeof mapped);
		memcpy(out->b + sizeof mapped, &v4.sin_addr, 4);
	} else {
		memcpy(&v6, sa, sizeof v6);
		memcpy(out->b, &v6.sin6_addr, 16);
	}
}

/* Without a descriptor the one that waits would be told of for ever: it is taken with the reserve, and sent away. */
static void
out_of_descriptors(struct http_server *s)
{
	struct timeval soon = { .tv_usec = BACK_OFF_MS * 1000 };
	int fd;

	if (s->reserve >= 0) {
		close(s->reserve);
		if ((fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
			s->figures.turned_away++;
			close(fd);
		}
		s->reserve = eventfd(0, EFD_CLOEXEC);
	}
	pause_listener(s);
	(void)event_add(&s->resume, &soon);
}

static void
take_connection(struct http_server *s, int fd, const struct sockaddr_storage *sa)
{
	struct http_peer *peer = NULL;
	struct http_address from;
	enum err e = OK;

	address_of(sa, &from);
	/* One proxy brings many; on this machine all are one address. */
	if (!http_address_is_loopback(&from) && !http_is_proxy(s->config.http, &from))
		e = http_peers_add(s->peers, &from, s->config.http->peer_connections, &peer);
	if (e != OK) {
		s->figures.turned_away++;
		close(fd);
		return;
	}
	s->figures.accepted++;
	if (http_conn_open(s, fd, &from) == OK)
		LIST_FIRST(&s->conns)->peer = peer;
	else if (peer != NULL)
		http_peers_remove(s->peers, peer);
}

static void
on_acceptable(evutil_socket_t listener, short what, void *arg)
{
	struct http_server *s = arg;
	struct sockaddr_storage sa;

	(void)what;
	for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
		socklen_t len = sizeof sa;
		int fd;

		if (is_full(s) && idlest(s) == NULL) {
			pause_listener(s);
			return;
		}
		fd = accept4(listener, (struct sockaddr *)&sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
			out_of_descriptors(s);
			return;
		}
		if (fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (fd >= 0 && is_full(s))
			http_conn_due(idlest(s));
		if (fd >= 0)
			take_connection(s, fd, &sa);
	}
}

static socklen_t
fill_address(const struct http_config *c, struct sockaddr_storage *sa)
{
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)c->port) };
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)c->port) };

	memset(sa, 0, sizeof *sa);
	if (http_address_is_v4(&c->address)) {
		memcpy(&v4.sin_addr, c->address.b + 12, 4);
		memcpy(sa, &v4, sizeof v4);
		return sizeof v4;
	}
	memcpy(&v6.sin6_addr, c->address.b, 16);
	memcpy(sa, &v6, sizeof v6);
	return sizeof v6;
}

enum err
http_server_listen(struct http_server *s)
{
	struct sockaddr_storage sa;
	socklen_t len = fill_address(s->config.http, &sa);
	int on = 1, fd;

	if (s->fd >= 0)
		return OK;
	if ((fd = socket(sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) < 0)
		return ERR_LISTEN_FAILED;
	/* What is accepted inherits it: without it a large answer waits for the client's delayed word. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (sa.ss_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	event_assign(&s->acceptable, s->base, fd, EV_READ | EV_PERSIST, on_acceptable, s);
	if (bind(fd, (struct sockaddr *)&sa, len) != 0 || listen(fd, BACKLOG) != 0 || event_add(&s->acceptable, NULL) != 0) {
		close(fd);
		return ERR_LISTEN_FAILED;
	}
	s->fd = fd;
	s->is_paused = false;
	return OK;
}

bool
http_server_listens(const struct http_server *s)
{
	return s->fd >= 0;
}

unsigned
http_server_port(const struct http_server *s)
{
	struct sockaddr_storage sa;
	struct sockaddr_in v4;
	socklen_t len = sizeof sa;

	/* The port lies at the same place in both families. */
	if (s->fd < 0 || getsockname(s->fd, (struct sockaddr *)&sa, &len) != 0)
		return 0;
	memcpy(&v4, &sa, sizeof v4);
	return ntohs(v4.sin_port);
}

void
http_listener_begin(struct http_server *s)
{
	event_assign(&s->resume, s->base, -1, 0, on_resume, s);
}
