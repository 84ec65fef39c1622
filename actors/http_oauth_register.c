/* /register, and the documents under /.well-known/. */
#include "actors/http_oauth_inside.h"
#include "gateway/oauth_metadata.h"
#include "gateway/oauth_register.h"

void
http_oauth_on_register(struct http_gateway *g, struct http_exchange *x)
{
	const struct http_request *r = http_exchange_request(x);
	struct json_writer w = { 0 };
	enum oauth_registered end;

	if (r->method == HTTP_OPTIONS) {
		http_oauth_preflight(x, "POST");
		return;
	}
	if (g->oauth->client_key == NULL || !oauth_pace_take(&g->oauth->pace, r->peer, clock_mono())) {
		http_oauth_refuse(x, OAUTH_TOO_MANY);
		return;
	}
	end = oauth_register(r->body, g->oauth->client_key, clock_wall().ms / 1000, &w);
	http_oauth_answer_json(x, end == OAUTH_REGISTERED ? 201 : 400, &w);
}

void
http_oauth_on_well_known(struct http_gateway *g, struct http_exchange *x)
{
	const struct http_request *request = http_exchange_request(x);
	enum oauth_document what = oauth_document_at(request->path);
	struct json_writer w = { 0 };
	struct http_response r;

	if (request->method == HTTP_OPTIONS) {
		http_oauth_preflight(x, "GET");
		return;
	}
	if (what == OAUTH_NO_DOCUMENT) {
		http_error_of(&r, 404, ERR_NOT_FOUND);
		http_oauth_cors(&r);
		http_exchange_answer(x, &r);
		return;
	}
	oauth_metadata_write(&w, what, g->config->origin);
	http_response_start(&r, 200);
	http_oauth_cors(&r);
	http_response_header(&r, "Cache-Control", "max-age=300");
	http_body_json(&r, &w);
	http_exchange_answer(x, &r);
}
