/* Calls and reads: noted the first time through a body, answered the second. */
#include <stdlib.h>
#include <string.h>

#include "gateway/json_raw.h"
#include "gateway/mcp_http_inside.h"

/* Room for one more ask of the first time; NULL: there is none. */
static struct profile_ask *
new_ask(struct mcp_http_pass *p)
{
	struct mcp_http_plan *plan = p->plan;

	if (plan->asks == NULL && (plan->asks = calloc(MCP_BATCH_MAX, sizeof *plan->asks)) == NULL)
		p->failed = ERR_NO_MEMORY;
	if (p->failed != OK || plan->n_asks == MCP_BATCH_MAX)
		return NULL;
	return &plan->asks[plan->n_asks++];
}

/* The first time: the ask is noted, and what is said meanwhile is thrown away. */
static enum err
note(struct mcp_http_pass *p, const struct profile_ask *ask)
{
	p->plan->scopes |= ask->scopes;
	return ERR_BUSY;
}

static void
say_message(char *to, size_t cap, const char *message)
{
	size_t len = message == NULL ? 0 : strlen(message) < cap ? strlen(message) : cap - 1;

	if (len > 0)
		memcpy(to, message, len);
	to[len] = '\0';
}

static enum err
plan_call(struct mcp_http_pass *p, struct mcp_call *call)
{
	struct profile_ask *ask = new_ask(p);
	enum err e;

	if (ask == NULL)
		return ERR_NO_MEMORY;
	if ((e = profile_tools_ask(&call->args, ask, call->message)) != OK) {
		p->failed = e;
		return e;
	}
	return note(p, ask);
}

enum err
mcp_http_on_call(void *arg, struct mcp_call *call)
{
	struct mcp_http_pass *p = arg;
	const struct mcp_http_outcome *o;

	if (p->outcomes == NULL)
		return plan_call(p, call);
	o = &p->outcomes[p->next];
	if (p->plan->asks[p->next++].refused != OK && o->error == ERR_INVALID_ARGUMENT) {
		/* It says again what is missing. */
		struct profile_ask again;

		(void)profile_tools_ask(&call->args, &again, call->message);
		profile_ask_free(&again);
	} else {
		say_message(call->message, sizeof call->message, o->message);
	}
	if (o->error == OK)
		json_write_raw(call->result, o->result);
	return o->error;
}

/* Its message says already what is wrong with the arguments. */
enum err
mcp_http_on_bad_call(void *arg, struct mcp_call *call)
{
	struct mcp_http_pass *p = arg;
	struct span params, arguments = { NULL, 0 };
	struct profile_ask *ask;
	enum err e;

	if (p->outcomes != NULL) {
		e = p->outcomes[p->next++].error;
		if (e != ERR_INVALID_ARGUMENT)
			call->message[0] = '\0';
		return e;
	}
	if ((ask = new_ask(p)) == NULL)
		return ERR_NO_MEMORY;
	if (json_raw_member(p->message, "params", &params))
		(void)json_raw_member(params, "arguments", &arguments);
	profile_tools_bad((enum profile_tool)call->tool, arguments, ask);
	return note(p, ask);
}

static enum err
on_list(void *arg, struct mcp_listing *listing)
{
	(void)arg;
	if (listing->continues)
		return ERR_INVALID_ARGUMENT;
	profile_tools_list(listing->rows, listing->revision);
	return OK;
}

static enum err
on_read(void *arg, struct mcp_reading *reading)
{
	struct mcp_http_pass *p = arg;
	const struct mcp_http_outcome *o;
	struct profile_ask *ask, one;
	enum err e;

	if ((e = profile_tools_uri(reading->uri, &one)) != OK || p->outcomes != NULL)
		profile_ask_free(&one);
	if (e != OK) {
		p->failed = e == ERR_NO_MEMORY ? e : p->failed;
		return e;
	}
	if (p->outcomes == NULL) {
		if ((ask = new_ask(p)) == NULL) {
			profile_ask_free(&one);
			return ERR_NO_MEMORY;
		}
		*ask = one;
		return note(p, ask);
	}
	o = &p->outcomes[p->next++];
	say_message(reading->message, sizeof reading->message, o->message);
	if (o->error == OK)
		mcp_contents_write(reading->contents, &(struct mcp_contents){ .uri = reading->uri,
		    .mime_type = "application/json", .text = o->result }, reading->revision);
	return o->error;
}

const struct mcp_resources mcp_http_resources = {
	.templates = &profile_template, .n_templates = 1, .list = on_list, .read = on_read,
};
