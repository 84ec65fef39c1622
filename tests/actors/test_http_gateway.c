/* The actor: when it listens, what it says of that, and what is answered in each phase. */
#include <stdio.h>
#include <string.h>

#include "actors/http_gateway.h"
#include "actors/http_routes.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

struct state {
	struct rig *rig;
	int         status;
	char        body[16384];
	char        allow[64];
};

static int
start(void **at)
{
	static struct state s;

	memset(&s, 0, sizeof s);
	assert_int_equal(secret_init(true), OK);
	assert_int_equal(rig_open(&http_gateway_actor, NULL, &s.rig), OK);
	*at = &s;
	return 0;
}

static int
stop(void **at)
{
	struct state *s = *at;

	rig_close(&s->rig);
	return 0;
}

static void
on_answer(void *arg, const struct http_response *r)
{
	struct state *s = arg;
	struct span body = r->body == NULL ? (struct span){ NULL, 0 } : secret_span(r->body);

	s->status = r->status;
	memset(s->body, 0, sizeof s->body);
	assert_true(body.len < sizeof s->body);
	if (body.len > 0)
		memcpy(s->body, body.p, body.len);
	memset(s->allow, 0, sizeof s->allow);
	for (size_t i = 0; i < r->n_headers; i++)
		if (strcmp(r->headers[i].name, "Allow") == 0)
			memcpy(s->allow, r->text + r->headers[i].offset, r->headers[i].len);
}

static int
ask(struct state *s, const char *request)
{
	struct http_exchange *x;

	assert_int_equal(http_exchange_of((struct span){ (const uint8_t *)request, strlen(request) }, on_answer, s, &x), OK);
	s->status = 0;
	http_dispatch(rig_self(s->rig), x);
	return s->status;
}

static void
enter(struct state *s, enum http_phase phase, const char *message)
{
	struct http_gateway *g = rig_self(s->rig);

	/* Set by hand: the port of the defaults may be another's. */
	g->phase = phase;
	strcpy(g->message, message);
}

#define HEALTHZ "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:8787\r\n\r\n"

static void
healthz_says_how_it_stands(void **at)
{
	struct state *s = *at;

	/* Grants has said so, but the keys of the pages are not here yet. */
	enter(s, HTTP_SERVES, "");
	assert_int_equal(ask(s, HEALTHZ), 503);
	assert_string_equal(s->body, "{\"status\":\"locked\",\"message\":\"the library is locked\"}");
	enter(s, HTTP_LOCKED, "");
	assert_int_equal(ask(s, HEALTHZ), 503);
	assert_string_equal(s->body, "{\"status\":\"locked\",\"message\":\"the library is locked\"}");
	enter(s, HTTP_OFF, "");
	assert_int_equal(ask(s, HEALTHZ), 503);
	assert_string_equal(s->body, "{\"status\":\"off\",\"message\":\"the profile is not enabled\"}");
	enter(s, HTTP_MAINTENANCE, "back at \"noon\"");
	assert_int_equal(ask(s, HEALTHZ), 503);
	assert_string_equal(s->body, "{\"status\":\"maintenance\",\"message\":\"back at \\\"noon\\\"\"}");
}

static void
what_is_no_route_is_404(void **at)
{
	static const char *const paths[] = { "/", "/healthz/", "/Healthz", "/%68ealthz", "/x/../healthz", "//healthz" };
	struct state *s = *at;
	char text[128];

	enter(s, HTTP_SERVES, "");
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost:8787\r\n\r\n", paths[i]);
		assert_int_equal(ask(s, text), 404);
		assert_non_null(strstr(s->body, "\"code\":\"not_found\""));
	}
}

static void
another_method_is_405_with_those_that_it_takes(void **at)
{
	struct state *s = *at;

	assert_int_equal(ask(s, "POST /healthz HTTP/1.1\r\nHost: localhost:8787\r\n\r\n"), 405);
	assert_string_equal(s->allow, "GET, HEAD");
	assert_int_equal(ask(s, "BREW /healthz HTTP/1.1\r\nHost: localhost:8787\r\n\r\n"), 405);
}

static void
another_host_is_421(void **at)
{
	struct state *s = *at;

	assert_int_equal(ask(s, "GET /healthz HTTP/1.1\r\nHost: evil.example:8787\r\n\r\n"), 421);
	assert_int_equal(ask(s, "GET /healthz HTTP/1.1\r\nHost: localhost:80\r\n\r\n"), 421);
	assert_int_equal(ask(s, "GET /healthz HTTP/1.1\r\nHost: [::1]:8787\r\n\r\n"), 503);
}

static void
grants_hears_how_it_listens(void **at)
{
	struct state *s = *at;
	const union any_body *body;

	rig_edge(s->rig, ACTOR_GRANTS, true);
	assert_non_null(body = rig_expect(s->rig, MSG_HTTP_LISTENS));
	assert_int_equal(body->http_listens.listening, 0);
	assert_int_equal(body->http_listens.error, OK);
	assert_int_equal(body->http_listens.address.len, strlen("127.0.0.1:8787"));
	assert_memory_equal(body->http_listens.origin.p, "http://127.0.0.1:8787", strlen("http://127.0.0.1:8787"));
}

static void
a_home_that_never_enabled_opens_no_port(void **at)
{
	struct state *s = *at;
	struct http_state_body never = { .phase = HTTP_NEVER };
	struct http_gateway *g = rig_self(s->rig);

	assert_int_equal(rig_deliver(s->rig, MSG_HTTP_STATE, ACTOR_GRANTS, 0, &never), OK);
	assert_false(http_server_listens(g->server));
}

/* HTTP_STATE to a started one with those settings; what grants hears of it. */
static void
expect_silent(enum err why)
{
	struct settings settings = { .http_error = why };
	struct http_state_body state = { .phase = HTTP_SERVES };
	const union any_body *said;
	struct rig *rig = NULL;

	assert_int_equal(rig_open(&http_gateway_actor, &settings, &rig), OK);
	rig_edge(rig, ACTOR_GRANTS, true);
	assert_non_null(said = rig_expect(rig, MSG_HTTP_LISTENS));
	assert_int_equal(said->http_listens.error, why);
	assert_false(said->http_listens.listening);
	assert_int_equal(rig_deliver(rig, MSG_HTTP_STATE, ACTOR_GRANTS, 0, &state), OK);
	assert_false(http_server_listens(((struct http_gateway *)rig_self(rig))->server));
	rig_close(&rig);
}

/* Not at the address of the defaults, which is none that the owner chose. */
static void
a_config_that_cannot_be_used_or_read_opens_no_port(void **at)
{
	(void)at;
	expect_silent(ERR_CONFIG_INVALID);
	expect_silent(ERR_STORAGE_FAILED);
}

static void
short_of_memory_for_its_config_it_is_started_anew(void **at)
{
	struct settings settings = { .http_error = ERR_NO_MEMORY };
	struct rig *rig = NULL;

	(void)at;
	assert_int_equal(rig_open(&http_gateway_actor, &settings, &rig), ERR_NO_MEMORY);
	rig_close(&rig);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		CASE(healthz_says_how_it_stands),
		CASE(what_is_no_route_is_404),
		CASE(another_method_is_405_with_those_that_it_takes),
		CASE(another_host_is_421),
		CASE(grants_hears_how_it_listens),
		CASE(a_home_that_never_enabled_opens_no_port),
		CASE(a_config_that_cannot_be_used_or_read_opens_no_port),
		CASE(short_of_memory_for_its_config_it_is_started_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
