#include <string.h>

#include "gateway/span.h"
#include "gateway/web_files.h"
#include "gateway/web_pages.h"
#include "gateway/web_template.h"
#include "tests/support/check.h"

/* A page as a C string; the test frees it. */
static char page_text[WEB_PAGE_MAX + 1];

static const char *
text_of(struct secret *page)
{
	size_t len = secret_len(page);

	memcpy(page_text, secret_view(page), len);
	page_text[len] = '\0';
	secret_free(&page);
	return page_text;
}

static const char *
login(enum web_language l, enum web_login_state state)
{
	struct web_login p = { state, "CSRF", "TX", 7 };
	struct secret *page;

	assert_int_equal(web_login_page(l, &p, &page), OK);
	return text_of(page);
}

static const char *
consent(enum web_language l, const struct web_consent *p)
{
	struct secret *page;

	assert_int_equal(web_consent_page(l, p, &page), OK);
	return text_of(page);
}

static struct web_consent
some_consent(void)
{
	return (struct web_consent){ .csrf = "CSRF", .tx = "TX", .name = span_of("Name"),
	    .redirect = span_of("https://a.example:8443/cb"),
		.scopes = SCOPES_ALL };
}

static void
assert_whole(const char *text)
{
	assert_memory_equal(text, "<!doctype html>", 15);
	assert_non_null(strstr(text, "</html>"));
	assert_null(strstr(text, "{{"));
	assert_null(strstr(text, "}}"));
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "style="));
	assert_null(strstr(text, " onclick"));
	assert_non_null(strstr(text, "<meta name=\"viewport\""));
}

static void
every_page_can_be_written_in_both_languages(void **state)
{
	struct web_error error = { "invalid_request", span_of("https://a.example/?error=x&iss=y"), span_of("a.example") };
	struct web_consent c = some_consent();
	struct secret *page;

	(void)state;
	for (unsigned l = 0; l < WEB_LANGUAGES; l++) {
		enum web_language language = (enum web_language)l;
		const char *lang = l == WEB_ZH ? "<html lang=\"zh\">" : "<html lang=\"en\">";

		for (unsigned s = WEB_LOGIN_ASKS; s <= WEB_LOGIN_NO_PASSWORD; s++) {
			const char *text = login(language, (enum web_login_state)s);

			assert_non_null(strstr(text, lang));
			assert_int_equal(strstr(text, "name=\"password\"") != NULL, s != WEB_LOGIN_NO_PASSWORD);
		}
		assert_non_null(strstr(consent(language, &c), lang));
		for (unsigned n = 0; n < WEB_NOTICES; n++) {
			assert_int_equal(web_notice_page(language, (enum web_notice)n, span_of("WORDS"), &page), OK);
			assert_whole(text_of(page));
			assert_non_null(strstr(page_text, "<h1>"));
			assert_null(strstr(strstr(page_text, "<h1>") + 1, "<h1>"));
			assert_int_equal(strstr(page_text, "WORDS") != NULL, n == WEB_MAINTENANCE);
		}
		assert_int_equal(web_error_page(language, &error, &page), OK);
		assert_non_null(strstr(text_of(page), "href=\"https://a.example/?error=x&amp;iss=y\""));
	}
}

static void
login_says_what_happened(void **state)
{
	(void)state;
	assert_non_null(strstr(login(WEB_EN, WEB_LOGIN_WRONG), "not the password"));
	assert_null(strstr(login(WEB_EN, WEB_LOGIN_ASKS), "not the password"));
	assert_non_null(strstr(login(WEB_EN, WEB_LOGIN_WAIT), "in 7 seconds"));
	assert_non_null(strstr(login(WEB_ZH, WEB_LOGIN_WAIT), "请在 7 秒后"));
	assert_non_null(strstr(login(WEB_ZH, WEB_LOGIN_NO_PASSWORD), "memories profile passwd"));
	assert_non_null(strstr(login(WEB_EN, WEB_LOGIN_ASKS), "name=\"csrf\" value=\"CSRF\""));
	assert_non_null(strstr(login(WEB_EN, WEB_LOGIN_ASKS), "name=\"tx\" value=\"TX\""));
}

static void
consent_shows_what_is_asked_for_and_no_more(void **state)
{
	struct web_consent p = some_consent();
	const char *text = consent(WEB_EN, &p);

	(void)state;
	assert_non_null(strstr(text, "<dd class=\"name\"><bdi>Name</bdi></dd>\n<dd class=\"soft\">Unverified: "));
	assert_non_null(strstr(text, "<dd><bdi>a.example:8443</bdi></dd>"));
	assert_null(strstr(text, "stay shared"));
	assert_non_null(strstr(text, "value=\"profile:read\" checked"));
	assert_non_null(strstr(text, "value=\"context:search\">"));
	assert_null(strstr(text, "value=\"context:search\" checked"));
	assert_null(strstr(text, "health\""));
	assert_non_null(strstr(text, "value=\"work_study\""));
	assert_null(strstr(text, "on the computer you are using"));
	assert_null(strstr(text, "connected it before"));
	p.scopes = 1u << SCOPE_READ;
	text = consent(WEB_EN, &p);
	assert_null(strstr(text, "profile:propose"));
	assert_null(strstr(text, "context:search"));
}

static void
consent_warns(void **state)
{
	struct web_consent p = some_consent();

	(void)state;
	p.redirect = span_of("http://localhost:5000/cb");
	assert_non_null(strstr(consent(WEB_EN, &p), "on the computer you are using"));
	p.redirect = span_of("cursor://anysphere.cursor-mcp/x");
	assert_non_null(strstr(consent(WEB_EN, &p), "opens an app"));
	assert_non_null(strstr(page_text, "<dd><bdi>cursor:</bdi></dd>"));
	p.is_connected = true;
	p.since = (struct wall_ms){ 1796083200000 };
	assert_non_null(strstr(consent(WEB_EN, &p), "You connected it before, on 2026-12-01."));
	assert_non_null(strstr(page_text, "Facts that you shared with it before stay shared."));
	p.chose_nothing = true;
	assert_non_null(strstr(consent(WEB_EN, &p), "Tick at least"));
}

static void
a_strangers_words_are_text(void **state)
{
	struct web_consent p = some_consent();
	struct secret *page;

	(void)state;
	p.name = span_of("</dd><script>alert('x')</script>\"&{{csrf}}{{#read}}");
	assert_non_null(strstr(consent(WEB_EN, &p),
	    "<bdi>&lt;/dd&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;{{csrf}}{{#read}}</bdi>"));
	/* Nothing in a name can look like the end of it: it stands in a box, and not in quotes. */
	p.name = span_of("Name” is verified. “");
	assert_non_null(strstr(consent(WEB_EN, &p), "<dd class=\"name\"><bdi>Name” is verified. “</bdi></dd>\n<dd class=\"soft\">Unverified"));
	assert_int_equal(web_notice_page(WEB_EN, WEB_MAINTENANCE, span_of("<b>"), &page), OK);
	assert_non_null(strstr(text_of(page), "<p>&lt;b&gt;</p>"));
}

static void
no_page_can_be_framed_or_run_scripts(void **state)
{
	(void)state;
	assert_non_null(strstr(WEB_POLICY, "default-src 'none'"));
	assert_non_null(strstr(WEB_POLICY, "frame-ancestors 'none'"));
	assert_non_null(strstr(WEB_POLICY, "form-action 'self'"));
	assert_null(strstr(WEB_POLICY_CONSENT, "form-action"));
	assert_null(strstr(WEB_POLICY, "unsafe"));
}

static void
languages_go_by_weight(void **state)
{
	(void)state;
	assert_int_equal(web_language_of((struct span){ NULL, 0 }), WEB_EN);
	assert_int_equal(web_language_of(span_of("zh-CN,zh;q=0.9,en;q=0.8")), WEB_ZH);
	assert_int_equal(web_language_of(span_of("en-US,en;q=0.9,zh;q=0.8")), WEB_EN);
	assert_int_equal(web_language_of(span_of("fr, de;q=0.9, zh-Hant;q=0.2")), WEB_ZH);
	assert_int_equal(web_language_of(span_of("en;q=0.3, ZH;q=0.31")), WEB_ZH);
	assert_int_equal(web_language_of(span_of("zh;q=0, en;q=0.001")), WEB_EN);
	assert_int_equal(web_language_of(span_of("zhx, *")), WEB_EN);
	assert_int_equal(web_language_of(span_of(";;q=,,zh;q=")), WEB_EN);
}

static bool
expand(const char *template, char out[200])
{
	static const struct web_value a = { "v", { (const uint8_t *)"1", 1 } }, b = { "v", { (const uint8_t *)"<2>", 3 } };
	static const struct web_scope items[] = { { &a, 1, NULL, 0 }, { &b, 1, NULL, 0 } };
	static const struct web_value top = { "t", { (const uint8_t *)"T", 1 } };
	static const struct web_part parts[] = { { "each", items, 2 }, { "none", items, 0 } };
	static const struct web_scope scope = { &top, 1, parts, 2 };
	struct wire_out w = wire_out(out, 199);
	bool done = web_template_write(span_of(template), &scope, &w);

	out[w.len] = '\0';
	return done;
}

static void
templates(void **state)
{
	static const char *const bad[] = { "{{x}}", "{{t", "{{#each}}", "{{#each}}{{/eac}}", "{{#x}}{{/x}}", "{{v}}",
	    "{{/each}}",
		"{{#each}}{{#each}}{{#each}}{{#each}}{{/each}}{{/each}}{{/each}}{{/each}}", "{{}}", "{{#}}{{/}}" };
	char out[200];

	(void)state;
	assert_true(expand("a{{t}}b{{#each}}[{{v}}{{t}}]{{/each}}c{{#none}}{{x}}{{/none}}", out));
	assert_string_equal(out, "aTb[1T][&lt;2&gt;T]c");
	assert_true(expand("", out));
	assert_true(expand("{ }} {x}", out));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (expand(bad[i], out))
			fail_msg("%s", bad[i]);
}

static void
the_style_is_built_in(void **state)
{
	struct span bytes;

	(void)state;
	assert_true(web_file_find(span_of("style.css"), &bytes));
	assert_true(span_starts(bytes, ":root"));
	assert_false(web_file_find(span_of("../style.css"), &bytes));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_page_can_be_written_in_both_languages),
		cmocka_unit_test(login_says_what_happened),
		cmocka_unit_test(consent_shows_what_is_asked_for_and_no_more),
		cmocka_unit_test(consent_warns),
		cmocka_unit_test(a_strangers_words_are_text),
		cmocka_unit_test(no_page_can_be_framed_or_run_scripts),
		cmocka_unit_test(languages_go_by_weight),
		cmocka_unit_test(templates),
		cmocka_unit_test(the_style_is_built_in),
	};

	if (secret_init(true) != OK)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
