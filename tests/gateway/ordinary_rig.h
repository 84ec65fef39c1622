/*
 * ordinary_rig: an mcp_rig whose server has the ordinary tools, with canned
 * results, and two resources on two pages. The vault decides how a read ends.
 */
#ifndef TESTS_GATEWAY_ORDINARY_RIG_H
#define TESTS_GATEWAY_ORDINARY_RIG_H

#include "gateway/memory_uri.h"
#include "gateway/ordinary_tools.h"
#include "tests/gateway/mcp_rig.h"

#define RIG_URI        "memory://" RIG_VAULT "/" RIG_ASSET
#define RIG_URI_HIDDEN "memory://" RIG_VAULT_MISSING "/" RIG_ASSET
#define RIG_URI_LOCKED "memory://" RIG_VAULT_CONFLICT "/" RIG_ASSET

static inline void
rig_audit(struct json_writer *w)
{
	json_write_key(w, "audit");
	json_write_object(w);
	rig_count(w, "index", 7);
	rig_pair(w, "log", "memories.example/log");
	json_write_end(w);
}

static inline void
rig_which(struct json_writer *w)
{
	rig_pair(w, "vault", RIG_VAULT);
	rig_pair(w, "asset", RIG_ASSET);
	rig_pair(w, "kind", "memory");
	rig_pair(w, "revision", RIG_ASSET);
}

static inline void
rig_write_memories(struct json_writer *w)
{
	json_write_key(w, "assets");
	json_write_array(w);
	json_write_object(w);
	rig_which(w);
	rig_pair(w, "uri", RIG_URI);
	rig_pair(w, "title", "quote \" and \xe4\xb8\xad\xe6\x96\x87\n");
	rig_count(w, "bytes", 24);
	rig_pair(w, "created_at", "2026-11-30T10:00:00Z");
	rig_pair(w, "updated_at", "2026-11-30T10:00:00Z");
	rig_flag(w, "conflict", false);
	json_write_end(w);
	json_write_end(w);
	json_write_key(w, "skipped");
	json_write_array(w);
	json_write_end(w);
}

static inline void
rig_write_found(struct json_writer *w)
{
	json_write_key(w, "results");
	json_write_array(w);
	json_write_object(w);
	rig_which(w);
	rig_pair(w, "uri", RIG_URI);
	rig_pair(w, "title", "T");
	rig_pair(w, "updated_at", "2026-11-30T10:00:00Z");
	rig_count(w, "score", 3);
	rig_pair(w, "part", "body");
	rig_count(w, "number", 0);
	rig_count(w, "match_offset", 3);
	rig_count(w, "match_length", 3);
	rig_pair(w, "excerpt", "x");
	rig_count(w, "excerpt_offset", 0);
	json_write_end(w);
	json_write_end(w);
	rig_count(w, "total", 1);
	rig_flag(w, "relaxed", false);
}

static inline enum err
rig_ordinary_call(void *arg, struct mcp_call *call)
{
	struct mcp_rig *rig = arg;
	struct ordinary_ask ask = ordinary_tools_ask(&call->args);
	struct json_writer *w = call->result;

	rig->n_calls++;
	if (ask.has_vault && ask.vault.b[UUID_LEN - 1] == 2)
		return ERR_NOT_FOUND;
	json_write_object(w);
	switch (ask.tool) {
	case MEMORY_LIST:
		rig_write_memories(w);
		rig_pair(w, "next", "more");
		break;
	case MEMORY_READ:
		rig_which(w);
		rig_count(w, "bytes", 24);
		rig_flag(w, "continued", false);
		rig_pair(w, "text", "said\n");
		json_write_key(w, "next");
		json_write_null(w);
		break;
	case MEMORY_SEARCH:
		rig_write_found(w);
		json_write_key(w, "next");
		json_write_null(w);
		break;
	case MEMORY_PROPOSE:
	case ORDINARY_TOOLS:
		rig_pair(w, "proposal", RIG_ASSET);
		rig_pair(w, "status", "pending");
		break;
	}
	rig_audit(w);
	json_write_end(w);
	return OK;
}

static inline struct span
rig_span(const char *text)
{
	return (struct span){ (const uint8_t *)text, strlen(text) };
}

static inline enum err
rig_list_resources(void *arg, struct mcp_listing *l)
{
	struct mcp_rig *rig = arg;
	struct mcp_resource r = { .uri = rig_span(RIG_URI), .name = rig_span("one \"\n"), .mime_type = "text/plain", .size = 5 };

	rig->n_calls++;
	if (l->continues && (l->cursor.len != 4 || memcmp(l->cursor.p, "more", 4) != 0))
		return ERR_INVALID_ARGUMENT;
	mcp_resource_write(l->rows, &r, l->revision);
	if (!l->continues)
		snprintf(l->next, sizeof l->next, "more");
	return OK;
}

static inline enum err
rig_read_resource(void *arg, struct mcp_reading *r)
{
	struct mcp_rig *rig = arg;
	struct memory_uri uri;
	struct mcp_contents c = { .uri = r->uri, .mime_type = "text/plain", .text = rig_span("said\n"),
		.next = rig_span(RIG_URI "?cursor=x") };
	enum err e = memory_uri_read(r->uri, &uri);

	rig->n_calls++;
	if (e != OK || uri.vault.b[UUID_LEN - 1] == 2)
		return ERR_NOT_FOUND;
	if (uri.vault.b[UUID_LEN - 1] == 3) {
		snprintf(r->message, sizeof r->message, "unlock first");
		return ERR_LOCKED;
	}
	mcp_contents_write(r->contents, &c, r->revision);
	return OK;
}

static const struct mcp_resources rig_resources = {
	.templates = &ordinary_template, .n_templates = 1, .list = rig_list_resources, .read = rig_read_resource,
};

static inline void
rig_open_ordinary(struct mcp_rig *rig)
{
	rig_open(rig);
	rig->server.instructions = ordinary_instructions;
	rig->server.tools = ordinary_tools;
	rig->server.n_tools = ORDINARY_TOOLS;
	rig->server.resources = &rig_resources;
	rig->server.call = rig_ordinary_call;
}

#endif
