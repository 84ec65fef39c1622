#include <stdlib.h>

#include "gateway/json_raw.h"
#include "gateway/mcp_envelope.h"
#include "gateway/mcp_http_headers.h"
#include "gateway/mcp_http_inside.h"
#include "gateway/mcp_turn.h"

#define HTTP_OK         200
#define HTTP_ACCEPTED   202
#define HTTP_BAD        400
#define HTTP_NOT_FOUND  404

/* A modern request: what it says of itself, then what its headers say. */
static enum mcp_error
check_modern(const struct mcp_http_pass *p, const struct rpc_message *m, struct span *requested)
{
	enum mcp_error e;

	if ((e = mcp_envelope_read(m, requested)) != MCP_OK)
		return e;
	if (!mcp_http_version_says(&p->post->version, *requested))
		return MCP_HEADER_MISMATCH;
	if ((e = mcp_envelope_version(*requested)) != MCP_OK)
		return e;
	return mcp_http_routing_says(p->post, m) ? MCP_OK : MCP_HEADER_MISMATCH;
}

/* The version of what is legacy. MCP_VERSION_UNSUPPORTED: the header names none of ours. */
static enum mcp_error
settle_legacy(const struct mcp_http_pass *p, struct mcp_turn *t, struct span *requested)
{
	const struct mcp_http_header *h = &p->post->version;

	if (h->n == 0) {
		t->revision = MCP_2025_03_26;
		return MCP_OK;
	}
	t->revision = mcp_revision_of(h->value);
	*requested = mcp_http_version_shown(h);
	return t->revision == MCP_REVISION_NONE ? MCP_VERSION_UNSUPPORTED : MCP_OK;
}

/* Which revision serves the message; settles t->revision also when it is refused. */
static enum mcp_error
settle_era(const struct mcp_http_pass *p, struct mcp_turn *t, struct span *requested)
{
	const struct mcp_http_header *h = &p->post->version;
	bool request = t->message.kind == RPC_REQUEST, modern = mcp_http_version_is_modern(h);

	if (request && (modern || mcp_envelope_claimed(&t->message) || (h->n == 0 && rpc_is(&t->message, "server/discover")))) {
		t->revision = MCP_2026_07_28;
		p->plan->is_modern = true;
		return check_modern(p, &t->message, requested);
	}
	if (h->n > 1)
		return MCP_HEADER_MISMATCH;
	/* Its notifications have no rules, and it has no responses. */
	if (modern) {
		t->revision = MCP_2026_07_28;
		return t->message.kind == RPC_NOTIFICATION ? MCP_OK : MCP_NOT_A_REQUEST;
	}
	if (request && rpc_is(&t->message, "initialize"))
		return MCP_OK;
	return settle_legacy(p, t, requested);
}

static enum mcp_error
serve(struct mcp_http_pass *p, struct mcp_turn *t, struct span *requested)
{
	enum mcp_error e;

	if (t->message.kind == RPC_INVALID)
		return MCP_NOT_A_REQUEST;
	if ((e = settle_era(p, t, requested)) != MCP_OK || t->message.kind != RPC_REQUEST)
		return e;
	if (t->message.params != NULL && json_type(t->message.params) != JSON_OBJECT)
		return MCP_BAD_PARAMS;
	t->params = t->message.params;
	return mcp_method_answer(t);
}

/* What is no answer to a request is a failure of HTTP as well. */
static int
status_of(enum mcp_error e, enum mcp_revision r)
{
	switch (e) {
	case MCP_UNKNOWN_METHOD:
		return mcp_revision_is_modern(r) ? HTTP_NOT_FOUND : HTTP_OK;
	case MCP_NOT_JSON:
	case MCP_OVER_LIMITS:
	case MCP_NOT_A_REQUEST:
	case MCP_BATCH_REFUSED:
	case MCP_NOT_INITIALIZED:
	case MCP_ENVELOPE_MISSING:
	case MCP_HEADER_MISMATCH:
	case MCP_VERSION_UNSUPPORTED:
		return HTTP_BAD;
	case MCP_OK:
	case MCP_BAD_PARAMS:
	case MCP_BAD_CURSOR:
	case MCP_UNKNOWN_TOOL:
	case MCP_UNKNOWN_RESOURCE:
	case MCP_REFUSED:
	case MCP_OUR_FAULT:
	case MCP_ERROR__COUNT:
		break;
	}
	return HTTP_OK;
}

/* The status that the message would have alone. */
static int
handle_message(struct mcp_http_pass *p, struct mcp_turn *t, const struct json *value, struct span text)
{
	struct mcp_refusal refusal = { .kind = MCP_OK };

	p->message = text;
	t->message = rpc_read(value, text);
	t->params = NULL;
	t->revision = MCP_REVISION_NONE;
	t->refusal = (struct mcp_refusal){ .kind = MCP_OK };
	t->refused[0] = '\0';
	refusal.kind = serve(p, t, &refusal.requested);
	refusal.id = t->message.kind == RPC_RESPONSE ? (struct span){ NULL, 0 } : t->message.id;
	refusal.revision = t->revision;
	refusal.uri = t->refusal.uri;
	refusal.why = t->refusal.why;
	refusal.message = t->refused;
	if (refusal.kind != MCP_OK)
		mcp_error_write(t->answer, &refusal);
	else if (t->message.kind != RPC_REQUEST)
		return HTTP_ACCEPTED;
	return status_of(refusal.kind, t->revision);
}

static bool
batch_allowed(const struct mcp_http_pass *p, const struct json *array, struct span text)
{
	const struct mcp_http_header *h = &p->post->version;
	struct rpc_message m;
	struct span element;
	size_t n = 0;

	if (h->n > 1 || (h->n == 1 && !mcp_revision_batches(mcp_revision_of(h->value))))
		return false;
	for (const struct json *v = json_first(array); v != NULL; v = json_next(v), n++) {
		if (!json_raw_element(&text, &element))
			return false;
		m = rpc_read(v, element);
		if (mcp_envelope_claimed(&m) || rpc_is(&m, "initialize"))
			return false;
	}
	return n > 0 && n <= MCP_BATCH_MAX;
}

static int
handle_batch(struct mcp_http_pass *p, struct mcp_turn *t, const struct json *array, struct span text)
{
	struct span element;
	size_t before;

	if (!batch_allowed(p, array, text)) {
		mcp_error_write(t->answer, &(struct mcp_refusal){ .kind = MCP_BATCH_REFUSED });
		return HTTP_BAD;
	}
	json_write_array(t->answer);
	before = t->answer->len;
	for (const struct json *v = json_first(array); v != NULL && json_raw_element(&text, &element); v = json_next(v))
		(void)handle_message(p, t, v, element);
	json_write_end(t->answer);
	if (t->answer->failed || t->answer->len > before + 1)
		return HTTP_OK;
	json_write_clear(t->answer);
	return HTTP_ACCEPTED;
}

static int
handle_body(struct mcp_http_pass *p, struct mcp_turn *t)
{
	struct mcp_refusal refusal = { .kind = MCP_OK };
	struct json *root = NULL;
	int status;

	if ((refusal.kind = mcp_error_of_parse(json_parse(p->post->body, &root))) != MCP_OK) {
		refusal.id = rpc_guess_id(p->post->body);
		mcp_error_write(t->answer, &refusal);
		return refusal.kind == MCP_OUR_FAULT ? HTTP_OK : HTTP_BAD;
	}
	if (json_type(root) == JSON_ARRAY)
		status = handle_batch(p, t, root, p->post->body);
	else
		status = handle_message(p, t, root, p->post->body);
	json_free(&root);
	return status;
}

static enum err
go_through(struct mcp_http_pass *p)
{
	const struct mcp_server server = {
		.name = "memories", .title = "memories, what the user shares", .version = MEMORIES_VERSION,
		.instructions = profile_instructions, .tools = profile_tools, .n_tools = PROFILE_TOOLS,
		.resources = &mcp_http_resources, .call = mcp_http_on_call, .bad_call = mcp_http_on_bad_call, .arg = p,
	};
	struct mcp_stream stream = { .agreed = MCP_REVISION_NONE };
	struct mcp_turn t = { .server = &server, .stream = &stream, .answer = &p->plan->answer };

	json_write_clear(t.answer);
	p->plan->status = handle_body(p, &t);
	if (t.answer->failed)
		p->failed = ERR_NO_MEMORY;
	return p->failed;
}

enum err
mcp_http_plan(const struct mcp_http_post *post, struct mcp_http_plan *plan)
{
	struct mcp_http_pass p = { .post = post, .plan = plan };

	*plan = (struct mcp_http_plan){ .status = 0 };
	return go_through(&p);
}

enum err
mcp_http_answer(const struct mcp_http_post *post, const struct mcp_http_outcome *outcomes, struct mcp_http_plan *plan)
{
	struct mcp_http_pass p = { .post = post, .plan = plan, .outcomes = outcomes };

	return go_through(&p);
}

void
mcp_http_plan_free(struct mcp_http_plan *plan)
{
	for (size_t i = 0; i < plan->n_asks && plan->asks != NULL; i++)
		profile_ask_free(&plan->asks[i]);
	free(plan->asks);
	json_write_free(&plan->answer);
	*plan = (struct mcp_http_plan){ .status = 0 };
}
