/* What the gate knows of the others: the welcome to a client, and the status. */
#include <string.h>

#include "actors/mcp_gateway_state.h"
#include "actors/search.h"
#include "store/log.h"

enum err
mcp_gateway_on_hello(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	struct flight *f;
	enum err e;

	if (in->body->hello.fingerprint != protocol_fingerprint())
		return mcp_gateway_refuse(out, in->ask_id, ERR_PROTOCOL);
	if ((e = mcp_gateway_begin(g, in, COMMAND_MS, out, &f)) != OK || f == NULL)
		return e;
	return outbox_put(out, MSG_STATE_WANTED, in->ask_id, &(struct nothing_body){ 0 });
}

enum err
mcp_gateway_on_status_ask(void *self, const struct inbound *in, struct outbox *out)
{
	struct flight *f;
	enum err e = mcp_gateway_begin(self, in, ASK_MS, out, &f);

	if (e != OK || f == NULL)
		return e;
	return outbox_put(out, MSG_STATE_WANTED, in->ask_id, &(struct nothing_body){ 0 });
}

static enum err
welcome(const struct mcp_gateway *g, uint64_t ask_id, const struct state_body *s, struct outbox *out)
{
	struct welcome_body w = {
		.initialized = s->initialized, .library = s->library, .keyring_ready = g->keyring_up, .boot = g->boot,
	};

	memcpy(w.log_public, s->log_public, sizeof w.log_public);
	return outbox_put(out, MSG_WELCOME, ask_id, &w);
}

enum err
mcp_gateway_put_status(const struct mcp_gateway *g, uint64_t ask_id, const struct flight *f,
    const struct log_state_body *log, struct outbox *out)
{
	struct status_body s = { .state = f->state, .search = g->search };

	/* A home without a library has no log that could fail; with one, a log that is not open yet takes no record. */
	if (s.state.initialized)
		s.log = *log;
	/* One that is not there, or has not heard yet, is coming up. */
	if (s.state.unlocked && (!g->search_up || s.search.state == SEARCH_OFF))
		s.search = (struct search_state_body){ .state = SEARCH_WARMING };
	s.state.backend = (struct span){ (const uint8_t *)f->backend, strlen(f->backend) };
	s.weakened = (struct span){ (const uint8_t *)g->settings->weakened, strlen(g->settings->weakened) };
	return outbox_put(out, MSG_STATUS, ask_id, &s);
}

enum err
mcp_gateway_on_state(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	const struct state_body *s = &in->body->state;
	const struct log_state_body away = { .state = LOG_FAILED, .failure = ERR_AUDIT_UNAVAILABLE };
	struct flight *f = mcp_gateway_find(g, in->ask_id);
	enum err e;

	if (f == NULL)
		return OK;
	if (f->type == MSG_HELLO) {
		mcp_gateway_end(g, in->ask_id);
		return welcome(g, in->ask_id, s, out);
	}
	f->state = *s;
	f->has_state = true;
	memcpy(f->backend, s->backend.p, s->backend.len);
	if (g->audit_up)
		return outbox_put(out, MSG_LOG_STATE_WANTED, in->ask_id, &(struct nothing_body){ 0 });
	e = mcp_gateway_put_status(g, in->ask_id, f, &away, out);
	mcp_gateway_end(g, in->ask_id);
	return e;
}

enum err
mcp_gateway_on_log_state(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;
	struct flight *f = mcp_gateway_find(g, in->ask_id);
	enum err e;

	if (f == NULL)
		return OK;
	e = mcp_gateway_put_status(g, in->ask_id, f, &in->body->log_state, out);
	mcp_gateway_end(g, in->ask_id);
	return e;
}

/* Moves what a span points at out of the frame. */
static void
keep_span(struct span *s, uint8_t *to)
{
	if (s->len > 0)
		memcpy(to, s->p, s->len);
	s->p = to;
}

enum err
mcp_gateway_on_boot(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;

	(void)out;
	g->boot = in->body->boot;
	keep_span(&g->boot.certificate, g->certificate);
	keep_span(&g->boot.epoch_certificate, g->epoch_certificate);
	keep_span(&g->boot.earlier_certificate, g->earlier_certificate);
	g->keyring_up = true;
	return OK;
}

enum err
mcp_gateway_on_search_state(void *self, const struct inbound *in, struct outbox *out)
{
	struct mcp_gateway *g = self;

	(void)out;
	g->search = in->body->search_state;
	return OK;
}
