#include "gateway/oauth_redirect.h"
#include "gateway/span.h"

/* Programs whose scheme has no dot, against RFC 8252, 7.1. */
static const char *const known_schemes[] = {
	"claude", "cursor", "vscode", "vscode-insiders", "windsurf", "zed",
};

static const char *const loopback_hosts[] = { "127.0.0.1", "[::1]", "localhost" };

static bool
is_alpha(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool
is_hex(uint8_t c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Visible ASCII that a URI may have; no fragment, no star, escapes whole. */
static bool
has_only_uri_bytes(struct span t)
{
	for (size_t i = 0; i < t.len; i++) {
		if (t.p[i] <= 0x20 || t.p[i] >= 0x7f || strchr("#*\\\"<>^`{|}", t.p[i]) != NULL)
			return false;
		if (t.p[i] == '%' && (t.len - i < 3 || !is_hex(t.p[i + 1]) || !is_hex(t.p[i + 2])))
			return false;
	}
	return true;
}

static bool
take_scheme(struct span *rest, struct span *scheme)
{
	size_t n = 0;

	while (n < rest->len && (is_alpha(rest->p[n]) || (n > 0 && (is_digit(rest->p[n]) || strchr("+-.", rest->p[n])))))
		n++;
	if (n == 0 || n == rest->len || rest->p[n] != ':')
		return false;
	*scheme = (struct span){ rest->p, n };
	*rest = span_after(*rest, n + 1);
	return true;
}

static bool
is_host(struct span h)
{
	bool literal = h.len > 2 && h.p[0] == '[' && h.p[h.len - 1] == ']';

	for (size_t i = literal; i < h.len - literal; i++)
		if (literal ? !is_hex(h.p[i]) && h.p[i] != ':' && h.p[i] != '.' :
		              !is_alpha(h.p[i]) && !is_digit(h.p[i]) && strchr("-._", h.p[i]) == NULL)
			return false;
	return h.len > 0;
}

static bool
is_port(struct span p)
{
	unsigned long v = 0;

	for (size_t i = 0; i < p.len; i++) {
		if (!is_digit(p.p[i]))
			return false;
		v = v * 10 + (unsigned long)(p.p[i] - '0');
	}
	return p.len > 0 && p.len <= 5 && p.p[0] != '0' && v <= 65535;
}

/* Host and port out of "host:port". */
static bool
split_authority(struct span a, struct oauth_uri *u)
{
	size_t end = a.len;

	for (size_t i = a.len; i > 0 && a.p[i - 1] != ']'; i--)
		if (a.p[i - 1] == ':')
			end = i - 1;
	u->host = (struct span){ a.p, end };
	if (end < a.len)
		u->port = span_after(a, end + 1);
	return is_host(u->host) && (u->port.p == NULL || is_port(u->port));
}

bool
oauth_uri_parse(struct span text, struct oauth_uri *out)
{
	struct oauth_uri u = { .has_authority = false };
	size_t end = 2;

	if (text.len == 0 || text.len > OAUTH_REDIRECT_MAX || !has_only_uri_bytes(text) || !take_scheme(&text, &u.scheme))
		return false;
	u.path = text;
	u.has_authority = span_starts(text, "//");
	if (u.has_authority) {
		while (end < text.len && text.p[end] != '/' && text.p[end] != '?')
			end++;
		if (!split_authority((struct span){ text.p + 2, end - 2 }, &u))
			return false;
		u.path = span_after(text, end);
	}
	*out = u;
	return true;
}

static bool
is_loopback_host(struct span host)
{
	for (size_t i = 0; i < sizeof loopback_hosts / sizeof *loopback_hosts; i++)
		if (span_is(host, loopback_hosts[i]))
			return true;
	return false;
}

static bool
is_loopback(const struct oauth_uri *u)
{
	return span_is(u->scheme, "http") && u->has_authority && is_loopback_host(u->host);
}

static bool
is_private_scheme(struct span scheme)
{
	for (size_t i = 0; i < sizeof known_schemes / sizeof *known_schemes; i++)
		if (span_is(scheme, known_schemes[i]))
			return true;
	return memchr(scheme.p, '.', scheme.len) != NULL;
}

bool
oauth_redirect_acceptable(struct span uri)
{
	struct oauth_uri u;

	if (!oauth_uri_parse(uri, &u))
		return false;
	if (span_is(u.scheme, "https"))
		return u.has_authority;
	return is_loopback(&u) || is_private_scheme(u.scheme);
}

bool
oauth_redirect_is_loopback(struct span uri)
{
	struct oauth_uri u;

	return oauth_uri_parse(uri, &u) && (span_is(u.scheme, "http") || span_is(u.scheme, "https")) && u.has_authority &&
	    is_loopback_host(u.host);
}

bool
oauth_redirect_matches(struct span registered, struct span given)
{
	struct oauth_uri r, g;

	if (!oauth_uri_parse(registered, &r) || !oauth_uri_parse(given, &g))
		return false;
	if (span_same(registered, given))
		return true;
	return is_loopback(&r) && is_loopback(&g) && span_same(r.host, g.host) && span_same(r.path, g.path);
}

struct span
oauth_redirect_shown(struct span uri)
{
	struct oauth_uri u;

	if (!oauth_uri_parse(uri, &u))
		return (struct span){ uri.p, 0 };
	if (!u.has_authority || !(span_is(u.scheme, "https") || span_is(u.scheme, "http")))
		return (struct span){ u.scheme.p, u.scheme.len + 1 };
	return (struct span){ u.host.p, u.host.len + (u.port.p == NULL ? 0 : u.port.len + 1) };
}

/* Appends a byte, or remembers in *len that it did not fit. */
static void
put(char *out, size_t cap, size_t *len, char c)
{
	if (*len < cap)
		out[*len] = c;
	if (*len <= cap)
		(*len)++;
}

static void
put_text(char *out, size_t cap, size_t *len, struct span text, bool escaped)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.p[i];

		if (!escaped || is_alpha(c) || is_digit(c) || (c != '\0' && strchr("-._~", c) != NULL)) {
			put(out, cap, len, (char)c);
			continue;
		}
		put(out, cap, len, '%');
		put(out, cap, len, digits[c >> 4]);
		put(out, cap, len, digits[c & 15]);
	}
}

size_t
oauth_redirect_write(struct span uri, const struct oauth_param *params, size_t n, char *out, size_t cap)
{
	char mark = memchr(uri.p, '?', uri.len) == NULL ? '?' : '&';
	size_t len = 0;

	put_text(out, cap, &len, uri, false);
	for (size_t i = 0; i < n; i++) {
		if (params[i].value.p == NULL)
			continue;
		put(out, cap, &len, mark);
		put_text(out, cap, &len, span_of(params[i].name), true);
		put(out, cap, &len, '=');
		put_text(out, cap, &len, params[i].value, true);
		mark = '&';
	}
	return len <= cap ? len : 0;
}
