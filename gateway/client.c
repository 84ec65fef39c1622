#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "escrow/home_lock.h"
#include "gateway/client.h"
#include "gateway/client_inside.h"
#include "mailbox/clock.h"

#define FRONT_DOOR "service.sock"
#define PATIENCE_MS 3000
#define PAUSE_MS    50
#define RESTART_MS  2500
#define ANSWER_MS  15000 /* longer than any deadline of the daemon */

static void
keep(struct span *s, uint8_t *to)
{
	if (s->len > 0)
		memcpy(to, s->p, s->len);
	s->p = to;
}

/*
 * A boot key that claims a certificate must have a true one, and the log must
 * be the one that is believed. Nothing is left to ask an impostor with.
 */
static enum err
check_boot(struct client *c)
{
	memset(&c->believed, 0, sizeof c->believed);
	if (!c->trusts || (memcmp(c->welcome.log_public, c->log_public, sizeof c->log_public) == 0 &&
	    (!c->welcome.keyring_ready || believed_of(&c->welcome.boot, c->log_public, &c->believed))))
		return OK;
	c->welcome.keyring_ready = false;
	channel_free(&c->channel);
	return ERR_DAEMON_UNTRUSTED;
}

enum err
client_greet(struct client *c)
{
	struct hello_body hello = { .fingerprint = protocol_fingerprint() };
	union any_body answer;
	enum err e;

	if ((e = client_call(c, MSG_HELLO, &hello, MSG_WELCOME, &answer)) != OK)
		return e;
	c->welcome = answer.welcome;
	keep(&c->welcome.boot.certificate, c->certificate);
	keep(&c->welcome.boot.epoch_certificate, c->epoch_certificate);
	keep(&c->welcome.boot.earlier_certificate, c->earlier_certificate);
	channel_free(&c->channel);
	if (c->welcome.keyring_ready &&
	    (e = channel_of_opener(&c->opener, c->welcome.boot.boot_public, &c->channel)) != OK)
		return e == ERR_INVALID_ARGUMENT ? ERR_DAEMON_UNTRUSTED : e;
	return check_boot(c);
}

/* One connection and a hello over it. */
static enum err
connect_once(struct client *c, unsigned patience_ms)
{
	struct dial *fresh;
	enum err e;

	if ((e = dial_open(FRONT_DOOR, patience_ms, &fresh)) != OK)
		return e;
	dial_close(&c->dial);
	c->dial = fresh;
	return client_greet(c);
}

/*
 * A hello that is lost changed nothing: the listener may just be moving, so it
 * is said again for as long as a daemon holds the home.
 */
static enum err
connect_patiently(struct client *c)
{
	const struct timespec pause = { 0, PAUSE_MS * 1000000L };
	struct mono_ms until = { clock_mono().ms + PATIENCE_MS };
	enum err e;

	while ((e = connect_once(c, home_lock_held() ? PATIENCE_MS : 0)) == ERR_INTERRUPTED &&
	    clock_mono().ms < until.ms)
		nanosleep(&pause, NULL);
	return e;
}

enum err
client_open(struct client **out)
{
	struct client *c = calloc(1, sizeof *c);
	enum err e;

	if (c == NULL)
		return ERR_NO_MEMORY;
	c->answer_ms = ANSWER_MS;
	if ((e = key_pair_new(&c->opener)) != OK || (e = connect_patiently(c)) != OK) {
		client_close(&c);
		return e;
	}
	*out = c;
	return OK;
}

enum err
client_again(struct client *c)
{
	return connect_once(c, PATIENCE_MS);
}

void
client_close(struct client **c)
{
	if (*c == NULL)
		return;
	dial_close(&(*c)->dial);
	channel_free(&(*c)->channel);
	key_pair_free(&(*c)->opener);
	remembered_close(&(*c)->remembered);
	free(*c);
	*c = NULL;
}

const struct welcome_body *
client_welcome(const struct client *c)
{
	return &c->welcome;
}

enum err
client_trust(struct client *c, const uint8_t log_public[SIGN_PUBLIC_LEN])
{
	memcpy(c->log_public, log_public, SIGN_PUBLIC_LEN);
	c->trusts = true;
	return check_boot(c);
}

void
client_be_patient(struct client *c, unsigned ms)
{
	c->answer_ms = ms;
}

void
client_remember(struct client *c)
{
	c->remembers = true;
}

/* The error of a refusal, and its detail kept. */
static enum err
refused(struct client *c, const struct refusal_body *r)
{
	size_t len = r->detail.len < sizeof c->detail - 1 ? r->detail.len : sizeof c->detail - 1;

	if (len > 0)
		memcpy(c->detail, r->detail.p, len);
	c->detail[len] = '\0';
	return r->error > OK && r->error < ERR__COUNT ? (enum err)r->error : ERR_PROTOCOL;
}

enum err
client_wait(struct client *c, uint32_t request, enum msg wanted, union any_body *answer)
{
	uint32_t answered;
	enum msg got;
	enum err e;

	c->detail[0] = '\0';
	c->was_refused = false;
	do {
		/* An answer to a request that was given up on is passed over. */
		if ((e = dial_receive(c->dial, c->answer_ms, &answered, &got, answer)) != OK)
			return e;
	} while (answered != request);
	c->was_refused = got == MSG_REFUSED;
	if (got == MSG_REFUSED)
		return refused(c, &answer->refusal);
	return got == wanted ? OK : ERR_PROTOCOL;
}

static enum err
call_once(struct client *c, enum msg type, const void *body, enum msg wanted, union any_body *answer)
{
	uint32_t request;
	enum err e;

	c->detail[0] = '\0';
	if ((e = dial_send(c->dial, type, body, &request)) != OK)
		return e;
	return client_wait(c, request, wanted, answer);
}

/* It changes nothing, and so it can be asked for again. */
static bool
only_looks(enum msg type)
{
	return type == MSG_GRANTS_ASK || type == MSG_CONNECTIONS_ASK || type == MSG_PROFILE_STATE_ASK;
}

enum err
client_call(struct client *c, enum msg type, const void *body, enum msg wanted, union any_body *answer)
{
	const struct timespec pause = { 0, PAUSE_MS * 1000000L };
	struct mono_ms until = { clock_mono().ms + RESTART_MS };
	enum err e = call_once(c, type, body, wanted, answer);

	while (e == ERR_INTERRUPTED && only_looks(type) && clock_mono().ms < until.ms) {
		nanosleep(&pause, NULL);
		if ((e = client_again(c)) == OK)
			e = call_once(c, type, body, wanted, answer);
	}
	return e;
}

int
client_fd(const struct client *c)
{
	return dial_fd(c->dial);
}

const char *
client_detail(const struct client *c)
{
	return c->detail;
}

enum err
client_send(struct client *c, enum msg type, const void *body)
{
	uint32_t request;

	return dial_send(c->dial, type, body, &request);
}

enum err
client_wait_done(struct client *c)
{
	union any_body answer;
	uint32_t request;
	enum msg got;
	enum err e;

	if ((e = dial_receive(c->dial, c->answer_ms, &request, &got, &answer)) != OK)
		return e;
	if (got == MSG_REFUSED)
		return refused(c, &answer.refusal);
	return got == MSG_DONE ? OK : ERR_PROTOCOL;
}

const struct channel *
client_channel(const struct client *c)
{
	return c->channel.up != NULL ? &c->channel : NULL;
}

enum err
client_certified(const struct client *c)
{
	if (c->believed.boot)
		return OK;
	if (!c->welcome.initialized)
		return ERR_NOT_INITIALIZED;
	return c->welcome.keyring_ready && !c->welcome.boot.certified ? ERR_LOCKED : ERR_DAEMON_UNTRUSTED;
}

const uint8_t *
client_opener(const struct client *c)
{
	return c->opener.public_key;
}

uint64_t
client_next_ask(struct client *c)
{
	return ++c->n_asks;
}
