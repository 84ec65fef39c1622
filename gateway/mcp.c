#include "gateway/json_raw.h"
#include "gateway/mcp_envelope.h"
#include "gateway/mcp_turn.h"

/* Which revision serves this request; settles t->revision also when it is refused. */
static enum mcp_error
settle_era(struct mcp_turn *t, struct span *requested)
{
	enum mcp_error e;

	if (mcp_envelope_claimed(&t->message)) {
		t->revision = MCP_2026_07_28;
		if ((e = mcp_envelope_read(&t->message, requested)) != MCP_OK)
			return e;
		return mcp_envelope_version(*requested);
	}
	t->revision = t->stream->agreed;
	if (rpc_is(&t->message, "initialize") || rpc_is(&t->message, "ping"))
		return MCP_OK;
	if (rpc_is(&t->message, "server/discover"))
		return MCP_ENVELOPE_MISSING;
	return t->revision == MCP_REVISION_NONE ? MCP_NOT_INITIALIZED : MCP_OK;
}

static enum mcp_error
answer_request(struct mcp_turn *t, struct span *requested)
{
	enum mcp_error e;

	if ((e = settle_era(t, requested)) != MCP_OK)
		return e;
	if (t->message.params != NULL && json_type(t->message.params) != JSON_OBJECT)
		return MCP_BAD_PARAMS;
	t->params = t->message.params;
	return mcp_method_answer(t);
}

static void
handle_message(struct mcp_turn *t)
{
	struct mcp_refusal refusal = { .id = t->message.id };

	t->refusal = (struct mcp_refusal){ .kind = MCP_OK };
	t->refused[0] = '\0';
	switch (t->message.kind) {
	case RPC_NOTIFICATION:
	case RPC_RESPONSE:
		return;
	case RPC_INVALID:
		refusal.kind = MCP_NOT_A_REQUEST;
		break;
	case RPC_REQUEST:
		refusal.kind = answer_request(t, &refusal.requested);
		break;
	}
	refusal.revision = t->revision;
	refusal.uri = t->refusal.uri;
	refusal.why = t->refusal.why;
	refusal.message = t->refused;
	if (refusal.kind != MCP_OK)
		mcp_error_write(t->answer, &refusal);
}

/* False when the array, or one element of it, is not allowed on this stream. */
static bool
batch_allowed(const struct mcp_turn *t, const struct json *array, struct span text)
{
	struct rpc_message m;
	struct span element;
	size_t n = 0;

	for (const struct json *v = json_first(array); v != NULL; v = json_next(v), n++) {
		if (!json_raw_element(&text, &element))
			return false;
		m = rpc_read(v, element);
		if (mcp_envelope_claimed(&m) || rpc_is(&m, "initialize"))
			return false;
	}
	return n > 0 && n <= MCP_BATCH_MAX && mcp_revision_batches(t->stream->agreed);
}

static void
handle_batch(struct mcp_turn *t, const struct json *array, struct span text)
{
	struct span element;
	size_t before;

	if (!batch_allowed(t, array, text)) {
		mcp_error_write(t->answer, &(struct mcp_refusal){ .kind = MCP_BATCH_REFUSED });
		return;
	}
	json_write_array(t->answer);
	before = t->answer->len;
	for (const struct json *v = json_first(array); v != NULL; v = json_next(v)) {
		if (!json_raw_element(&text, &element))
			break;
		t->message = rpc_read(v, element);
		t->params = NULL;
		handle_message(t);
	}
	json_write_end(t->answer);
	/* Nothing but notifications: then nothing is said, not even an empty array. */
	if (!t->answer->failed && t->answer->len == before + 1)
		json_write_clear(t->answer);
}

static enum err
finish(struct json_writer *answer)
{
	if (!answer->failed)
		return OK;
	json_write_clear(answer);
	return ERR_NO_MEMORY;
}

enum err
mcp_handle(const struct mcp_server *server, struct mcp_stream *stream,
    struct span text, struct json_writer *answer)
{
	struct mcp_turn t = { .server = server, .stream = stream, .answer = answer };
	struct mcp_refusal refusal = { .kind = MCP_OK };
	struct json *root = NULL;

	json_write_clear(answer);
	if ((refusal.kind = mcp_error_of_parse(json_parse(text, &root))) != MCP_OK) {
		refusal.id = rpc_guess_id(text);
		mcp_error_write(answer, &refusal);
		return finish(answer);
	}
	if (json_type(root) == JSON_ARRAY) {
		handle_batch(&t, root, text);
	} else {
		t.message = rpc_read(root, text);
		handle_message(&t);
	}
	json_free(&root);
	return finish(answer);
}

enum err
mcp_refuse_unreadable(struct json_writer *answer)
{
	json_write_clear(answer);
	mcp_error_write(answer, &(struct mcp_refusal){ .kind = MCP_OVER_LIMITS });
	return finish(answer);
}
