/*
 * Any POST to the profile's endpoint: three lines of headers (an empty one is
 * a header that is not there) and a body. Whatever comes, the status is one of
 * ours, the answer is strict JSON or nothing, and both times through a body
 * ask the same.
 */
#include <stdlib.h>

#include "gateway/json_scan.h"
#include "gateway/profile_request.h"
#include "tests/gateway/mcp_http_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
need(bool fact)
{
	if (!fact)
		abort();
}

static struct mcp_http_header
take_header(struct span *rest)
{
	const uint8_t *end = rest->len == 0 ? NULL : memchr(rest->p, '\n', rest->len);
	struct mcp_http_header h = { .n = 0 };

	if (end == NULL)
		return h;
	h.value = (struct span){ rest->p, (size_t)(end - rest->p) };
	h.n = h.value.len > 0;
	rest->len -= h.value.len + 1;
	rest->p = end + 1;
	return h;
}

/* The profile takes what is asked of it, or says what is wrong with its texts. */
static void
check_ask(const struct profile_ask *ask)
{
	struct profile_request request;
	enum err e;

	if (ask->refused != OK)
		return;
	e = profile_request_parse(ask->op, (struct span){ ask->request.p, ask->request.len }, &request);
	need(e == OK || e == ERR_NO_MEMORY);
	profile_request_free(&request);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span rest = { data, size };
	struct mcp_http_outcome outcomes[MCP_BATCH_MAX];
	struct mcp_http_plan plan;
	struct mcp_http_post post = { .version = take_header(&rest), .method = take_header(&rest), .name = take_header(&rest) };
	size_t n_asks;

	post.body = rest;
	need(mcp_http_plan(&post, &plan) == OK);
	n_asks = plan.n_asks;
	for (size_t i = 0; i < n_asks; i++) {
		check_ask(&plan.asks[i]);
		outcomes[i] = http_rig_outcome(&plan.asks[i]);
	}
	if (n_asks > 0)
		need(mcp_http_answer(&post, outcomes, &plan) == OK);
	need(plan.n_asks == n_asks);
	need(plan.status == 200 || plan.status == 202 || plan.status == 400 || plan.status == 404);
	need((plan.answer.len == 0) == (plan.status == 202));
	if (plan.answer.len > 0)
		need(json_scan((struct span){ plan.answer.p, plan.answer.len }) != ERR_INVALID_CONTENT);
	mcp_http_plan_free(&plan);
	return 0;
}
