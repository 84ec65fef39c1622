/*
 * mcp_rig: a server with the unattended tools and canned results, and one
 * stream to speak on. The vault decides how a call ends; see the ids below.
 */
#ifndef TESTS_GATEWAY_MCP_RIG_H
#define TESTS_GATEWAY_MCP_RIG_H

#include <stdio.h>
#include <string.h>

#include "gateway/mcp.h"
#include "gateway/unattended_tools.h"

#define RIG_ASSET "0192f5a0-0000-7000-8000-0000000000aa"

/* Vaults: all goes well; the two ways to fail in words; two faults of the tool itself. */
#define RIG_VAULT           "0192f5a0-0000-7000-8000-000000000001"
#define RIG_VAULT_MISSING   "0192f5a0-0000-7000-8000-000000000002"
#define RIG_VAULT_CONFLICT  "0192f5a0-0000-7000-8000-000000000003"
#define RIG_VAULT_NO_RESULT "0192f5a0-0000-7000-8000-000000000004"
#define RIG_VAULT_NO_OBJECT "0192f5a0-0000-7000-8000-000000000005"

struct mcp_rig {
	struct mcp_server     server;
	struct mcp_stream     stream;
	struct json_writer    answer;
	char                  text[65536]; /* the last answer, "" for none */
	unsigned              n_calls;
	struct unattended_ask ask;         /* of the last call */
};

static inline void
rig_pair(struct json_writer *w, const char *key, const char *text)
{
	json_write_key(w, key);
	json_write_text(w, text);
}

static inline void
rig_count(struct json_writer *w, const char *key, uint64_t v)
{
	json_write_key(w, key);
	json_write_u64(w, v);
}

static inline void
rig_flag(struct json_writer *w, const char *key, bool v)
{
	json_write_key(w, key);
	json_write_bool(w, v);
}

static inline void
rig_ids(struct json_writer *w, const char *key, struct uuid id)
{
	json_write_key(w, key);
	json_write_array(w);
	json_write_id(w, id);
	json_write_end(w);
}

static inline void
rig_tail(struct json_writer *w, uint64_t offset)
{
	rig_count(w, "offset", offset);
	json_write_key(w, "next");
	json_write_null(w);
	json_write_key(w, "audit");
	json_write_object(w);
	rig_count(w, "index", 7);
	rig_pair(w, "log", "memories.example/log");
	json_write_end(w);
}

static inline void
rig_write_list(struct json_writer *w, const struct unattended_ask *ask)
{
	rig_pair(w, "vault", RIG_VAULT);
	json_write_key(w, "assets");
	json_write_array(w);
	json_write_object(w);
	rig_pair(w, "asset", RIG_ASSET);
	rig_pair(w, "kind", "credential");
	rig_flag(w, "private", false);
	rig_pair(w, "title", "quote \" and \xe4\xb8\xad\xe6\x96\x87\n");
	json_write_key(w, "revision");
	json_write_null(w);
	rig_count(w, "bytes", 24);
	rig_pair(w, "created_at", "2026-11-30T10:00:00Z");
	rig_pair(w, "updated_at", "2026-11-30T10:00:00Z");
	rig_flag(w, "conflict", true);
	rig_ids(w, "heads", ask->vault);
	json_write_end(w);
	json_write_end(w);
	rig_tail(w, ask->offset);
}

static inline void
rig_write_history(struct json_writer *w, const struct unattended_ask *ask)
{
	rig_pair(w, "vault", RIG_VAULT);
	rig_pair(w, "asset", RIG_ASSET);
	json_write_key(w, "revisions");
	json_write_array(w);
	json_write_object(w);
	json_write_key(w, "revision");
	json_write_id(w, ask->asset);
	rig_ids(w, "parents", ask->asset);
	rig_pair(w, "created_at", "2026-11-30T10:00:00Z");
	rig_count(w, "bytes", 24);
	rig_flag(w, "head", true);
	rig_flag(w, "deleted", false);
	rig_flag(w, "quarantine", false);
	json_write_end(w);
	json_write_end(w);
	rig_tail(w, ask->offset);
}

static inline void
rig_write_bytes(struct json_writer *w, const struct unattended_ask *ask)
{
	json_write_key(w, "data");
	json_write_base64(w, (struct span){ (const uint8_t *)"canned secret \xfb\xff", 16 });
	rig_count(w, "total", 16);
	json_write_key(w, "revision");
	json_write_id(w, ask->has_revision ? ask->revision : ask->asset);
	rig_pair(w, "encoding", ask->op == OP_READ ? "content_json" : "raw_bytes");
	rig_tail(w, ask->offset);
}

/* What an id ends in says how the call ends. */
static inline enum err
rig_call(void *arg, struct mcp_call *call)
{
	struct mcp_rig *rig = arg;
	struct json_writer *w = call->result;

	rig->n_calls++;
	rig->ask = unattended_tools_ask(&call->args);
	switch (rig->ask.vault.b[UUID_LEN - 1]) {
	case 2:
		json_write_object(w);
		return ERR_NOT_FOUND;
	case 3:
		snprintf(call->message, sizeof call->message, "name one of: %s", RIG_ASSET);
		return ERR_REVISION_REQUIRED;
	case 4:
		return OK;
	case 5:
		json_write_text(w, "no object");
		return OK;
	}
	json_write_object(w);
	if (rig->ask.op == OP_LIST)
		rig_write_list(w, &rig->ask);
	else if (rig->ask.op == OP_HISTORY)
		rig_write_history(w, &rig->ask);
	else
		rig_write_bytes(w, &rig->ask);
	json_write_end(w);
	return OK;
}

static inline void
rig_open(struct mcp_rig *rig)
{
	memset(rig, 0, sizeof *rig);
	rig->server = (struct mcp_server){
		.name = "memories",
		.title = "Memories",
		.version = "0.1.0",
		.instructions = unattended_tools_instructions,
		.tools = unattended_tools,
		.n_tools = UNATTENDED_TOOLS,
		.call = rig_call,
		.arg = rig,
	};
}

static inline void
rig_close(struct mcp_rig *rig)
{
	json_write_free(&rig->answer);
}

/* Gives the server one message; returns its answer, "" for none. */
static inline const char *
rig_say(struct mcp_rig *rig, const char *message)
{
	struct span text = { (const uint8_t *)message, strlen(message) };

	if (mcp_handle(&rig->server, &rig->stream, text, &rig->answer) != OK)
		return "no memory";
	if (rig->answer.len >= sizeof rig->text)
		return "longer than the rig's text";
	if (rig->answer.len > 0)
		memcpy(rig->text, rig->answer.p, rig->answer.len);
	rig->text[rig->answer.len] = 0;
	return rig->text;
}

/* A handshake that asks for that version. */
static inline const char *
rig_initialize(struct mcp_rig *rig, const char *version)
{
	char message[256];

	snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
	    "{\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}", version);
	return rig_say(rig, message);
}

/* params._meta of a modern request, for use inside a literal. */
#define MODERN_META \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"

#endif
