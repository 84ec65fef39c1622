#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gateway/hex.h"
#include "gateway/otp_uri.h"
#include "mailbox/utf8.h"

#define VALUE_MAX 320 /* of a parameter that is no label, decoded */

static const char base32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/* What was read of a URI so far: which parameters came, and why it ends. */
struct reading {
	struct otp_uri *u;
	const char     *why;
	bool            secret, issuer, algorithm, digits, period, counter;
};

static bool
refuse(struct reading *r, const char *why)
{
	r->why = why;
	return false;
}

static int
base32_value(uint8_t c)
{
	const char *at = c == '\0' ? NULL : strchr(base32, c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);

	return at == NULL ? -1 : (int)(at - base32);
}

/*
 * Bits past the last whole byte are dropped: seeds are often random letters
 * rather than encoded bytes. A length that no bytes have is a letter too few.
 */
static bool
take_seed(struct reading *r, struct span text, const char *between)
{
	uint32_t bits = 0;
	unsigned n_bits = 0;
	size_t letters = 0, i;
	int v;

	r->u->seed_len = 0;
	for (i = 0; i < text.len && text.p[i] != '='; i++) {
		if (text.p[i] != '\0' && strchr(between, text.p[i]) != NULL)
			continue;
		if ((v = base32_value(text.p[i])) < 0)
			return refuse(r, "the seed is no base32: it is made of A to Z and 2 to 7");
		bits = (bits & 0xff) << 5 | (uint32_t)v;
		letters++;
		if ((n_bits += 5) < 8)
			continue;
		if (r->u->seed_len == OTP_SEED_MAX)
			return refuse(r, "the seed is longer than 128 bytes");
		n_bits -= 8;
		r->u->seed[r->u->seed_len++] = (uint8_t)(bits >> n_bits);
	}
	if (text.len - i > 6)
		return refuse(r, "the seed ends in more padding than base32 has");
	for (; i < text.len; i++)
		if (text.p[i] != '=')
			return refuse(r, "the seed goes on after its padding");
	if (letters % 8 == 1 || letters % 8 == 3 || letters % 8 == 6)
		return refuse(r, "a letter of the seed is missing, or there is one too many");
	return r->u->seed_len >= OTP_SEED_MIN || refuse(r, "the seed is shorter than 80 bits");
}

/* One byte of text at *i, which %XX may stand for; -1 for a broken one or a control. */
static int
decode_byte(struct span s, size_t *i)
{
	int high, low, v = s.p[*i];

	if (v == '%') {
		if (s.len - *i < 3 || (high = hex_digit(s.p[*i + 1])) < 0 || (low = hex_digit(s.p[*i + 2])) < 0)
			return -1;
		v = high << 4 | low;
		*i += 2;
	}
	++*i;
	return v < 0x20 || v == 0x7f ? -1 : v;
}

/* A NUL ends what was decoded; false when it is broken or too long. */
static bool
decode(struct span s, char out[VALUE_MAX + 1])
{
	size_t n = 0;
	int v;

	for (size_t i = 0; i < s.len;) {
		if (n == VALUE_MAX || (v = decode_byte(s, &i)) < 0)
			return false;
		out[n++] = (char)v;
	}
	out[n] = '\0';
	return true;
}

static bool
stands_for_itself(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	    (c != 0 && c < 0x80 && strchr("-._~:@!$'()*,;", c) != NULL);
}

/* A label or issuer, in the one encoding that we write. */
static bool
take_label(struct reading *r, struct span s, char out[OTP_URI_LABEL], size_t *len)
{
	static const char digits[] = "0123456789ABCDEF";
	char plain[OTP_URI_LABEL];
	size_t n = 0, n_plain = 0;
	int v;

	for (size_t i = 0; i < s.len;) {
		if ((v = decode_byte(s, &i)) < 0)
			return refuse(r, "the label or the issuer holds a broken %XX or a control character");
		if (n + 3 > OTP_URI_LABEL)
			return refuse(r, "the label or the issuer is too long");
		plain[n_plain++] = (char)v;
		if (stands_for_itself(v)) {
			out[n++] = (char)v;
			continue;
		}
		out[n++] = '%';
		out[n++] = digits[v >> 4];
		out[n++] = digits[v & 0xf];
	}
	if (!utf8_valid((struct span){ (const uint8_t *)plain, n_plain }))
		return refuse(r, "the label or the issuer is no UTF-8");
	*len = n;
	return true;
}

static bool
take_number(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	if (*text == '\0')
		return false;
	for (; *text != '\0'; text++) {
		uint64_t digit = (uint64_t)(*text - '0');

		if (*text < '0' || *text > '9' || digit > max || v > (max - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return v >= min;
}

static bool
take_algorithm(struct reading *r, const char *value)
{
	static const char *const names[][2] = { { "SHA1", "SHA-1" }, { "SHA256", "SHA-256" }, { "SHA512", "SHA-512" } };

	for (unsigned i = 0; i < 3; i++)
		if (strcasecmp(value, names[i][0]) == 0 || strcasecmp(value, names[i][1]) == 0) {
			r->u->hash = (enum otp_hash)i;
			return true;
		}
	return refuse(r, "algorithm is SHA1, SHA256 or SHA512");
}

static bool
take_value(struct reading *r, struct span name, const char *value)
{
	struct span text = { (const uint8_t *)value, strlen(value) };
	uint64_t v = 0;

	if (name.len == 6 && memcmp(name.p, "secret", 6) == 0)
		return !r->secret ? (r->secret = true, take_seed(r, text, "")) : refuse(r, "secret is there twice");
	if (name.len == 9 && memcmp(name.p, "algorithm", 9) == 0)
		return !r->algorithm ? (r->algorithm = true, take_algorithm(r, value)) : refuse(r, "algorithm is there twice");
	if (name.len == 6 && memcmp(name.p, "digits", 6) == 0) {
		if (r->digits || !take_number(value, OTP_DIGITS_MIN, OTP_DIGITS_MAX, &v))
			return refuse(r, "digits is there once at most, from 6 to 8");
		r->digits = true;
		r->u->digits = (unsigned)v;
		return true;
	}
	if (name.len == 6 && memcmp(name.p, "period", 6) == 0) {
		if (r->period || r->u->hotp || !take_number(value, 1, OTP_PERIOD_MAX, &v))
			return refuse(r, "period is for totp, is there once at most, from 1 to 3600");
		r->period = true;
		r->u->period = (uint32_t)v;
		return true;
	}
	if (name.len == 7 && memcmp(name.p, "counter", 7) == 0) {
		if (r->counter || !r->u->hotp || !take_number(value, 0, OTP_COUNTER_MAX, &r->u->counter))
			return refuse(r, "counter is for hotp, is there once, and is a whole number of 64 bits");
		return r->counter = true;
	}
	return refuse(r, "a parameter is none of secret, issuer, algorithm, digits, period, counter and image");
}

static bool
take_parameter(struct reading *r, struct span s)
{
	const uint8_t *equals = s.len > 0 ? memchr(s.p, '=', s.len) : NULL;
	char value[VALUE_MAX + 1];
	struct span name, rest;
	bool ok;

	if (equals == NULL)
		return refuse(r, "a parameter has no value");
	name = (struct span){ s.p, (size_t)(equals - s.p) };
	rest = (struct span){ equals + 1, s.len - name.len - 1 };
	if (name.len == 6 && memcmp(name.p, "issuer", 6) == 0) {
		if (r->issuer)
			return refuse(r, "issuer is there twice");
		r->issuer = true;
		return take_label(r, rest, r->u->issuer, &r->u->issuer_len);
	}
	/* A picture for the application, which changes no code. */
	if (name.len == 5 && memcmp(name.p, "image", 5) == 0)
		return true;
	ok = decode(rest, value) ? take_value(r, name, value) : refuse(r, "a value holds a broken %XX or a control character, or is too long");
	wipe(value, sizeof value);
	return ok;
}

/* What stands behind otpauth://: TYPE/LABEL?PARAMETERS. */
static bool
take_uri(struct reading *r, struct span s)
{
	const uint8_t *question, *and;

	if (s.len >= 5 && (strncasecmp((const char *)s.p, "totp/", 5) == 0 || strncasecmp((const char *)s.p, "hotp/", 5) == 0))
		r->u->hotp = s.p[0] == 'h' || s.p[0] == 'H';
	else
		return refuse(r, "the URI begins with neither otpauth://totp/ nor otpauth://hotp/");
	s = (struct span){ s.p + 5, s.len - 5 };
	if (memchr(s.p, '#', s.len) != NULL)
		return refuse(r, "the URI has a fragment");
	if ((question = memchr(s.p, '?', s.len)) == NULL)
		return refuse(r, "the URI has no parameters");
	if (!take_label(r, (struct span){ s.p, (size_t)(question - s.p) }, r->u->label, &r->u->label_len))
		return false;
	r->u->period = r->u->hotp ? 0 : 30;
	do {
		s = (struct span){ question + 1, s.len - (size_t)(question + 1 - s.p) };
		and = s.len > 0 ? memchr(s.p, '&', s.len) : NULL;
		if (!take_parameter(r, (struct span){ s.p, and != NULL ? (size_t)(and - s.p) : s.len }))
			return false;
		question = and;
	} while (and != NULL);
	if (!r->secret)
		return refuse(r, "the URI has no secret");
	return !r->u->hotp || r->counter || refuse(r, "a hotp URI needs its counter");
}

static struct span
trimmed(struct span s)
{
	while (s.len > 0 && strchr(" \t\r\n", s.p[0]) != NULL && s.p[0] != '\0')
		s = (struct span){ s.p + 1, s.len - 1 };
	while (s.len > 0 && strchr(" \t\r\n", s.p[s.len - 1]) != NULL && s.p[s.len - 1] != '\0')
		s.len--;
	return s;
}

enum err
otp_uri_parse(struct span text, struct otp_uri *out, const char **why)
{
	static const char scheme[] = "otpauth://";
	struct reading r = { .u = out, .why = "there is nothing in it" };
	bool ok;

	*out = (struct otp_uri){ .digits = 6, .period = 30 };
	text = trimmed(text);
	if (text.len == 0)
		ok = false;
	else if (text.len > OTP_URI_MAX)
		ok = refuse(&r, "it is longer than 1024 bytes");
	else if (text.len > sizeof scheme - 1 && strncasecmp((const char *)text.p, scheme, sizeof scheme - 1) == 0)
		ok = take_uri(&r, (struct span){ text.p + sizeof scheme - 1, text.len - (sizeof scheme - 1) });
	else
		ok = take_seed(&r, text, " -");
	if (ok)
		return OK;
	*why = r.why;
	return ERR_INVALID_CONTENT;
}

static void
put_text(struct wire_out *o, const char *s, size_t len)
{
	wire_put_bytes(o, s, len);
}

static void
put_seed(struct wire_out *o, const struct otp_uri *u)
{
	uint32_t bits = 0;
	unsigned n_bits = 0;

	for (size_t i = 0; i < u->seed_len; i++) {
		bits = (bits & 0x1f) << 8 | u->seed[i];
		for (n_bits += 8; n_bits >= 5; n_bits -= 5)
			put_text(o, &base32[bits >> (n_bits - 5) & 31], 1);
	}
	if (n_bits > 0)
		put_text(o, &base32[bits << (5 - n_bits) & 31], 1);
}

static void
put_uri(struct wire_out *o, const struct otp_uri *u)
{
	static const char *const names[] = { "SHA1", "SHA256", "SHA512" };
	char rest[100];

	put_text(o, u->hotp ? "otpauth://hotp/" : "otpauth://totp/", 15);
	put_text(o, u->label, u->label_len);
	put_text(o, "?secret=", 8);
	put_seed(o, u);
	if (u->issuer_len > 0) {
		put_text(o, "&issuer=", 8);
		put_text(o, u->issuer, u->issuer_len);
	}
	snprintf(rest, sizeof rest, "&algorithm=%s&digits=%u&%s=%llu", names[u->hash], u->digits, u->hotp ? "counter" : "period",
	    (unsigned long long)(u->hotp ? u->counter : u->period));
	put_text(o, rest, strlen(rest));
}

enum err
otp_uri_write(const struct otp_uri *u, struct secret **out)
{
	struct wire_out o;
	struct secret *s;
	enum err e;

	if ((e = secret_new(OTP_URI_MAX, &s)) != OK)
		return e;
	o = wire_out(secret_bytes(s), OTP_URI_MAX);
	put_uri(&o, u);
	if (o.failed) {
		secret_free(&s);
		return ERR_INTERNAL;
	}
	secret_cut(s, wire_written(&o).len);
	*out = s;
	return OK;
}
