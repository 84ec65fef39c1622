/* The parser, on whole and on broken requests: whatever two servers could read differently is refused. */
#include <stdlib.h>
#include <string.h>

#include "gateway/http_parse.h"
#include "tests/support/check.h"

#define H "Host: x\r\n"

/* Feeds it so many bytes at a time; stops at the first word that is not "more". */
static enum http_parse
feed(struct http_parser *p, const char *text, size_t len, size_t at_once, size_t *fed)
{
	enum http_parse got = HTTP_PARSE_MORE;

	for (*fed = 0; *fed < len && got == HTTP_PARSE_MORE;) {
		size_t room = 0, n = len - *fed;
		uint8_t *at;

		assert_int_equal(http_parser_room(p, &at, &room), OK);
		assert_true(room > 0);
		n = n < room ? n : room;
		n = n < at_once ? n : at_once;
		memcpy(at, text + *fed, n);
		*fed += n;
		got = http_parser_took(p, n);
	}
	return got;
}

/* 0: it is taken; -1: more is wanted; otherwise the status that it is refused with. */
static int
judge(const char *text, size_t len, size_t at_once)
{
	struct http_parser *p = NULL;
	enum http_parse got;
	size_t fed;
	int status;

	assert_int_equal(http_parser_new(&p), OK);
	got = feed(p, text, len, at_once, &fed);
	status = got == HTTP_PARSE_DONE ? 0 : got == HTTP_PARSE_MORE ? -1 : http_parser_status(p);
	http_parser_free(&p);
	return status;
}

struct shape {
	int         status;
	const char *text;
	size_t      len;
};

#define SHAPE(status, text) { status, text, sizeof text - 1 }

static const struct shape shapes[] = {
	/* What is taken. */
	SHAPE(0, "GET / HTTP/1.1\r\n" H "\r\n"),
	SHAPE(0, "GET /mcp?a=b&c=%20{|}[] HTTP/1.1\r\n" H "\r\n"),
	SHAPE(0, "GET /? HTTP/1.1\r\n" H "\r\n"),
	SHAPE(0, "GET / HTTP/1.0\r\n" H "\r\n"),
	SHAPE(0, "BREW / HTTP/1.1\r\n" H "\r\n"),
	SHAPE(0, "GET / HTTP/1.1\r\nhOsT:x\r\n\r\n"),
	SHAPE(0, "GET / HTTP/1.1\r\nHost: \t x \t \r\n\r\n"),
	SHAPE(0, "GET / HTTP/1.1\r\n" H "A:\r\n\r\n"),
	SHAPE(0, "GET / HTTP/1.1\r\n" H "A: \xe4\xbd\xa0\r\n\r\n"),
	SHAPE(0, "GET / HTTP/1.1\r\nHost: [::1]:8787\r\n\r\n"),
	SHAPE(0, "POST / HTTP/1.1\r\n" H "Content-Length: 3\r\n\r\nabc"),
	SHAPE(0, "POST / HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n"),
	SHAPE(0, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
	SHAPE(0, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n"),
	SHAPE(0, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n00a\r\n0123456789\r\n000\r\n\r\n"),
	SHAPE(0, "GET / HTTP/1.1\r\n" H "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n"),
	SHAPE(0, "POST / HTTP/1.1\r\n" H "Content-Length: 1\r\nExpect: 100-Continue\r\n\r\na"),

	/* What is not complete. */
	SHAPE(-1, "GET / HTTP/1.1\r\n" H),
	SHAPE(-1, "GET / HTTP/1.1\r\n" H "\r"),
	SHAPE(-1, "POST / HTTP/1.1\r\n" H "Content-Length: 4\r\n\r\nabc"),
	SHAPE(-1, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"),
	SHAPE(-1, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),

	/* The request line. */
	SHAPE(400, "\r\nGET / HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "\nGET / HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, " GET / HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET  / HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET /  HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET / HTTP/1.1 \r\n" H "\r\n"),
	SHAPE(400, "GET\t/\tHTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET /\r\n" H "\r\n"),
	SHAPE(400, "GET\r\n" H "\r\n"),
	SHAPE(400, "G[T / HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET /a b HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET http://x/ HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET http://evil/ HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "OPTIONS * HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "CONNECT x:80 HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET mcp HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET /\xe4\xbd\xa0 HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET /a#b HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET /a\\b HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET /?<a> HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET /?a\x7f HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET /\0 HTTP/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET / http/1.1\r\n" H "\r\n"),
	SHAPE(400, "GET / HTTP/1\r\n" H "\r\n"),
	SHAPE(400, "GET / HTTP/1.10\r\n" H "\r\n"),
	SHAPE(400, "GET / HTTP/ 1.1\r\n" H "\r\n"),
	SHAPE(505, "GET / HTTP/1.2\r\n" H "\r\n"),
	SHAPE(505, "GET / HTTP/2.0\r\n" H "\r\n"),
	SHAPE(505, "GET / HTTP/0.9\r\n" H "\r\n"),
	SHAPE(505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
	SHAPE(400, "\x16\x03\x01\x02\x00\x01"),

	/* Lines. */
	SHAPE(400, "GET / HTTP/1.1\n" H "\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\nHost: x\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "\n"),
	SHAPE(400, "GET / HTTP/1.1\r\nHost: x\r\rA: b\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "\r\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A: b\r\n c\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A: b\r\n\tc\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n A: b\r\n" H "\r\n"),

	/* Names and values. */
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A : b\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A\t: b\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H ": b\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A b: c\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A\xc3\xa4: c\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A: b\0c\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A\0: b\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A: b\x01\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A: b\x0b\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A: b\x7f\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H "A: b\tc\r\n\r\n"),

	/* Host. */
	SHAPE(400, "GET / HTTP/1.1\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.0\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\n" H H "\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\nHost: x y\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"),
	SHAPE(400, "GET / HTTP/1.1\r\nHost : x\r\n\r\n"),

	/* How long the body is. */
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length: 3, 3\r\n\r\nabc"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length: +3\r\n\r\nabc"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length: -0\r\n\r\n"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length: 0x3\r\n\r\nabc"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length: 03\r\n\r\nabc"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length: 3 3\r\n\r\nabc"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length: 3;\r\n\r\nabc"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length: \r\n\r\n"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length : 3\r\n\r\nabc"),
	SHAPE(413, "POST / HTTP/1.1\r\n" H "Content-Length: 65537\r\n\r\n"),
	SHAPE(413, "POST / HTTP/1.1\r\n" H "Content-Length: 18446744073709551617\r\n\r\n"),
	SHAPE(413, "POST / HTTP/1.1\r\n" H "Content-Length: 99999999999999999999999999999999999999\r\n\r\n"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Transfer-Encoding\r\n: chunked\r\n\r\n0\r\n\r\n"),
	SHAPE(400, "POST / HTTP/1.1\r\n" H "Transfer-Encoding:\x0b" "chunked\r\n\r\n0\r\n\r\n"),
	SHAPE(400, "POST / HTTP/1.0\r\n" H "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
	SHAPE(501, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
	SHAPE(501, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
	SHAPE(501, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
	SHAPE(501, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: identity\r\n\r\n"),
	SHAPE(501, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
	SHAPE(501, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n"),
	SHAPE(501, "POST / HTTP/1.1\r\n" H "Transfer-Encoding:\r\n\r\n"),
	SHAPE(417, "POST / HTTP/1.1\r\n" H "Content-Length: 1\r\nExpect: 200-ok\r\n\r\na"),
	SHAPE(417, "POST / HTTP/1.1\r\n" H "Content-Length: 1\r\nExpect: 100-continue\r\nExpect: 100-continue\r\n\r\na"),

#define CHUNKED "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	/* Chunks. */
	SHAPE(400, CHUNKED "+2\r\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "-2\r\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "0x2\r\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED " 2\r\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "2 \r\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "2\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "2\rab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "2\r\nab\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "2\r\nabc\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "2\r\nab0\r\n\r\n"),
	SHAPE(400, CHUNKED "2\r\nab\r\n0\r\n\n"),
	SHAPE(400, CHUNKED "2;a=b\r\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "2;\r\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "2;\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "2\r\nab\r\n0;a=\"\r\n\"\r\n\r\n"),
	SHAPE(400, CHUNKED "2\r\nab\r\n0\r\nAuthorization: Bearer x\r\n\r\n"),
	SHAPE(400, CHUNKED "\r\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "g\r\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "000000002\r\nab\r\n0\r\n\r\n"),
	SHAPE(400, CHUNKED "100000000\r\n"),
	SHAPE(413, CHUNKED "ffffffff\r\n"),
	SHAPE(413, CHUNKED "10001\r\n"),
};

static void
each_shape_has_its_outcome_however_it_arrives(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (size_t at_once = 1; at_once < 10000; at_once = at_once == 1 ? 7 : at_once * 100)
			if (judge(shapes[i].text, shapes[i].len, at_once) != shapes[i].status)
				fail_msg("%zu at once: wanted %d, got %d for %s", at_once, shapes[i].status,
				    judge(shapes[i].text, shapes[i].len, at_once), shapes[i].text);
}

static void
a_request_is_taken_apart(void **state)
{
	static const char text[] = "POST /mcp?x=1 HTTP/1.1\r\nHost: example.org:1\r\nA: b c \r\na: second\r\nContent-Length: 5\r\n\r\nhello";
	struct http_parser *p = NULL;
	struct http_request r;
	struct span value;
	size_t fed;

	(void)state;
	assert_int_equal(http_parser_new(&p), OK);
	assert_int_equal(feed(p, text, sizeof text - 1, 3, &fed), HTTP_PARSE_DONE);
	http_parser_request(p, &r);
	assert_int_equal(r.method, HTTP_POST);
	assert_int_equal(r.path.len, 4);
	assert_memory_equal(r.path.p, "/mcp", 4);
	assert_int_equal(r.query.len, 3);
	assert_memory_equal(r.query.p, "x=1", 3);
	assert_memory_equal(r.host.p, "example.org:1", 13);
	assert_int_equal(http_header(&r, "a", &value), 2);
	assert_int_equal(value.len, 3);
	assert_memory_equal(value.p, "b c", 3);
	assert_int_equal(http_header(&r, "b", &value), 0);
	assert_null(value.p);
	assert_int_equal(r.body.len, 5);
	assert_memory_equal(r.body.p, "hello", 5);
	assert_false(http_parser_closes(p));
	http_parser_free(&p);
}

/* No "?" and an empty query are two things. */
static void
a_query_may_be_empty(void **state)
{
	static const char with[] = "GET /? HTTP/1.1\r\n" H "\r\n", without[] = "GET / HTTP/1.1\r\n" H "\r\n";
	struct http_parser *p = NULL;
	struct http_request r;
	size_t fed;

	(void)state;
	assert_int_equal(http_parser_new(&p), OK);
	assert_int_equal(feed(p, with, sizeof with - 1, 100, &fed), HTTP_PARSE_DONE);
	http_parser_request(p, &r);
	assert_non_null(r.query.p);
	assert_int_equal(r.query.len, 0);
	assert_int_equal(http_parser_next(p), HTTP_PARSE_MORE);
	assert_int_equal(feed(p, without, sizeof without - 1, 100, &fed), HTTP_PARSE_DONE);
	http_parser_request(p, &r);
	assert_null(r.query.p);
	http_parser_free(&p);
}

static bool
closes(const char *text)
{
	struct http_parser *p = NULL;
	size_t fed;
	bool found;

	assert_int_equal(http_parser_new(&p), OK);
	assert_int_equal(feed(p, text, strlen(text), 100, &fed), HTTP_PARSE_DONE);
	found = http_parser_closes(p);
	http_parser_free(&p);
	return found;
}

static void
a_client_may_wish_to_end(void **state)
{
	(void)state;
	assert_false(closes("GET / HTTP/1.1\r\n" H "\r\n"));
	assert_false(closes("GET / HTTP/1.1\r\n" H "Connection: keep-alive, closed\r\n\r\n"));
	assert_true(closes("GET / HTTP/1.1\r\n" H "Connection: Close\r\n\r\n"));
	assert_true(closes("GET / HTTP/1.1\r\n" H "Connection: a , close\r\n\r\n"));
	assert_true(closes("GET / HTTP/1.1\r\n" H "Connection: a\r\nConnection: close\r\n\r\n"));
	assert_true(closes("GET / HTTP/1.0\r\n" H "Connection: keep-alive\r\n\r\n"));
}

/* What follows a chunked request begins where its last chunk ends, to the byte. */
static void
the_next_request_begins_behind_the_one_before(void **state)
{
	static const char text[] = CHUNKED "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nPOST /2 HTTP/1.1\r\n" H "Content-Length: 2\r\n\r\nfg"
	    "GET /3 HTTP/1.1\r\n" H "\r\n";
	struct http_parser *p = NULL;
	struct http_request r;
	size_t fed;

	(void)state;
	assert_int_equal(http_parser_new(&p), OK);
	assert_int_equal(feed(p, text, sizeof text - 1, 10000, &fed), HTTP_PARSE_DONE);
	assert_int_equal(fed, sizeof text - 1);
	http_parser_request(p, &r);
	assert_int_equal(r.body.len, 5);
	assert_memory_equal(r.body.p, "abcde", 5);
	assert_int_equal(http_parser_next(p), HTTP_PARSE_DONE);
	http_parser_request(p, &r);
	assert_memory_equal(r.path.p, "/2", 2);
	assert_memory_equal(r.body.p, "fg", 2);
	assert_int_equal(http_parser_next(p), HTTP_PARSE_DONE);
	http_parser_request(p, &r);
	assert_memory_equal(r.path.p, "/3", 2);
	assert_false(http_parser_is_empty(p));
	assert_int_equal(http_parser_next(p), HTTP_PARSE_MORE);
	assert_true(http_parser_is_empty(p));
	http_parser_free(&p);
}

static size_t
put(char *out, size_t n, const char *text)
{
	memcpy(out + n, text, strlen(text));
	return n + strlen(text);
}

static void
a_head_has_its_limits(void **state)
{
	char *text = malloc(100000);
	size_t n;

	(void)state;
	assert_non_null(text);
	n = put(text, 0, "GET / HTTP/1.1\r\n" H);
	for (int i = 1; i < HTTP_HEADERS_MAX; i++)
		n = put(text, n, "A: b\r\n");
	assert_int_equal(judge(text, put(text, n, "\r\n"), 100), 0);
	n = put(text, n, "A: b\r\n");
	assert_int_equal(judge(text, put(text, n, "\r\n"), 100), 431);

	/* To the byte. */
	n = put(text, 0, "GET / HTTP/1.1\r\n" H "A: ");
	memset(text + n, 'a', HTTP_HEAD_MAX - 4 - n);
	assert_int_equal(judge(text, put(text, HTTP_HEAD_MAX - 4, "\r\n\r\n"), 100), 0);
	text[HTTP_HEAD_MAX - 4] = 'a';
	assert_int_equal(judge(text, put(text, HTTP_HEAD_MAX - 3, "\r\n\r\n"), 100), 431);
	memset(text, 'a', HTTP_HEAD_MAX + 1);
	assert_int_equal(judge(text, HTTP_HEAD_MAX, 100), -1);
	assert_int_equal(judge(text, HTTP_HEAD_MAX + 1, 100), 414);
	free(text);
}

static void
a_body_has_its_limits(void **state)
{
	char *text = malloc(1000000);
	size_t n;

	(void)state;
	assert_non_null(text);
	n = put(text, 0, "POST / HTTP/1.1\r\n" H "Content-Length: 65536\r\n\r\n");
	memset(text + n, 'a', HTTP_BODY_MAX);
	assert_int_equal(judge(text, n + HTTP_BODY_MAX, 777), 0);

	n = put(text, 0, CHUNKED "10000\r\n");
	memset(text + n, 'a', HTTP_BODY_MAX);
	n += HTTP_BODY_MAX;
	assert_int_equal(judge(text, put(text, n, "\r\n0\r\n\r\n"), 777), 0);
	assert_int_equal(judge(text, put(text, n, "\r\n1\r\na\r\n0\r\n\r\n"), 777), 413);

	/* Chunks of a byte are mostly framing. */
	n = put(text, 0, CHUNKED);
	for (int i = 0; i < 13000; i++)
		n = put(text, n, "1\r\na\r\n");
	assert_int_equal(judge(text, put(text, n, "0\r\n\r\n"), 777), 0);
	for (int i = 0; i < 1000; i++)
		n = put(text, n, "1\r\na\r\n");
	assert_int_equal(judge(text, put(text, n, "0\r\n\r\n"), 777), 413);
	free(text);
}

static void
it_is_told_once_that_the_client_waits(void **state)
{
	static const char head[] = "POST / HTTP/1.1\r\n" H "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n";
	struct http_parser *p = NULL;
	size_t fed;

	(void)state;
	assert_int_equal(http_parser_new(&p), OK);
	assert_int_equal(feed(p, head, sizeof head - 3, 100, &fed), HTTP_PARSE_MORE);
	assert_false(http_parser_in_body(p));
	assert_false(http_parser_wants_continue(p));
	assert_int_equal(feed(p, head + sizeof head - 3, 2, 100, &fed), HTTP_PARSE_MORE);
	assert_true(http_parser_in_body(p));
	assert_true(http_parser_wants_continue(p));
	assert_false(http_parser_wants_continue(p));
	http_parser_free(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_shape_has_its_outcome_however_it_arrives),
		cmocka_unit_test(a_request_is_taken_apart),
		cmocka_unit_test(a_query_may_be_empty),
		cmocka_unit_test(a_client_may_wish_to_end),
		cmocka_unit_test(the_next_request_begins_behind_the_one_before),
		cmocka_unit_test(a_head_has_its_limits),
		cmocka_unit_test(a_body_has_its_limits),
		cmocka_unit_test(it_is_told_once_that_the_client_waits),
	};

	return secret_init(true) == OK ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
