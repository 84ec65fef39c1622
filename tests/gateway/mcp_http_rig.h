/*
 * mcp_http_rig: POSTs to the profile's endpoint, with a profile that answers
 * from a table. What an ask comes to is chosen by its words; see below.
 */
#ifndef TESTS_GATEWAY_MCP_HTTP_RIG_H
#define TESTS_GATEWAY_MCP_HTTP_RIG_H

#include <stdio.h>
#include <string.h>

#include "gateway/mcp_http.h"
#include "tests/gateway/mcp_rig.h"

#define RIG_FACT     "0192f5a0-0000-7000-8000-0000000000f1"
#define RIG_VERSION  "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define RIG_PAGE_URI PROFILE_URI "?version=" RIG_VERSION "&offset=1"

#define RIG_FACT_JSON "{\"id\":\"" RIG_FACT "\",\"category\":\"basic\",\"label\":\"\xe5\x9f\x8e\xe5\xb8\x82\"," \
	"\"value\":\"quote \\\" here\",\"version\":2,\"updated_at\":\"2026-11-30T10:00:00Z\"}"
#define RIG_CONTEXT "{\"summary\":\"One fact.\",\"facts\":[" RIG_FACT_JSON "],\"version\":\"" RIG_VERSION "\"," \
	"\"updated_at\":\"2026-11-30T10:00:00Z\",\"has_more\":true,\"offset\":0,\"next_offset\":1,\"next_uri\":\"" RIG_PAGE_URI "\"}"
#define RIG_LAST_PAGE "{\"summary\":\"No fact.\",\"facts\":[],\"version\":\"" RIG_VERSION "\"," \
	"\"updated_at\":null,\"has_more\":false,\"offset\":1,\"next_offset\":null,\"next_uri\":null}"
#define RIG_FOUND "{\"facts\":[" RIG_FACT_JSON "],\"version\":\"" RIG_VERSION "\",\"offset\":0,\"next_offset\":null," \
	"\"window_exhausted\":true,\"message\":\"narrow the query\"}"
#define RIG_PENDING "{\"id\":\"" RIG_FACT "\",\"status\":\"pending\"}"

/* One POST: body, and headers; NULL: it has none of that. */
struct http_post {
	const char *body, *version, *method, *name;
	bool        version_twice, method_twice, name_twice;
};

struct http_rig {
	struct mcp_http_plan plan;   /* of the last POST */
	char                 text[1 << 18]; /* its answer, "" for none */
	char                 asked[4096];   /* the requests, a line each */
};

static inline struct span
http_span(const char *text)
{
	return (struct span){ (const uint8_t *)text, strlen(text) };
}

static inline struct mcp_http_header
http_rig_header(const char *value, bool twice)
{
	return (struct mcp_http_header){ .n = value == NULL ? 0 : twice ? 2 : 1, .value = http_span(value == NULL ? "" : value) };
}

static inline bool
http_rig_asks_for(const struct profile_ask *ask, const char *words)
{
	return ask->request.len > 0 && memmem(ask->request.p, ask->request.len, words, strlen(words)) != NULL;
}

/* What the profile says. A query or a label "conflict", "not found" ends so; "told" with a message besides. */
static inline struct mcp_http_outcome
http_rig_outcome(const struct profile_ask *ask)
{
	static const char *const results[PROFILE_TOOLS] = { RIG_CONTEXT, RIG_LAST_PAGE, RIG_FOUND, RIG_PENDING };

	if (ask->refused != OK)
		return (struct mcp_http_outcome){ .error = ask->refused };
	if (http_rig_asks_for(ask, "conflict") || http_rig_asks_for(ask, "\"offset\":7"))
		return (struct mcp_http_outcome){ .error = ERR_CONFLICT };
	if (http_rig_asks_for(ask, "told"))
		return (struct mcp_http_outcome){ .error = ERR_NOT_FOUND, .message = "told so" };
	if (http_rig_asks_for(ask, "blocked"))
		return (struct mcp_http_outcome){ .error = ERR_REPEATED_FAILURE };
	return (struct mcp_http_outcome){ .error = OK, .result = http_span(results[ask->tool]) };
}

static inline void
http_rig_clear(struct http_rig *rig)
{
	mcp_http_plan_free(&rig->plan);
}

static inline void
http_rig_note(struct http_rig *rig, const struct profile_ask *ask)
{
	size_t len = strlen(rig->asked);

	snprintf(rig->asked + len, sizeof rig->asked - len, "%.*s\n", (int)ask->request.len,
	    ask->request.len > 0 ? (const char *)ask->request.p : "");
}

/* The answer, "" for none. */
static inline const char *
http_rig_post(struct http_rig *rig, const struct http_post *post)
{
	struct mcp_http_post p = { .body = http_span(post->body),
		.version = http_rig_header(post->version, post->version_twice),
		.method = http_rig_header(post->method, post->method_twice), .name = http_rig_header(post->name, post->name_twice) };
	struct mcp_http_outcome outcomes[MCP_BATCH_MAX];

	http_rig_clear(rig);
	rig->asked[0] = '\0';
	if (mcp_http_plan(&p, &rig->plan) != OK)
		return "no memory";
	for (size_t i = 0; i < rig->plan.n_asks; i++) {
		http_rig_note(rig, &rig->plan.asks[i]);
		outcomes[i] = http_rig_outcome(&rig->plan.asks[i]);
	}
	if (rig->plan.n_asks > 0 && mcp_http_answer(&p, outcomes, &rig->plan) != OK)
		return "no memory";
	if (rig->plan.answer.len >= sizeof rig->text)
		return "longer than the rig's text";
	if (rig->plan.answer.len > 0)
		memcpy(rig->text, rig->plan.answer.p, rig->plan.answer.len);
	rig->text[rig->plan.answer.len] = '\0';
	return rig->text;
}

#endif
