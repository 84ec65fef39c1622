/*
 * One POST: what it asks is asked, one thing after the other, and then it is
 * answered. What concerns the connection as a whole (the token has died, a
 * scope is missing, the profile was closed) is the answer to all of it, as
 * HTTP has it; what concerns one call is that call's own.
 */
#include <stdlib.h>
#include <string.h>

#include "actors/http_mcp_inside.h"

/* What came of one ask. */
struct came {
	struct secret *result;
	char           message[HTTP_ASK_MESSAGE_MAX];
};

struct http_call {
	LIST_ENTRY(http_call)    in_all;
	struct http_gateway     *g;
	struct http_exchange    *x;
	struct http_token        token;
	struct mcp_http_post     post;
	struct mcp_http_plan     plan;
	struct mcp_http_outcome *outcomes; /* owned, as many as the plan has asks */
	struct came             *came;     /* likewise */
	size_t                   next;     /* ask */
	bool                     is_asking; /* one is in flight */
	enum err                 late;     /* of one that nobody answered in time: those behind it are not made */
};

static void run(struct http_call *c);

static void
call_free(struct http_call *c)
{
	for (size_t i = 0; i < c->plan.n_asks && c->came != NULL; i++)
		if (c->came[i].result != NULL) {
			c->g->mcp->held -= secret_len(c->came[i].result);
			secret_free(&c->came[i].result);
		}
	LIST_REMOVE(c, in_all);
	free(c->came);
	free(c->outcomes);
	mcp_http_plan_free(&c->plan);
	free(c);
}

/* The exchange comes last: its answer may bring the next request. */
static void
finish(struct http_call *c, struct http_response *r)
{
	struct http_gateway *g = c->g;
	struct http_exchange *x = c->x;

	call_free(c);
	http_mcp_answer(g, x, r);
}

static void
finish_error(struct http_call *c, int status, enum err e)
{
	struct http_gateway *g = c->g;
	struct http_exchange *x = c->x;

	call_free(c);
	http_mcp_answer_error(g, x, status, e);
}

static void
finish_challenge(struct http_call *c, enum oauth_challenge what)
{
	struct http_gateway *g = c->g;
	struct http_exchange *x = c->x;
	uint8_t scopes = c->plan.scopes;

	call_free(c);
	http_mcp_challenge(g, x, what, scopes);
}

static void
finish_answer(struct http_call *c)
{
	struct http_response r;

	http_response_start(&r, c->plan.status);
	if (c->plan.answer.len > 0)
		http_response_body(&r, "application/json", (struct span){ c->plan.answer.p, c->plan.answer.len });
	finish(c, &r);
}

/* True: the ask's end was the whole POST's. */
static bool
ends_all(struct http_call *c, enum err e)
{
	switch ((unsigned)e) {
	case ERR_INVALID_TOKEN:
		http_mcp_forget_token(c->g->mcp, c->token.hash);
		finish_challenge(c, OAUTH_INVALID_TOKEN);
		return true;
	case ERR_INSUFFICIENT_SCOPE:
		http_mcp_forget_token(c->g->mcp, c->token.hash);
		finish_challenge(c, OAUTH_INSUFFICIENT_SCOPE);
		return true;
	case ERR_LOCKED:
	case ERR_PROFILE_OFF:
	case ERR_MAINTENANCE:
		finish_error(c, 503, e);
		return true;
	default:
		return false;
	}
}

static void
note_outcome(struct http_call *c, enum err e)
{
	c->outcomes[c->next] = (struct mcp_http_outcome){ .error = e };
	mcp_repeats_note(c->g->mcp->repeats, c->token.connection, &c->plan.asks[c->next], e);
}

static void
on_done(void *arg, struct http_ask_end *end, struct outbox *out)
{
	struct http_call *c = arg;
	struct came *came = &c->came[c->next];

	c->g->out = out;
	c->is_asking = false;
	came->result = end->result;
	if (came->result != NULL)
		c->g->mcp->held += secret_len(came->result);
	if (end->error == ERR_TIMEOUT || end->error == ERR_AUDIT_TIMEOUT)
		c->late = end->error;
	if (ends_all(c, end->error))
		return;
	note_outcome(c, end->error);
	if (end->message[0] != '\0') {
		memcpy(came->message, end->message, sizeof came->message);
		c->outcomes[c->next].message = came->message;
	}
	if (came->result != NULL)
		c->outcomes[c->next].result = secret_span(came->result);
	c->next++;
	run(c);
}

/* One connection leaves room for the others. */
static bool
asks_too_much(const struct http_call *c)
{
	const struct http_call *other;
	size_t n = 0;

	LIST_FOREACH(other, &c->g->mcp->calls, in_all)
		n += other->is_asking && uuid_equal(other->token.connection, c->token.connection);
	return n >= HTTP_ASKS_EACH_MAX || c->g->mcp->held > HTTP_HELD_MAX;
}

/* False: it is under way, or was the end of all. */
static bool
begin(struct http_call *c)
{
	const struct profile_ask *ask = &c->plan.asks[c->next];
	struct http_ask_want want = { .op = ask->op, .offset = ask->offset, .limit = ask->limit,
		.request = { ask->request.p, ask->request.len }, .done = on_done, .arg = c };
	enum err e;

	memcpy(want.token, c->token.hash, sizeof want.token);
	e = asks_too_much(c) ? ERR_BUSY : http_asks_begin(c->g->asks, &want, c->g->out);
	c->is_asking = e == OK;
	if (e == OK)
		return false;
	if (e == ERR_BUSY && c->next == 0) {
		finish_error(c, 503, e);
		return false;
	}
	c->outcomes[c->next].error = e;
	return true;
}

/* What needs nobody: a call that is wrong in itself, or was repeated too often. */
static bool
is_decided(struct http_call *c)
{
	const struct profile_ask *ask = &c->plan.asks[c->next];

	if (mcp_repeats_blocked(c->g->mcp->repeats, c->token.connection, ask))
		c->outcomes[c->next].error = ERR_REPEATED_FAILURE;
	else if (ask->refused != OK)
		note_outcome(c, ask->refused);
	else if (c->late != OK)
		c->outcomes[c->next] = (struct mcp_http_outcome){ .error = c->late,
			.message = "it was not begun: a call before it got no answer in time" };
	else
		return false;
	return true;
}

static void
run(struct http_call *c)
{
	enum err e;

	while (c->next < c->plan.n_asks) {
		if (c->plan.is_modern && !http_exchange_is_wanted(c->x)) {
			finish_error(c, 503, ERR_INTERRUPTED);
			return;
		}
		if (!is_decided(c) && !begin(c))
			return;
		c->next++;
	}
	if ((e = mcp_http_answer(&c->post, c->outcomes, &c->plan)) != OK)
		finish_error(c, 500, e);
	else
		finish_answer(c);
}

static struct mcp_http_header
header_of(const struct http_request *q, const char *name)
{
	struct mcp_http_header h;

	h.n = http_header(q, name, &h.value);
	return h;
}

/* Of what it may not do nothing is done; it is recorded as grants would have it recorded. */
static void
refuse_scope(struct http_call *c)
{
	const struct profile_ask *ask = c->plan.asks;

	while ((ask->scopes & ~c->token.scopes) == 0)
		ask++;
	http_asks_note_refused(c->g->asks, c->token.connection, ask->op, ERR_INSUFFICIENT_SCOPE, c->g->out);
	finish_challenge(c, OAUTH_INSUFFICIENT_SCOPE);
}

static enum err
plan(struct http_call *c)
{
	enum err e;

	if ((e = mcp_http_plan(&c->post, &c->plan)) != OK || c->plan.n_asks == 0)
		return e;
	c->outcomes = calloc(c->plan.n_asks, sizeof *c->outcomes);
	c->came = calloc(c->plan.n_asks, sizeof *c->came);
	return c->outcomes == NULL || c->came == NULL ? ERR_NO_MEMORY : OK;
}

void
http_mcp_call(struct http_gateway *g, struct http_exchange *x, const struct http_token *token)
{
	const struct http_request *q = http_exchange_request(x);
	struct http_call *c = calloc(1, sizeof *c);
	enum err e;

	if (c == NULL) {
		http_mcp_answer_error(g, x, 500, ERR_NO_MEMORY);
		return;
	}
	*c = (struct http_call){ .g = g, .x = x, .token = *token, .post = { .body = q->body,
	    .version = header_of(q, "mcp-protocol-version"), .method = header_of(q, "mcp-method"), .name = header_of(q, "mcp-name") } };
	LIST_INSERT_HEAD(&g->mcp->calls, c, in_all);
	if ((e = plan(c)) != OK)
		finish_error(c, 500, e);
	else if ((c->plan.scopes & ~c->token.scopes) != 0)
		refuse_scope(c);
	else if (c->plan.n_asks == 0)
		finish_answer(c);
	else
		run(c);
}
