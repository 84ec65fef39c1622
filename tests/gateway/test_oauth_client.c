#include <stdio.h>
#include <string.h>

#include "gateway/oauth_client.h"
#include "gateway/oauth_hash.h"
#include "gateway/oauth_known.h"
#include "gateway/span.h"
#include "tests/support/check.h"

static struct key *
some_key(uint8_t first)
{
	uint8_t bytes[KEY_LEN] = { first };
	struct key *k;

	assert_int_equal(key_of(bytes, &k), OK);
	return k;
}

static size_t
make(const struct key *k, char id[OAUTH_CLIENT_ID_MAX + 1])
{
	struct oauth_client c;

	oauth_client_start(&c);
	c.issued_s = 1796000000;
	assert_true(oauth_client_set_name(&c, span_of("A \"name\"")));
	assert_true(oauth_client_add_redirect(&c, span_of("https://a.example/cb")));
	assert_true(oauth_client_add_redirect(&c, span_of("http://127.0.0.1:1/cb")));
	return oauth_client_write(&c, k, id);
}

static void
an_id_says_what_it_was_made_of(void **state)
{
	char id[OAUTH_CLIENT_ID_MAX + 1];
	uint8_t hash[SHA256_LEN];
	struct oauth_client c;
	struct key *k = some_key(1);
	size_t len;

	(void)state;
	len = make(k, id);
	assert_int_equal(len, strlen(id));
	assert_true(span_starts(span_of(id), "mc1."));
	assert_true(oauth_client_read(span_of(id), k, &c));
	assert_true(span_is(c.name, "A \"name\""));
	assert_int_equal(c.n_redirects, 2);
	assert_true(span_is(c.redirects[1], "http://127.0.0.1:1/cb"));
	assert_int_equal(c.issued_s, 1796000000);
	assert_false(c.is_known);
	oauth_hash(span_of(id), hash);
	assert_memory_equal(c.hash, hash, SHA256_LEN);
	key_free(&k);
}

static void
no_changed_byte_passes(void **state)
{
	char id[OAUTH_CLIENT_ID_MAX + 1];
	struct oauth_client c;
	struct key *k = some_key(1), *other = some_key(2);
	size_t len = make(k, id);

	(void)state;
	assert_false(oauth_client_read(span_of(id), other, &c));
	for (size_t i = 0; i < len; i++) {
		char was = id[i];

		id[i] = was == 'A' ? 'B' : 'A';
		assert_false(oauth_client_read(span_of(id), k, &c));
		id[i] = was;
		assert_false(oauth_client_read((struct span){ (uint8_t *)id, i }, k, &c));
	}
	id[len] = 'A';
	assert_false(oauth_client_read((struct span){ (uint8_t *)id, len + 1 }, k, &c));
	key_free(&k);
	key_free(&other);
}

static void
what_is_no_id(void **state)
{
	static const char *const bad[] = {
		"", "mc1.", "mc1..", "mc2.x.y", "https://evil.example/client.json",
		    "https://claude.ai/oauth/claude-code-client-metadata/",
		"HTTPS://claude.ai/oauth/claude-code-client-metadata", "mc1.e30.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	};
	struct oauth_client c;
	struct key *k = some_key(1);

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(oauth_client_read(span_of(bad[i]), k, &c));
	key_free(&k);
}

static void
known_clients_have_their_published_redirects(void **state)
{
	struct oauth_client c;
	struct key *k = some_key(1);

	(void)state;
	assert_true(oauth_client_read(span_of("https://claude.ai/oauth/claude-code-client-metadata"), k, &c));
	assert_true(c.is_known);
	assert_true(span_is(c.name, "Claude Code"));
	assert_true(span_is(oauth_client_redirect(&c, span_of("http://localhost:50123/callback")),
	    "http://localhost/callback"));
	assert_null(oauth_client_redirect(&c, span_of("http://[::1]:50123/callback")).p);
	assert_true(oauth_client_read(span_of("https://vscode.dev/oauth/client-metadata.json"), k, &c));
	assert_int_equal(c.n_redirects, 3);
	for (size_t i = 0; i < c.n_redirects; i++)
		assert_true(oauth_redirect_acceptable(c.redirects[i]));
	key_free(&k);
}

static void
names_lose_what_cannot_be_seen(void **state)
{
	uint8_t out[OAUTH_NAME_MAX];
	char many[1000];

	(void)state;
	assert_true(span_is((struct span){ out, oauth_client_name(span_of("  a\x1b[31m\n b\xe2\x80\xae" "c\xe2\x80\x8b  "),
	    out) }, "a[31m bc"));
	assert_int_equal(oauth_client_name(span_of(" \n\t"), out), 0);
	assert_true(span_is((struct span){ out, oauth_client_name(span_of("助手"), out) }, "助手"));
	for (size_t i = 0; i < 200; i++)
		memcpy(many + 4 * i, "\xf0\x9f\x8d\x85", 4);
	assert_int_equal(oauth_client_name((struct span){ (uint8_t *)many, 800 }, out), OAUTH_NAME_MAX);
}

static void
an_id_that_would_be_too_long_is_not_made(void **state)
{
	char uri[800], id[OAUTH_CLIENT_ID_MAX + 1];
	struct oauth_client c;
	struct key *k = some_key(1);

	(void)state;
	snprintf(uri, sizeof uri, "https://a.example/%0*d", 600, 0);
	oauth_client_start(&c);
	assert_true(oauth_client_add_redirect(&c, span_of(uri)));
	assert_true(oauth_client_write(&c, k, id) > 0);
	assert_true(oauth_client_add_redirect(&c, span_of(uri)));
	assert_int_equal(oauth_client_write(&c, k, id), 0);
	key_free(&k);
}

static void
ids_are_stable(void **state)
{
	char id[OAUTH_CLIENT_ID_MAX + 1];
	struct key *web = some_key(1), *k = some_key(0);

	(void)state;
	oauth_client_key(web, k);
	make(k, id);
	assert_string_equal(id,
	    "mc1.eyJuIjoiQSBcIm5hbWVcIiIsInIiOlsiaHR0cHM6Ly9hLmV4YW1wbGUvY2IiLCJodHRwOi8vMTI3LjAuMC4xOjEvY2IiX"
	    "SwidCI6MTc5NjAwMDAwMH0.TmPm8OlmnopQW-JycCNPo-WVV56IaCMtMZejA5PkSKw");
	key_free(&web);
	key_free(&k);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_id_says_what_it_was_made_of),
		cmocka_unit_test(no_changed_byte_passes),
		cmocka_unit_test(what_is_no_id),
		cmocka_unit_test(known_clients_have_their_published_redirects),
		cmocka_unit_test(names_lose_what_cannot_be_seen),
		cmocka_unit_test(an_id_that_would_be_too_long_is_not_made),
		cmocka_unit_test(ids_are_stable),
	};

	if (secret_init(true) != OK)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
