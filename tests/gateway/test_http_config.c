/* What config.json may say of the endpoint, and which names it then answers to. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gateway/http_origin.h"
#include "gateway/http_peer.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

static struct span
span(const char *s)
{
	return (struct span){ (const uint8_t *)s, strlen(s) };
}

static enum err
parse(const char *text, struct http_config *c)
{
	struct http_files files;

	return http_config_parse(span(text), c, &files);
}

static void
without_a_word_it_listens_on_this_machine(void **state)
{
	struct http_config c;

	(void)state;
	assert_int_equal(parse("{}", &c), OK);
	assert_string_equal(c.listen, "127.0.0.1:8787");
	assert_string_equal(c.origin, "http://127.0.0.1:8787");
	assert_false(c.is_secure);
	assert_int_equal(c.n_origins, 0);
	assert_int_equal(c.n_proxies, 0);
	assert_int_equal(c.peer_connections, 64);
	assert_null(c.certificate);
}

static void
each_member_is_taken(void **state)
{
	struct http_config c;

	(void)state;
	assert_int_equal(parse("{\"http\":{\"listen\":\"[::]:8443\",\"origin\":\"https://Memo.Example:443\","
	    "\"tls\":{\"certificate\":\"/a\",\"key\":\"/b\"},\"allowed_origins\":[\"https://claude.ai\"],"
	    "\"trusted_proxies\":[\"10.0.0.0/8\",\"::1\"],\"peer_connections_max\":12000,\"refresh_overlap_seconds\":2}}", &c), OK);
	assert_string_equal(c.listen, "[::]:8443");
	assert_string_equal(c.origin, "https://memo.example");
	assert_true(c.is_secure);
	assert_int_equal(c.n_origins, 1);
	assert_int_equal(c.n_proxies, 2);
	assert_int_equal(c.peer_connections, 12000);
	assert_int_equal(c.refresh_overlap_s, 2);
}

static void
with_tls_the_origin_is_https(void **state)
{
	struct http_config c;

	(void)state;
	assert_int_equal(parse("{\"http\":{\"listen\":\"192.0.2.7:443\",\"tls\":{\"certificate\":\"/a\",\"key\":\"/b\"}}}", &c), OK);
	assert_string_equal(c.origin, "https://192.0.2.7");
}

static void
what_is_wrong_is_refused(void **state)
{
	static const char *const wrong[] = {
		"[]", "{", "{\"http\":1}", "{\"http\":null}", "{\"http\":{\"lisen\":\"127.0.0.1:1\"}}",
		"{\"http\":{\"listen\":\"127.0.0.1\"}}", "{\"http\":{\"listen\":\"127.0.0.1:0\"}}",
		"{\"http\":{\"listen\":\"127.0.0.1:65536\"}}", "{\"http\":{\"listen\":\"127.0.0.1:080\"}}",
		"{\"http\":{\"listen\":\"example.org:80\"}}", "{\"http\":{\"listen\":8787}}", "{\"http\":{\"listen\":\"::1:80\"}}",
		/* Without TLS, and with no origin that has it, there is no name outside this machine. */
		"{\"http\":{\"listen\":\"192.0.2.7:80\"}}", "{\"http\":{\"listen\":\"0.0.0.0:80\"}}",
		"{\"http\":{\"origin\":\"http://example.org\"}}", "{\"http\":{\"origin\":\"https://example.org/\"}}",
		"{\"http\":{\"origin\":\"https://a@example.org\"}}", "{\"http\":{\"origin\":\"https://exa_mple\"}}",
		"{\"http\":{\"origin\":\"HTTPS://example.org\"}}", "{\"http\":{\"origin\":\"ftp://example.org\"}}",
		"{\"http\":{\"tls\":{}}}", "{\"http\":{\"tls\":{\"key\":\"/a\"}}}", "{\"http\":{\"tls\":true}}",
		"{\"http\":{\"tls\":{\"certificate\":\"/a\",\"key\":\"\"}}}",
		"{\"http\":{\"allowed_origins\":[\"*\"]}}", "{\"http\":{\"allowed_origins\":\"https://a\"}}",
		"{\"http\":{\"trusted_proxies\":[\"10.0.0.1/8\"]}}", "{\"http\":{\"trusted_proxies\":[\"10.0.0.0/33\"]}}",
		"{\"http\":{\"trusted_proxies\":[\"proxy\"]}}", "{\"http\":{\"peer_connections_max\":0}}",
		"{\"http\":{\"peer_connections_max\":12001}}", "{\"http\":{\"refresh_overlap_seconds\":31}}",
	};
	struct http_config c;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (parse(wrong[i], &c) != ERR_CONFIG_INVALID)
			fail_msg("taken: %s", wrong[i]);
}

static enum err
read_config(struct temp_dir *d, struct http_config **out)
{
	int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum err e = http_config_read(fd, out);

	close(fd);
	return e;
}

static void
put(struct temp_dir *d, const char *name, const char *text, mode_t mode)
{
	unlink(temp_dir_at(d, name));
	temp_dir_put(d, name, text, strlen(text), mode);
}

static void
the_key_is_its_owners_alone(void **state)
{
	struct temp_dir *d = *state;
	struct http_config *c = NULL;
	char text[2048], certificate[TEMP_PATH_MAX];

	strcpy(certificate, temp_dir_at(d, "cert.pem"));
	snprintf(text, sizeof text, "{\"http\":{\"tls\":{\"certificate\":\"%s\",\"key\":\"%s\"}}}", certificate,
	    temp_dir_at(d, "key.pem"));
	put(d, "config.json", text, 0600);
	put(d, "cert.pem", "certificate", 0644);
	assert_int_equal(read_config(d, &c), ERR_CONFIG_INVALID);
	put(d, "key.pem", "key", 0640);
	assert_int_equal(read_config(d, &c), ERR_CONFIG_INVALID);
	put(d, "key.pem", "key", 0600);
	assert_int_equal(read_config(d, &c), OK);
	assert_int_equal(secret_len(c->key), 3);
	assert_int_equal(secret_len(c->certificate), 11);
	http_config_free(&c);
	put(d, "config.json", "{}", 0622);
	assert_int_equal(read_config(d, &c), ERR_CONFIG_INVALID);
	unlink(temp_dir_at(d, "config.json"));
	assert_int_equal(read_config(d, &c), OK);
	http_config_free(&c);
}

static void
the_host_is_one_of_ours(void **state)
{
	struct http_config c;

	(void)state;
	assert_int_equal(parse("{\"http\":{\"origin\":\"https://memo.example\"}}", &c), OK);
	assert_true(http_host_is_ours(&c, span("memo.example")));
	assert_true(http_host_is_ours(&c, span("MEMO.example:443")));
	assert_true(http_host_is_ours(&c, span("127.0.0.1:8787")));
	assert_true(http_host_is_ours(&c, span("localhost:8787")));
	assert_true(http_host_is_ours(&c, span("[::1]:8787")));
	assert_false(http_host_is_ours(&c, span("memo.example:80")));
	assert_false(http_host_is_ours(&c, span("memo.example.")));
	assert_false(http_host_is_ours(&c, span("localhost")));
	assert_false(http_host_is_ours(&c, span("localhost.evil.example:8787")));
	assert_false(http_host_is_ours(&c, span("evil.example:8787")));
	assert_false(http_host_is_ours(&c, span("192.0.2.7:8787")));
	assert_false(http_host_is_ours(&c, span("")));
	assert_false(http_host_is_ours(&c, span(":8787")));

	/* On all addresses: a literal is nobody's name. */
	assert_int_equal(parse("{\"http\":{\"listen\":\"0.0.0.0:8787\",\"origin\":\"https://memo.example\"}}", &c), OK);
	assert_true(http_host_is_ours(&c, span("192.0.2.7:8787")));
	assert_false(http_host_is_ours(&c, span("localhost:8787")));
	assert_false(http_host_is_ours(&c, span("evil.example:8787")));
}

static void
an_origin_is_allowed_or_not(void **state)
{
	struct http_config c;

	(void)state;
	assert_int_equal(parse("{}", &c), OK);
	assert_true(http_origin_is_allowed(&c, span("http://127.0.0.1:8787")));
	assert_true(http_origin_is_allowed(&c, span("http://localhost:6274")));
	assert_true(http_origin_is_allowed(&c, span("http://[::1]:1")));
	assert_false(http_origin_is_allowed(&c, span("https://claude.ai")));
	assert_false(http_origin_is_allowed(&c, span("null")));
	assert_false(http_origin_is_allowed(&c, span("http://localhost.evil.example")));
	assert_false(http_origin_is_allowed(&c, span("http://127.0.0.1.evil.example")));
	assert_true(http_origin_is_own(&c, span("http://127.0.0.1:8787")));
	assert_false(http_origin_is_own(&c, span("http://localhost:6274")));
	assert_false(http_origin_is_own(&c, span("http://127.0.0.1:8787/")));

	assert_int_equal(parse("{\"http\":{\"listen\":\"0.0.0.0:1\",\"origin\":\"https://memo.example\"}}", &c), OK);
	assert_true(http_origin_is_allowed(&c, span("https://claude.ai")));
	assert_true(http_origin_is_allowed(&c, span("https://memo.example")));
	assert_true(http_origin_is_allowed(&c, span("https://memo.example:443")));
	assert_false(http_origin_is_allowed(&c, span("http://claude.ai")));
	assert_false(http_origin_is_allowed(&c, span("http://localhost:6274")));

	assert_int_equal(parse("{\"http\":{\"origin\":\"https://memo.example\",\"allowed_origins\":[]}}", &c), OK);
	assert_false(http_origin_is_allowed(&c, span("https://claude.ai")));
}

struct forwarded {
	const char *caller;
	const char *lines[2];
	const char *peer;
};

static void
a_proxy_is_believed_and_nobody_else(void **state)
{
	static const struct forwarded cases[] = {
		{ "192.0.2.1", { "198.51.100.1", NULL }, "192.0.2.1" },
		{ "10.0.0.1", { NULL, NULL }, "10.0.0.1" },
		{ "10.0.0.1", { "198.51.100.1", NULL }, "198.51.100.1" },
		{ "10.0.0.1", { "203.0.113.9, 198.51.100.1", NULL }, "198.51.100.1" },
		{ "10.0.0.1", { "203.0.113.9, 198.51.100.1, 10.0.0.2", NULL }, "198.51.100.1" },
		{ "10.0.0.1", { "198.51.100.1", "10.0.0.2" }, "198.51.100.1" },
		{ "10.0.0.1", { "203.0.113.9", "198.51.100.1:4711" }, "198.51.100.1" },
		{ "10.0.0.1", { "[2001:db8::1]:4711", NULL }, "2001:db8::" },
		{ "2001:db8:0:7:a:b:c:d", { NULL, NULL }, "2001:db8:0:7::" },
		{ "2001:db8:0:7::2", { NULL, NULL }, "2001:db8:0:7::" },
		{ "10.0.0.1", { "203.0.113.9, unknown", NULL }, "10.0.0.1" },
		{ "10.0.0.1", { "10.0.0.3, 10.0.0.2", NULL }, "10.0.0.3" },
		{ "10.0.0.1", { ",", NULL }, "10.0.0.1" },
	};
	struct http_config c;

	(void)state;
	assert_int_equal(parse("{\"http\":{\"trusted_proxies\":[\"10.0.0.0/8\"]}}", &c), OK);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct http_request r = { .n_headers = 0 };
		struct http_address caller, peer;
		char text[HTTP_ADDRESS_TEXT_MAX];

		for (size_t k = 0; k < 2 && cases[i].lines[k] != NULL; k++)
			r.headers[r.n_headers++] = (struct http_header){ span("X-Forwarded-For"), span(cases[i].lines[k]) };
		assert_true(http_address_parse(span(cases[i].caller), &caller));
		peer = http_peer(&c, &caller, &r);
		http_address_text(&peer, text);
		assert_string_equal(text, cases[i].peer);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_word_it_listens_on_this_machine),
		cmocka_unit_test(each_member_is_taken),
		cmocka_unit_test(with_tls_the_origin_is_https),
		cmocka_unit_test(what_is_wrong_is_refused),
		cmocka_unit_test_setup_teardown(the_key_is_its_owners_alone, temp_dir_setup, temp_dir_teardown),
		cmocka_unit_test(the_host_is_one_of_ours),
		cmocka_unit_test(an_origin_is_allowed_or_not),
		cmocka_unit_test(a_proxy_is_believed_and_nobody_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
