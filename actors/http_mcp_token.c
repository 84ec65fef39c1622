/*
 * Whose token it is. Grants says so, and says it anew in the ruling over each
 * ask; what is kept here for some seconds decides only what is answered without
 * one, and which failures are whose.
 */
#include <string.h>
#include <strings.h>

#include "actors/http_mcp_inside.h"
#include "gateway/oauth_hash.h"

#define CHECK_MS 2000

/* Apart from the ids of all that this process asks otherwise. */
#define OUR_IDS (ASK_INSIDE | (uint64_t)1 << 60)

enum found { TOKEN_THERE, TOKEN_ABSENT, TOKEN_TWICE };

/* What follows "Bearer" in the one Authorization header. Whatever else there is, in the URL or a cookie, is no token. */
static enum found
find_token(const struct http_request *q, struct span *token)
{
	static const char scheme[] = "bearer";
	struct span value;
	size_t n = http_header(q, "authorization", &value);

	if (n > 1)
		return TOKEN_TWICE;
	if (n == 0 || value.len < sizeof scheme - 1 || strncasecmp((const char *)value.p, scheme, sizeof scheme - 1) != 0)
		return TOKEN_ABSENT;
	*token = (struct span){ value.p + sizeof scheme - 1, value.len - (sizeof scheme - 1) };
	if (token->len > 0 && *token->p != ' ')
		return TOKEN_ABSENT;
	while (token->len > 0 && *token->p == ' ') {
		token->p++;
		token->len--;
	}
	return token->len > 0 ? TOKEN_THERE : TOKEN_ABSENT;
}

static struct http_token *
slot_of(struct http_mcp *m, const uint8_t hash[32])
{
	return &m->tokens[hash[0]];
}

static const struct http_token *
known(struct http_mcp *m, const uint8_t hash[32], struct mono_ms now)
{
	const struct http_token *t = slot_of(m, hash);

	return t->until.ms > now.ms && same_bytes(t->hash, hash, sizeof t->hash) ? t : NULL;
}

void
http_mcp_forget_token(struct http_mcp *m, const uint8_t hash[32])
{
	struct http_token *t = slot_of(m, hash);

	if (same_bytes(t->hash, hash, sizeof t->hash))
		memset(t, 0, sizeof *t);
}

void
http_mcp_forget_tokens(struct http_mcp *m)
{
	memset(m->tokens, 0, sizeof m->tokens);
}

static void
ask_grants(struct http_gateway *g, struct http_exchange *x, const uint8_t hash[32])
{
	struct mono_ms deadline = { clock_mono().ms + CHECK_MS };
	uint64_t ask_id = OUR_IDS | ++g->mcp->n_ids;
	struct token_check_body body;
	void *value = NULL;
	enum err e;

	memcpy(body.token, hash, sizeof body.token);
	if (!g->is_up[ACTOR_GRANTS])
		e = ERR_INTERRUPTED;
	else if ((e = pending_add(g->mcp->checks, ask_id, deadline, &value)) == OK) {
		struct http_check *check = value;

		*check = (struct http_check){ .g = g, .x = x };
		memcpy(check->hash, hash, sizeof check->hash);
		if ((e = outbox_put(g->out, MSG_TOKEN_CHECK, ask_id, &body)) == OK)
			return;
		pending_end(g->mcp->checks, ask_id);
	}
	http_mcp_answer_error(g, x, 503, e);
}

void
http_mcp_authorize(struct http_gateway *g, struct http_exchange *x)
{
	const struct http_token *kept;
	struct http_token token;
	struct http_response r;
	struct span text;
	uint8_t hash[32];

	switch (find_token(http_exchange_request(x), &text)) {
	case TOKEN_ABSENT:
		http_mcp_challenge(g, x, OAUTH_NO_TOKEN, 0);
		return;
	case TOKEN_TWICE:
		http_error_json(&r, 400, "invalid_request", "more than one Authorization header");
		http_mcp_answer(g, x, &r);
		return;
	case TOKEN_THERE:
		break;
	}
	if (!oauth_token_formed(OAUTH_ACCESS, text)) {
		http_asks_note_stranger(g->asks, ERR_INVALID_TOKEN);
		http_mcp_challenge(g, x, OAUTH_INVALID_TOKEN, 0);
		return;
	}
	oauth_hash(text, hash);
	if ((kept = known(g->mcp, hash, clock_mono())) == NULL) {
		ask_grants(g, x, hash);
		return;
	}
	token = *kept;
	http_mcp_authorized(g, x, &token);
}

enum err
http_mcp_on_token_found(void *self, const struct inbound *in, struct outbox *out)
{
	struct http_gateway *g = http_gateway_enter(self, out);
	const struct http_check *found = pending_find(g->mcp->checks, in->ask_id);
	const struct token_found_body *b = &in->body->token_found;
	struct http_token token = { .connection = b->connection, .scopes = b->scopes };
	uint64_t keep_ms = b->left_ms < HTTP_TOKEN_KEEP_MS ? b->left_ms : HTTP_TOKEN_KEEP_MS;
	struct http_exchange *x;

	if (found == NULL)
		return OK;
	x = found->x;
	memcpy(token.hash, found->hash, sizeof token.hash);
	pending_end(g->mcp->checks, in->ask_id);
	token.until.ms = clock_mono().ms + keep_ms;
	*slot_of(g->mcp, token.hash) = token;
	http_mcp_authorized(g, x, &token);
	return OK;
}

/* A token that is none says so; what keeps it from being looked at says that. */
static void
answer_denied(struct http_gateway *g, struct http_exchange *x, enum err e)
{
	if (e != ERR_INVALID_TOKEN) {
		http_mcp_answer_error(g, x, 503, e);
		return;
	}
	http_asks_note_stranger(g->asks, e);
	http_mcp_challenge(g, x, OAUTH_INVALID_TOKEN, 0);
}

bool
http_mcp_denied(struct http_gateway *g, const struct inbound *in)
{
	const struct http_check *found = pending_find(g->mcp->checks, in->ask_id);
	struct http_exchange *x;
	uint16_t e = in->body->refusal.error;

	if (found == NULL)
		return http_asks_on_refused(g->asks, in, g->out);
	x = found->x;
	pending_end(g->mcp->checks, in->ask_id);
	answer_denied(g, x, e > OK && e < ERR__COUNT ? (enum err)e : ERR_PROTOCOL);
	return true;
}

/* What ended all at once is answered afterwards: an answer may bring the next request. */
struct ended {
	size_t             n;
	struct http_check *checks;
	enum err           why;
};

static void
collect(void *arg, uint64_t ask_id, void *value)
{
	struct ended *ended = arg;

	(void)ask_id;
	ended->checks[ended->n++] = *(struct http_check *)value;
}

static void
answer_ended(struct ended *ended)
{
	for (size_t i = 0; i < ended->n; i++)
		http_mcp_answer_error(ended->checks[i].g, ended->checks[i].x, 503, ended->why);
}

void
http_mcp_end_checks(struct http_gateway *g)
{
	struct ended ended = { .checks = g->mcp->ended, .why = ERR_INTERRUPTED };

	pending_fail_all(g->mcp->checks, collect, &ended);
	answer_ended(&ended);
}

void
http_mcp_on_edge(struct http_gateway *g, enum actor other, bool up)
{
	http_asks_on_edge(g->asks, other, up, g->out);
	if (other != ACTOR_GRANTS || up)
		return;
	http_mcp_forget_tokens(g->mcp);
	http_mcp_end_checks(g);
}

struct mono_ms
http_mcp_tick(struct http_gateway *g, struct mono_ms now)
{
	struct ended ended = { .checks = g->mcp->ended, .why = ERR_TIMEOUT };
	struct mono_ms asks = http_asks_tick(g->asks, now, g->out);

	pending_expire(g->mcp->checks, now, collect, &ended);
	answer_ended(&ended);
	return mono_sooner(asks, pending_next(g->mcp->checks));
}
