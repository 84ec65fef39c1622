#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "actors/http_server_inside.h"

static void
on_woken(evutil_socket_t fd, short what, void *arg)
{
	uint64_t n;
	ssize_t got = read(fd, &n, sizeof n);

	(void)got;
	(void)what;
	(void)arg;
}

void
http_server_wake(struct http_server *s)
{
	uint64_t one = 1;
	ssize_t n = write(s->wake_fd, &one, sizeof one);

	(void)n;
}

void
http_server_wait(struct http_server *s)
{
	(void)event_base_loop(s->base, EVLOOP_ONCE);
}

static void
on_alarm(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
}

void
http_server_alarm(struct http_server *s, uint64_t ms)
{
	struct timeval after = { (time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000) };

	(void)event_add(&s->alarm, &after);
}

static enum err
make_base(struct http_server *s)
{
	struct event_config *c = event_config_new();

	if (c == NULL)
		return ERR_NO_MEMORY;
	(void)event_config_set_flag(c, EVENT_BASE_FLAG_NOLOCK);
	(void)event_config_set_flag(c, EVENT_BASE_FLAG_IGNORE_ENV);
	s->base = event_base_new_with_config(c);
	event_config_free(c);
	if (s->base == NULL || (s->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) < 0 ||
	    (s->reserve = eventfd(0, EFD_CLOEXEC)) < 0)
		return ERR_UNSUPPORTED;
	http_listener_begin(s);
	event_assign(&s->alarm, s->base, -1, 0, on_alarm, s);
	event_assign(&s->woken, s->base, s->wake_fd, EV_READ | EV_PERSIST, on_woken, s);
	s->has_woken = event_add(&s->woken, NULL) == 0;
	return s->has_woken ? OK : ERR_NO_MEMORY;
}

enum err
http_server_new(const struct http_server_config *config, struct http_server **out)
{
	struct http_server *s = calloc(1, sizeof *s);
	enum err e;

	if (s == NULL)
		return ERR_NO_MEMORY;
	s->config = *config;
	s->fd = s->wake_fd = s->reserve = -1;
	for (size_t i = 0; i < HTTP_WAIT__COUNT; i++)
		TAILQ_INIT(&s->waiting[i]);
	LIST_INIT(&s->conns);
	if ((e = make_base(s)) == OK && (e = http_peers_new(&s->peers)) == OK && config->http->certificate != NULL)
		e = http_tls_new(secret_span(config->http->certificate), secret_span(config->http->key), &s->tls);
	if (e != OK) {
		http_server_free(&s);
		return e;
	}
	*out = s;
	return OK;
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void
http_server_free(struct http_server **at)
{
	struct http_server *s = *at;

	if (s == NULL)
		return;
	if (s->fd >= 0)
		event_del(&s->acceptable);
	close_fd(s->fd);
	s->fd = -1;
	while (!LIST_EMPTY(&s->conns))
		http_conn_free(LIST_FIRST(&s->conns));
	if (s->has_woken) {
		event_del(&s->woken);
		event_del(&s->resume);
		event_del(&s->alarm);
	}
	if (s->base != NULL)
		event_base_free(s->base);
	close_fd(s->wake_fd);
	close_fd(s->reserve);
	if (s->tls != NULL)
		http_tls_free(&s->tls);
	http_peers_free(&s->peers);
	free(s);
	*at = NULL;
}

struct mono_ms
http_server_tick(struct http_server *s, struct mono_ms now)
{
	struct mono_ms next = { 0 };

	for (size_t i = 0; i < HTTP_WAIT__COUNT; i++) {
		struct http_conn *c;

		while ((c = TAILQ_FIRST(&s->waiting[i])) != NULL && c->due_ms <= now.ms)
			http_conn_due(c);
		if (c != NULL && (next.ms == 0 || c->due_ms < next.ms))
			next.ms = c->due_ms;
	}
	return next;
}

void
http_server_make_room(struct http_server *s, const struct http_conn *but)
{
	struct http_conn *slowest;

	while (s->figures.output > HTTP_OUTPUT_MAX) {
		slowest = TAILQ_FIRST(&s->waiting[HTTP_WAIT_WRITE]);
		if (slowest == NULL || slowest == but)
			return;
		http_conn_due(slowest);
	}
}

struct http_figures
http_server_figures(const struct http_server *s)
{
	return s->figures;
}
