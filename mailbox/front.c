#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mailbox/front.h"
#include "mailbox/front_conn.h"
#include "mailbox/log_line.h"

#define TICK_MS 1000

/* An asker that says no hello, or takes no bytes of its answers, for so long is dropped. */
#define HELLO_WITHIN_MS 2000
#define SEND_WITHIN_MS  10000

/* A fault of the gate's must not use up the door: its own deadlines are far shorter. */
#define ANSWER_WITHIN_MS 60000

#define ASKERS_MAX  512

/* Past either, an asker is not read from until it has taken answers. */
#define ASKS_OF_ONE_MAX 64
#define WAITING_MAX     (1024u * 1024)

#define EVENTS_MAX 64

/* Messages of one asker that are taken before the next one has its turn. */
#define TURN_MAX 16

struct asker {
	struct front_conn conn;    /* fd -1: free */
	uint32_t          turn;    /* counts who had this place, so that events of the last are known */
	bool              parked;  /* not read from for now */
	bool              has_more; /* whole messages may wait in its buffer */
	struct mono_ms    came;
	struct mono_ms    since;   /* it came, or last asked */
};

struct slot {
	bool           asked;
	uint64_t       ask_id;
	uint32_t       asker;
	uint32_t       turn;
	uint32_t       request;
	struct mono_ms since;
};

/* The lock guards everything below it; nothing waits under it. */
struct front {
	const char         *path;
	struct front_events events;
	uint32_t            uid;
	int                 listen_fd, epoll_fd, wake_fd;
	pthread_t           thread;
	bool                has_thread;
	atomic_bool         is_closing;
	pthread_mutex_t     lock;
	struct asker        askers[ASKERS_MAX];
	size_t              n_askers;
	bool                is_full;     /* the listener rests until an asker has left */
	uint64_t            last_id;
	size_t              next_slot;
	size_t              n_slots;
	struct slot         slots[];
};

#define WORD_LISTEN UINT32_MAX
#define WORD_WAKE   (UINT32_MAX - 1)

static bool
watch(const struct front *f, int op, int fd, uint32_t events, uint32_t word, uint32_t turn)
{
	struct epoll_event e = { .events = events, .data.u64 = (uint64_t)turn << 32 | word };

	return epoll_ctl(f->epoll_fd, op, fd, &e) == 0;
}

static uint32_t
index_of(const struct front *f, const struct asker *a)
{
	return (uint32_t)(a - f->askers);
}

/* What is wanted to be heard of an asker, after anything about it has changed. */
static void
rewatch(struct front *f, struct asker *a)
{
	uint32_t events = (a->parked ? 0u : (uint32_t)EPOLLIN) |
	    (front_conn_waiting(&a->conn) > 0 ? (uint32_t)EPOLLOUT : 0u);

	(void)watch(f, EPOLL_CTL_MOD, a->conn.fd, events, index_of(f, a), a->turn);
}

static void
wake(struct front *f)
{
	uint64_t one = 1;
	ssize_t n = write(f->wake_fd, &one, sizeof one);

	(void)n;
}

/* Asks of it that are still under way are answered to nobody. */
static void
drop(struct front *f, struct asker *a)
{
	front_conn_close(&a->conn);
	a->turn++;
	f->n_askers--;
	if (f->is_full) {
		f->is_full = false;
		(void)watch(f, EPOLL_CTL_MOD, f->listen_fd, EPOLLIN, WORD_LISTEN, 0);
	}
}

static void
park(struct front *f, struct asker *a)
{
	bool parked = a->conn.n_asked >= ASKS_OF_ONE_MAX || front_conn_waiting(&a->conn) > WAITING_MAX;

	if (a->parked && !parked) {
		a->has_more = true;
		wake(f);
	}
	a->parked = parked;
}

/* Counts up, and says by its remainder which slot it is. */
static struct slot *
free_slot(struct front *f)
{
	for (size_t i = 0; i < f->n_slots; i++) {
		struct slot *s = &f->slots[(f->next_slot + i) % f->n_slots];

		if (!s->asked) {
			f->next_slot = (size_t)(s - f->slots) + 1;
			f->last_id += f->n_slots;
			s->ask_id = f->last_id + (uint64_t)(s - f->slots);
			return s;
		}
	}
	return NULL;
}

static void
send_refusal(struct front *f, struct asker *a, uint32_t request, enum err e, struct mono_ms now)
{
	struct refusal_body body = { .error = (uint16_t)e };
	uint8_t bytes[128];
	struct wire_out w = wire_out(bytes, sizeof bytes);

	(void)f;
	message_put(&w, MSG_REFUSED, 0, &body);
	front_conn_send(&a->conn, request, wire_written(&w), now);
}

/* Hands one ask to the gate, or refuses it. True when the gate has work. */
static bool
take_ask(struct front *f, struct asker *a, uint32_t request, struct span message, struct mono_ms now)
{
	struct slot *s = free_slot(f);
	struct front_ask ask = { .peer_uid = f->uid, .peer_pid = a->conn.pid, .peer_since = a->came };
	enum err e = s == NULL ? ERR_BUSY : OK;

	if (e == OK && (ask.arrival = edge_arrival_new(message)) == NULL)
		e = ERR_NO_MEMORY;
	if (e == OK) {
		*s = (struct slot){ .asked = true, .ask_id = s->ask_id, .asker = index_of(f, a), .turn = a->turn,
			.request = request, .since = now };
		ask.ask_id = s->ask_id;
		a->conn.n_asked++;
		if ((e = f->events.take(f->events.arg, &ask)) == OK)
			return true;
		s->asked = false;
		a->conn.n_asked--;
		edge_arrival_free(ask.arrival);
	}
	send_refusal(f, a, request, e, now);
	return false;
}

/* Takes what one asker has sent, as far as its turn goes. True when the gate has work. */
static bool
serve(struct front *f, struct asker *a, struct mono_ms now)
{
	uint32_t request;
	struct span message;
	bool any = false;
	size_t taken = 0;

	a->has_more = false;
	while (!a->parked) {
		if (!front_conn_next(&a->conn, &request, &message)) {
			if (!front_conn_read(&a->conn))
				break;
			continue;
		}
		a->since = now;
		any = take_ask(f, a, request, message, now) || any;
		park(f, a);
		if (++taken == TURN_MAX) {
			a->has_more = true;
			wake(f);
			break;
		}
	}
	if (a->conn.broken)
		drop(f, a);
	else
		rewatch(f, a);
	return any;
}

static struct asker *
free_place(struct front *f)
{
	for (size_t i = 0; i < ASKERS_MAX; i++)
		if (f->askers[i].conn.fd < 0)
			return &f->askers[i];
	return NULL;
}

/* The one that has been idle longest makes room: a bridge that is dropped so comes again by itself. */
static struct asker *
make_place(struct front *f)
{
	struct asker *oldest = NULL;

	for (size_t i = 0; i < ASKERS_MAX; i++) {
		struct asker *a = &f->askers[i];

		if (a->conn.n_asked == 0 && front_conn_waiting(&a->conn) == 0 &&
		    (oldest == NULL || a->since.ms < oldest->since.ms))
			oldest = a;
	}
	if (oldest != NULL)
		drop(f, oldest);
	return oldest;
}

static bool
peer_of(int fd, uint32_t uid, uint32_t *pid)
{
	struct ucred peer;
	socklen_t len = sizeof peer;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0 || peer.uid != (uid_t)uid)
		return false;
	*pid = (uint32_t)peer.pid;
	return true;
}

static void
let_in(struct front *f, int fd, struct mono_ms now)
{
	struct asker *a = free_place(f);
	uint32_t pid;

	/* Strangers are shown out before they can say anything. */
	if (!peer_of(fd, f->uid, &pid) || (a == NULL && (a = make_place(f)) == NULL)) {
		close(fd);
		return;
	}
	front_conn_open(&a->conn, fd, pid);
	a->parked = a->has_more = false;
	a->came = a->since = now;
	f->n_askers++;
	if (!watch(f, EPOLL_CTL_ADD, fd, EPOLLIN, index_of(f, a), a->turn))
		drop(f, a);
}

/* Short of descriptors or memory, the listener rests until an asker leaves or the next tick. */
static void
let_all_in(struct front *f, struct mono_ms now)
{
	int fd;

	while ((fd = accept4(f->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
		let_in(f, fd, now);
	if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR)
		return;
	f->is_full = true;
	(void)watch(f, EPOLL_CTL_MOD, f->listen_fd, 0, WORD_LISTEN, 0);
}

/* Askers whose buffers hold more than their last turn took. */
static bool
serve_rest(struct front *f, struct mono_ms now)
{
	uint64_t count;
	ssize_t n = read(f->wake_fd, &count, sizeof count);
	bool any = false;

	(void)n;
	for (size_t i = 0; i < ASKERS_MAX; i++)
		if (f->askers[i].conn.fd >= 0 && f->askers[i].has_more)
			any = serve(f, &f->askers[i], now) || any;
	return any;
}

static bool
handle(struct front *f, const struct epoll_event *e, struct mono_ms now)
{
	uint32_t word = (uint32_t)e->data.u64, turn = (uint32_t)(e->data.u64 >> 32);
	struct asker *a;

	if (word == WORD_WAKE)
		return serve_rest(f, now);
	if (word == WORD_LISTEN) {
		let_all_in(f, now);
		return false;
	}
	a = &f->askers[word];
	if (a->conn.fd < 0 || a->turn != turn)
		return false;
	if (e->events & EPOLLOUT) {
		front_conn_flush(&a->conn, now);
		park(f, a);
	}
	/* A hang-up while it is parked would be told again and again. */
	if (a->parked && e->events & (EPOLLHUP | EPOLLERR))
		a->conn.broken = true;
	return serve(f, a, now);
}

static void *
door(void *arg)
{
	struct front *f = arg;
	struct epoll_event events[EVENTS_MAX];

	while (!f->is_closing) {
		int n = epoll_wait(f->epoll_fd, events, EVENTS_MAX, -1);
		struct mono_ms now = clock_mono();
		bool any = false;

		pthread_mutex_lock(&f->lock);
		for (int i = 0; i < n && !f->is_closing; i++)
			any = handle(f, &events[i], now) || any;
		pthread_mutex_unlock(&f->lock);
		if (any && !f->is_closing)
			f->events.run(f->events.arg);
	}
	return NULL;
}

/*
 * Ids start where no earlier process of this home can have been, since other
 * actors may still hold its asks: it would have had to take a million asks a
 * second. The high bit stays clear, for asks that begin inside.
 */
static uint64_t
first_id(size_t n_slots)
{
	return (clock_wall().ms << 10) * n_slots;
}

enum err
front_new(const char *path, size_t n_asks, const struct front_events *events, struct front **out)
{
	struct front *f;

	if ((f = calloc(1, sizeof *f + n_asks * sizeof f->slots[0])) == NULL)
		return ERR_NO_MEMORY;
	f->path = path;
	f->events = *events;
	f->n_slots = n_asks;
	f->last_id = first_id(n_asks);
	f->uid = (uint32_t)getuid();
	f->listen_fd = -1;
	for (size_t i = 0; i < ASKERS_MAX; i++)
		f->askers[i].conn.fd = -1;
	pthread_mutex_init(&f->lock, NULL);
	f->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	f->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (f->epoll_fd < 0 || f->wake_fd < 0 || !watch(f, EPOLL_CTL_ADD, f->wake_fd, EPOLLIN, WORD_WAKE, 0)) {
		front_close(f);
		front_free(&f);
		return ERR_UNSUPPORTED;
	}
	*out = f;
	return OK;
}

static bool
listen_at(struct front *f)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	if (strlen(f->path) >= sizeof a.sun_path)
		return false;
	memcpy(a.sun_path, f->path, strlen(f->path) + 1);
	if (unlink(f->path) != 0 && errno != ENOENT)
		return false;
	f->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	/* The mode before anybody can connect: the directory is the owner's alone besides. */
	return f->listen_fd >= 0 && bind(f->listen_fd, (struct sockaddr *)&a, sizeof a) == 0 &&
	    chmod(f->path, 0600) == 0 && listen(f->listen_fd, SOMAXCONN) == 0 &&
	    watch(f, EPOLL_CTL_ADD, f->listen_fd, EPOLLIN, WORD_LISTEN, 0);
}

enum err
front_listen(struct front *f)
{
	if (!listen_at(f) || pthread_create(&f->thread, NULL, door, f) != 0)
		return ERR_UNSUPPORTED;
	f->has_thread = true;
	return OK;
}

void
front_close(struct front *f)
{
	f->is_closing = true;
	if (f->has_thread) {
		wake(f);
		pthread_join(f->thread, NULL);
		f->has_thread = false;
	}
	if (f->listen_fd >= 0) {
		close(f->listen_fd);
		(void)unlink(f->path);
	}
	f->listen_fd = -1;
}

void
front_free(struct front **f)
{
	if (*f == NULL)
		return;
	for (size_t i = 0; i < ASKERS_MAX; i++)
		if ((*f)->askers[i].conn.fd >= 0)
			front_conn_close(&(*f)->askers[i].conn);
	if ((*f)->epoll_fd >= 0)
		close((*f)->epoll_fd);
	if ((*f)->wake_fd >= 0)
		close((*f)->wake_fd);
	pthread_mutex_destroy(&(*f)->lock);
	free(*f);
	*f = NULL;
}

static void
answer(struct front *f, const struct slot *s, struct span message)
{
	struct asker *a = &f->askers[s->asker];

	if (a->conn.fd < 0 || a->turn != s->turn)
		return;
	a->conn.n_asked--;
	front_conn_send(&a->conn, s->request, message, clock_mono());
	if (a->conn.broken) {
		drop(f, a);
		return;
	}
	park(f, a);
	if (a->parked || front_conn_waiting(&a->conn) > 0)
		rewatch(f, a);
}

enum err
front_answer(struct front *f, uint64_t ask_id, struct span message)
{
	struct slot *s = &f->slots[ask_id % f->n_slots];
	bool open;

	pthread_mutex_lock(&f->lock);
	open = s->asked && s->ask_id == ask_id;
	if (open) {
		s->asked = false;
		answer(f, s, message);
	}
	pthread_mutex_unlock(&f->lock);
	return open ? OK : ERR_INTERNAL;
}

enum err
front_refuse(struct front *f, uint64_t ask_id, enum err error)
{
	struct refusal_body body = { .error = (uint16_t)error };
	uint8_t bytes[128];
	struct wire_out w = wire_out(bytes, sizeof bytes);

	message_put(&w, MSG_REFUSED, ask_id, &body);
	return front_answer(f, ask_id, wire_written(&w));
}

static bool
is_overdue(const struct asker *a, struct mono_ms now)
{
	if (!a->conn.greeted && now.ms >= a->since.ms + HELLO_WITHIN_MS)
		return true;
	return front_conn_waiting(&a->conn) > 0 && now.ms >= a->conn.stalled.ms + SEND_WITHIN_MS;
}

/* The first ask that nobody has answered for too long; 0: none. */
static uint64_t
overdue_ask(const struct front *f, struct mono_ms now)
{
	for (size_t i = 0; i < f->n_slots; i++)
		if (f->slots[i].asked && now.ms >= f->slots[i].since.ms + ANSWER_WITHIN_MS)
			return f->slots[i].ask_id;
	return 0;
}

struct mono_ms
front_tick(struct front *f, struct mono_ms now)
{
	uint64_t overdue;

	pthread_mutex_lock(&f->lock);
	for (size_t i = 0; i < ASKERS_MAX; i++)
		if (f->askers[i].conn.fd >= 0 && is_overdue(&f->askers[i], now))
			drop(f, &f->askers[i]);
	if (f->is_full) {
		f->is_full = false;
		(void)watch(f, EPOLL_CTL_MOD, f->listen_fd, EPOLLIN, WORD_LISTEN, 0);
	}
	overdue = overdue_ask(f, now);
	pthread_mutex_unlock(&f->lock);
	if (overdue != 0) {
		log_line_error(ACTOR_GATE, ERR_TIMEOUT, overdue);
		(void)front_refuse(f, overdue, ERR_TIMEOUT);
	}
	return (struct mono_ms){ now.ms + TICK_MS };
}
