/* What the endpoints for programs have in common. */
#include "actors/http_oauth_inside.h"
#include "gateway/span.h"

#define FORM_TYPE "application/x-www-form-urlencoded"

void
http_oauth_cors(struct http_response *r)
{
	http_response_header(r, "Access-Control-Allow-Origin", "*");
}

void
http_oauth_preflight(struct http_exchange *x, const char *methods)
{
	struct http_response r;

	http_response_start(&r, 204);
	http_oauth_cors(&r);
	http_response_header(&r, "Access-Control-Allow-Methods", methods);
	http_response_header(&r, "Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version");
	http_response_header(&r, "Access-Control-Max-Age", "600");
	http_exchange_answer(x, &r);
}

void
http_oauth_answer_json(struct http_exchange *x, int status, struct json_writer *w)
{
	struct http_response r;

	http_response_start(&r, status);
	http_oauth_cors(&r);
	http_response_header(&r, "Cache-Control", "no-store");
	http_body_json(&r, w);
	http_exchange_answer(x, &r);
}

void
http_oauth_refuse(struct http_exchange *x, enum oauth_token_error e)
{
	struct json_writer w = { 0 };
	struct http_response r;

	http_response_start(&r, oauth_token_error_status(e));
	http_oauth_cors(&r);
	http_response_header(&r, "Cache-Control", "no-store");
	if (e == OAUTH_INVALID_CLIENT)
		http_response_header(&r, "WWW-Authenticate", "Basic realm=\"memories\"");
	if (e == OAUTH_TOO_MANY)
		http_response_header(&r, "Retry-After", "2");
	json_write_object(&w);
	json_member_text(&w, "error", oauth_token_error_name(e));
	json_write_end(&w);
	http_body_json(&r, &w);
	http_exchange_answer(x, &r);
}

void
http_oauth_refuse_for(struct http_exchange *x, enum err e)
{
	struct http_response r;

	if (e == ERR_INVALID_TOKEN || e == ERR_NOT_FOUND)
		http_oauth_refuse(x, OAUTH_INVALID_GRANT);
	else if (e == ERR_INSUFFICIENT_SCOPE)
		http_oauth_refuse(x, OAUTH_INVALID_SCOPE);
	else if (e == ERR_LOCKED || e == ERR_PROFILE_OFF || e == ERR_MAINTENANCE) {
		http_error_of(&r, 503, e);
		http_oauth_cors(&r);
		http_response_header(&r, "Retry-After", "30");
		http_exchange_answer(x, &r);
	} else
		http_oauth_refuse(x, OAUTH_TOO_MANY);
}

bool
http_oauth_form(struct http_exchange *x, size_t max, struct http_form *f)
{
	const struct http_request *r = http_exchange_request(x);
	struct span type;

	if (http_header(r, "content-type", &type) == 1 && http_type_is(type, FORM_TYPE) && r->body.len <= max &&
	    http_form_parse(r->body, f) == OK)
		return true;
	http_oauth_refuse(x, OAUTH_INVALID_REQUEST);
	return false;
}
