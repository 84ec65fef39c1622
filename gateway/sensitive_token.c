#include <string.h>

#include "gateway/sensitive_inside.h"

/* How keys and tokens of well-known services begin, and how much must follow. */
static const struct {
	const char *text;
	unsigned    least;
} prefixes[] = {
	{ "sk-", 20 }, { "sk_live_", 10 }, { "sk_test_", 10 }, { "rk_live_", 10 }, { "rk_test_", 10 }, { "whsec_", 16 },
	{ "ghp_", 20 }, { "gho_", 20 }, { "ghu_", 20 }, { "ghs_", 20 }, { "ghr_", 20 }, { "github_pat_", 20 },
	{ "glpat-", 16 }, { "gldt-", 16 }, { "glrt-", 16 }, { "xoxb-", 10 }, { "xoxp-", 10 }, { "xoxa-", 10 }, { "xoxr-", 10 },
	{ "xoxs-", 10 }, { "xapp-", 10 }, { "AKIA", 16 }, { "ASIA", 16 }, { "AIza", 30 }, { "ya29.", 20 }, { "GOCSPX-", 20 },
	{ "SG.", 20 }, { "npm_", 20 }, { "pypi-", 20 }, { "hf_", 20 }, { "dop_v1_", 20 }, { "shpat_", 16 }, { "shpss_", 16 },
	{ "LTAI", 16 }, { "PMAK-", 20 }, { "lin_api_", 16 }, { "figd_", 16 }, { "dckr_pat_", 16 }, { "r8_", 20 },
	{ "gsk_", 20 }, { "xai-", 20 }, { "tvly-", 16 }, { "mat_", 20 }, { "mrt_", 20 }, { "mac_", 20 }, { "eyJ", 20 },
};

/* Texts that stand in private keys. RFC 7468; PuTTY; the first bytes of an OpenSSH key in base64; age. */
static const char *const keys[] = {
	"PRIVATE KEY-----", "PRIVATE KEY BLOCK-----", "PuTTY-User-Key-File", "b3BlbnNzaC1rZXktdjE", "AGE-SECRET-KEY-1",
};

static bool
stands(struct span t, size_t i, const char *text)
{
	size_t len = strlen(text);

	return t.len - i >= len && memcmp(t.p + i, text, len) == 0;
}

/* What tokens are made of. */
static bool
of_token(struct span t, size_t i)
{
	return sensitive_alnum(t, i) || (i < t.len && memchr("_-+/=", t.p[i], 5) != NULL);
}

static size_t
run_length(struct span t, size_t i)
{
	size_t n = 0;

	while (of_token(t, i + n))
		n++;
	return n;
}

static bool
has_digit(struct span t, size_t i, size_t n)
{
	while (n-- > 0)
		if (sensitive_digit(t, i + n))
			return true;
	return false;
}

static bool
has_prefix(struct span t, size_t i)
{
	for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
		size_t len = strlen(prefixes[k].text), run;

		if (!stands(t, i, prefixes[k].text))
			continue;
		run = run_length(t, i + len);
		if (run >= prefixes[k].least && has_digit(t, i + len, run))
			return true;
	}
	return false;
}

enum shape {
	SHAPE_LOWER,
	SHAPE_UPPER,
	SHAPE_DIGIT,
	SHAPE__COUNT
};

static enum shape
shape_of(uint8_t c)
{
	return c >= 'a' && c <= 'z' ? SHAPE_LOWER : c >= 'A' && c <= 'Z' ? SHAPE_UPPER : SHAPE_DIGIT;
}

struct looks {
	size_t n;                /* letters and digits */
	size_t of[SHAPE__COUNT];
	size_t turns;            /* from one shape to another; an upper letter that begins a word is none */
	size_t hex;
};

static struct looks
look_at(struct span t, size_t i, size_t len)
{
	struct looks l = { .n = 0 };
	enum shape before = SHAPE__COUNT, now;

	for (size_t k = i; k < i + len; k++) {
		if (!sensitive_alnum(t, k))
			continue;
		now = shape_of(t.p[k]);
		l.n++;
		l.of[now]++;
		l.turns += before != SHAPE__COUNT && now != before;
		l.hex += now == SHAPE_DIGIT || (t.p[k] | 0x20u) <= 'f';
		before = now;
	}
	return l;
}

/* 8-4-4-4-12: an id, which is no secret. */
static bool
is_uuid(struct span t, size_t i, size_t len)
{
	static const char form[] = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";

	if (len != sizeof form - 1)
		return false;
	for (size_t k = 0; k < len; k++)
		if ((form[k] == '-') != (t.p[i + k] == '-'))
			return false;
	return true;
}

/*
 * Random text of three shapes turns from one to another at two of three places,
 * of two shapes at one of three; words and names turn far less.
 */
static bool
has_no_words(struct span t, size_t i, size_t len)
{
	struct looks l = look_at(t, i, len);

	if (is_uuid(t, i, len) || l.of[SHAPE_DIGIT] == 0)
		return false;
	if (l.n >= 32 && l.hex == l.n)
		return l.of[SHAPE_DIGIT] < l.n && l.turns * 4 >= l.n;
	if (l.of[SHAPE_LOWER] > 0 && l.of[SHAPE_UPPER] > 0)
		return l.n >= 20 && (l.turns * 5 >= l.n * 2 || (l.n >= 32 && l.turns * 3 >= l.n));
	return l.n >= 24 && l.of[SHAPE_DIGIT] >= 4 && l.turns * 3 >= l.n;
}

/* scheme://user:password@host, RFC 3986 3.2.1. */
static bool
has_userinfo(struct span t, size_t i)
{
	bool colon = false;

	if (!sensitive_is(t, i, "://"))
		return false;
	for (size_t k = i + 3; k < t.len && t.p[k] > ' ' && t.p[k] != '/'; k++) {
		if (t.p[k] == '@')
			return colon;
		colon = colon || (t.p[k] == ':' && k + 1 < t.len && t.p[k + 1] != '@');
	}
	return false;
}

/* "Bearer TOKEN", RFC 6750; and a bot's "123456789:TOKEN". */
static bool
has_bearer(struct span t, size_t i)
{
	size_t k = i, run;

	if (sensitive_word(t, i, "bearer ")) {
		run = run_length(t, i + 7);
		return run >= 16 && has_digit(t, i + 7, run);
	}
	while (sensitive_digit(t, k))
		k++;
	return k - i >= 8 && k - i <= 10 && k < t.len && t.p[k] == ':' && run_length(t, k + 1) >= 30;
}

enum sensitive
sensitive_token(struct span t)
{
	size_t run;

	for (size_t i = 0; i < t.len; i++) {
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
			if (stands(t, i, keys[k]))
				return SENSITIVE_PRIVATE_KEY;
		if (has_userinfo(t, i))
			return SENSITIVE_PASSWORD;
		if (!of_token(t, i))
			continue;
		/* A name may stand before it: KEY=…, or a path. */
		if (i > 0 && (t.p[i - 1] == '=' || t.p[i - 1] == '/') && has_prefix(t, i))
			return SENSITIVE_TOKEN;
		if (i > 0 && of_token(t, i - 1))
			continue;
		run = run_length(t, i);
		if (has_prefix(t, i) || has_bearer(t, i) || has_no_words(t, i, run))
			return SENSITIVE_TOKEN;
	}
	return SENSITIVE_NONE;
}
