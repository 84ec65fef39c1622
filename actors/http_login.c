#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "actors/http_login.h"
#include "escrow/password.h"

/* A place is waiting, being tried, or done; at most one is being tried. */
enum state {
	FREE,
	WAITS,
	TRIED,
	DONE,
};

struct try {
	enum state     state;
	uint64_t       turn;     /* who came first is tried first */
	struct secret *password; /* owned until it is done */
	struct secret *verifier;
	void          *what;
	enum err       result;
};

struct http_login {
	pthread_mutex_t lock;
	pthread_cond_t  changed;
	pthread_t       thread;
	bool            has_thread, stops;
	struct try      tries[HTTP_LOGIN_QUEUE];
	uint64_t        n_tries;
	void          (*wake)(void *arg);
	void           *arg;
};

static void
clear(struct try *t, void (*drop)(void *what))
{
	if (t->state != FREE)
		drop(t->what);
	secret_free(&t->password);
	secret_free(&t->verifier);
	t->state = FREE;
}

/* Who came first of those in that state; NULL: nobody. */
static struct try *
first(struct http_login *l, enum state state)
{
	struct try *found = NULL;

	for (size_t i = 0; i < HTTP_LOGIN_QUEUE; i++)
		if (l->tries[i].state == state && (found == NULL || l->tries[i].turn < found->turn))
			found = &l->tries[i];
	return found;
}

static void *
run(void *arg)
{
	struct http_login *l = arg;

	pthread_mutex_lock(&l->lock);
	while (!l->stops) {
		struct try *t = first(l, WAITS);
		enum err e;

		if (t == NULL) {
			pthread_cond_wait(&l->changed, &l->lock);
			continue;
		}
		t->state = TRIED;
		pthread_mutex_unlock(&l->lock);
		e = password_verify(t->password, secret_span(t->verifier));
		pthread_mutex_lock(&l->lock);
		secret_free(&t->password);
		secret_free(&t->verifier);
		t->result = e;
		t->state = DONE;
		if (l->wake != NULL)
			l->wake(l->arg);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

enum err
http_login_new(void (*wake)(void *arg), void *arg, struct http_login **out)
{
	struct http_login *l = calloc(1, sizeof *l);

	if (l == NULL)
		return ERR_NO_MEMORY;
	l->wake = wake;
	l->arg = arg;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	if (pthread_create(&l->thread, NULL, run, l) != 0) {
		http_login_free(&l, NULL);
		return ERR_UNSUPPORTED;
	}
	l->has_thread = true;
	*out = l;
	return OK;
}

void
http_login_free(struct http_login **l, void (*drop)(void *what))
{
	if (*l == NULL)
		return;
	pthread_mutex_lock(&(*l)->lock);
	(*l)->stops = true;
	pthread_cond_broadcast(&(*l)->changed);
	pthread_mutex_unlock(&(*l)->lock);
	if ((*l)->has_thread)
		pthread_join((*l)->thread, NULL);
	for (size_t i = 0; i < HTTP_LOGIN_QUEUE; i++)
		clear(&(*l)->tries[i], drop);
	pthread_cond_destroy(&(*l)->changed);
	pthread_mutex_destroy(&(*l)->lock);
	free(*l);
	*l = NULL;
}

enum err
http_login_try(struct http_login *l, struct secret *password, struct span verifier, void *what)
{
	struct secret *copy;
	struct try *t;

	if (secret_new(verifier.len, &copy) != OK)
		return ERR_NO_MEMORY;
	memcpy(secret_bytes(copy), verifier.p, verifier.len);
	pthread_mutex_lock(&l->lock);
	if ((t = first(l, FREE)) != NULL) {
		*t = (struct try){ .state = WAITS, .turn = ++l->n_tries, .password = password, .verifier = copy, .what = what };
		pthread_cond_signal(&l->changed);
	}
	pthread_mutex_unlock(&l->lock);
	if (t == NULL)
		secret_free(&copy);
	return t == NULL ? ERR_BUSY : OK;
}

bool
http_login_result(struct http_login *l, void **what, enum err *result)
{
	struct try *t;

	pthread_mutex_lock(&l->lock);
	if ((t = first(l, DONE)) != NULL) {
		*what = t->what;
		*result = t->result;
		t->state = FREE;
	}
	pthread_mutex_unlock(&l->lock);
	return t != NULL;
}
