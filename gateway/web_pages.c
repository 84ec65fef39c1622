#include <stdio.h>

#include "gateway/oauth_redirect.h"
#include "gateway/span.h"
#include "gateway/web_files.h"
#include "gateway/web_pages.h"
#include "gateway/web_template.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* What a part means that has no values of its own: once, or not at all. */
static const struct web_scope plain;

static struct web_part
part_if(const char *name, bool shown)
{
	return (struct web_part){ name, &plain, shown };
}

/* The page of that name in that language. */
static enum err
write_page(const char *name, enum web_language l, const struct web_scope *scope, struct secret **out)
{
	char file[40];
	struct secret *page;
	struct wire_out w;
	struct span template;

	snprintf(file, sizeof file, "%s.%s.html", name, web_language_name(l));
	if (!web_file_find(span_of(file), &template))
		return ERR_INTERNAL;
	if (secret_new(WEB_PAGE_MAX, &page) != OK)
		return ERR_NO_MEMORY;
	w = wire_out(secret_bytes(page), WEB_PAGE_MAX);
	if (!web_template_write(template, scope, &w)) {
		secret_free(&page);
		return ERR_INTERNAL;
	}
	secret_cut(page, w.len);
	*out = page;
	return OK;
}

enum err
web_login_page(enum web_language l, const struct web_login *p, struct secret **out)
{
	char seconds[16];
	int n = snprintf(seconds, sizeof seconds, "%u", p->seconds);
	const struct web_value values[] = {
		{ "csrf", span_of(p->csrf) },
		{ "tx", span_of(p->tx) },
		{ "seconds", { (const uint8_t *)seconds, (size_t)n } },
	};
	const struct web_part parts[] = {
		part_if("no_password", p->state == WEB_LOGIN_NO_PASSWORD),
		part_if("wrong", p->state == WEB_LOGIN_WRONG),
		part_if("wait", p->state == WEB_LOGIN_WAIT),
		part_if("busy", p->state == WEB_LOGIN_BUSY),
		part_if("form", p->state != WEB_LOGIN_NO_PASSWORD),
	};
	struct web_scope scope = { values, COUNT(values), parts, COUNT(parts) };

	return write_page("login", l, &scope, out);
}

enum err
web_consent_page(enum web_language l, const struct web_consent *p, struct secret **out)
{
	char since[CLOCK_TEXT_LEN + 1] = "";
	struct span shown = oauth_redirect_shown(p->redirect);
	bool is_private = shown.len > 0 && shown.p[shown.len - 1] == ':';
	const struct web_value values[] = {
		{ "csrf", span_of(p->csrf) },
		{ "tx", span_of(p->tx) },
		{ "client", p->name },
		{ "host", shown },
		{ "since", { (const uint8_t *)since, strlen("2026-11-30") } },
	};
	const struct web_part parts[] = {
		part_if("named", p->name.len > 0),
		part_if("unnamed", p->name.len == 0),
		part_if("loopback", oauth_redirect_is_loopback(p->redirect)),
		part_if("private", is_private),
		part_if("connected", p->is_connected),
		part_if("nothing", p->chose_nothing),
		part_if("read", (p->scopes & 1u << SCOPE_READ) != 0),
		part_if("propose", (p->scopes & 1u << SCOPE_PROPOSE) != 0),
		part_if("correct", (p->scopes & 1u << SCOPE_CORRECT) != 0),
		part_if("search", (p->scopes & 1u << SCOPE_SEARCH) != 0),
	};
	struct web_scope scope = { values, COUNT(values), parts, COUNT(parts) };

	clock_text(p->since, since);
	return write_page("consent", l, &scope, out);
}

static const char *const notices[WEB_NOTICES + 1] = {
	[WEB_MALFORMED] = "malformed",
	[WEB_UNKNOWN_CLIENT] = "unknown_client",
	[WEB_UNKNOWN_DOCUMENT] = "unknown_document",
	[WEB_WRONG_REDIRECT] = "wrong_redirect",
	[WEB_EXPIRED] = "expired",
	[WEB_FORBIDDEN] = "forbidden",
	[WEB_OFF] = "off",
	[WEB_LOCKED] = "locked",
	[WEB_MAINTENANCE] = "maintenance",
	[WEB_BUSY] = "busy",
	[WEB_FAILED] = "failed",
	[WEB_FULL] = "full",
	[WEB_NOTICES] = "error",
};

/* A notice with its one part shown, and what that part names. */
static enum err
write_notice(enum web_language l, unsigned what, const struct web_value *values, size_t n_values, bool has_text,
    struct secret **out)
{
	struct web_part parts[COUNT(notices) + 1];
	struct web_scope scope = { values, n_values, parts, COUNT(parts) };

	for (size_t i = 0; i < COUNT(notices); i++)
		parts[i] = part_if(notices[i], i == what);
	parts[COUNT(notices)] = part_if("message", has_text);
	return write_page("notice", l, &scope, out);
}

enum err
web_notice_page(enum web_language l, enum web_notice what, struct span text, struct secret **out)
{
	const struct web_value value = { "text", text };

	return write_notice(l, what, &value, 1, text.len > 0, out);
}

enum err
web_error_page(enum web_language l, const struct web_error *p, struct secret **out)
{
	const struct web_value values[] = {
		{ "code", span_of(p->code) },
		{ "url", p->url },
		{ "host", p->host },
	};

	return write_notice(l, WEB_NOTICES, values, COUNT(values), false, out);
}
