#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "gateway/http_address.h"

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

bool
http_address_parse(struct span text, struct http_address *out)
{
	char buf[HTTP_ADDRESS_TEXT_MAX];
	struct http_address a;

	if (text.len == 0 || text.len >= sizeof buf || memchr(text.p, '\0', text.len) != NULL)
		return false;
	memcpy(buf, text.p, text.len);
	buf[text.len] = '\0';
	memcpy(a.b, mapped, sizeof mapped);
	if (inet_pton(AF_INET, buf, a.b + sizeof mapped) != 1 && inet_pton(AF_INET6, buf, a.b) != 1)
		return false;
	*out = a;
	return true;
}

bool
http_address_is_v4(const struct http_address *a)
{
	return memcmp(a->b, mapped, sizeof mapped) == 0;
}

struct http_address
http_address_party(const struct http_address *a)
{
	struct http_address party = *a;

	if (!http_address_is_v4(a))
		memset(party.b + 8, 0, 8);
	return party;
}

void
http_address_text(const struct http_address *a, char out[HTTP_ADDRESS_TEXT_MAX])
{
	if (http_address_is_v4(a))
		(void)inet_ntop(AF_INET, a->b + sizeof mapped, out, HTTP_ADDRESS_TEXT_MAX);
	else
		(void)inet_ntop(AF_INET6, a->b, out, HTTP_ADDRESS_TEXT_MAX);
}

bool
http_address_is_loopback(const struct http_address *a)
{
	static const uint8_t one[16] = { [15] = 1 };

	return http_address_is_v4(a) ? a->b[12] == 127 : memcmp(a->b, one, sizeof one) == 0;
}

bool
http_address_is_any(const struct http_address *a)
{
	return wire_is_zero((struct span){ http_address_is_v4(a) ? a->b + 12 : a->b, http_address_is_v4(a) ? 4 : 16 });
}

static bool
take_number(struct span s, unsigned max, unsigned *out)
{
	unsigned n = 0;

	if (s.len == 0 || s.len > 5 || (s.p[0] == '0' && s.len > 1))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		n = n * 10 + (unsigned)(s.p[i] - '0');
	}
	*out = n;
	return n <= max;
}

bool
http_network_has(const struct http_network *n, const struct http_address *a)
{
	unsigned whole = n->bits / 8, rest = n->bits % 8;
	uint8_t mask = (uint8_t)(0xff00u >> rest);

	return memcmp(n->address.b, a->b, whole) == 0 && (rest == 0 || ((n->address.b[whole] ^ a->b[whole]) & mask) == 0);
}

static bool
has_bits_behind(const struct http_network *n)
{
	for (unsigned i = n->bits; i < 128; i++)
		if ((n->address.b[i / 8] & (0x80u >> (i % 8))) != 0)
			return true;
	return false;
}

bool
http_network_parse(struct span text, struct http_network *out)
{
	const uint8_t *slash = text.len == 0 ? NULL : memchr(text.p, '/', text.len);
	size_t n = slash == NULL ? text.len : (size_t)(slash - text.p);
	unsigned bits = 0;
	bool is_v4;

	if (!http_address_parse((struct span){ text.p, n }, &out->address))
		return false;
	is_v4 = http_address_is_v4(&out->address);
	out->bits = 128;
	if (slash == NULL)
		return true;
	if (!take_number((struct span){ slash + 1, text.len - n - 1 }, is_v4 ? 32 : 128, &bits))
		return false;
	out->bits = is_v4 ? 96 + bits : bits;
	return !has_bits_behind(out);
}

static bool
is_name(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = s.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '-' && c != '.')
			return false;
	}
	return s.len > 0 && s.len <= 253;
}

bool
http_authority_parse(struct span text, struct http_authority *out)
{
	const uint8_t *end;
	struct http_address a;
	struct span rest;

	*out = (struct http_authority){ .is_v6 = text.len > 0 && text.p[0] == '[' };
	if (text.len == 0 || (end = memchr(text.p, out->is_v6 ? ']' : ':', text.len)) == NULL) {
		out->host = text;
		return !out->is_v6 && is_name(text);
	}
	out->host = out->is_v6 ? (struct span){ text.p + 1, (size_t)(end - text.p) - 1 }
	    : (struct span){ text.p, (size_t)(end - text.p) };
	rest = (struct span){ end + out->is_v6, text.len - (size_t)(end - text.p) - out->is_v6 };
	if (out->is_v6 ? !http_address_parse(out->host, &a) || http_address_is_v4(&a) : !is_name(out->host))
		return false;
	if (rest.len == 0)
		return true;
	return rest.p[0] == ':' && take_number((struct span){ rest.p + 1, rest.len - 1 }, 65535, &out->port) && out->port > 0;
}

bool
http_host_is_loopback(struct span host)
{
	struct http_address a;

	if (host.len == 9 && strncasecmp((const char *)host.p, "localhost", 9) == 0)
		return true;
	return http_address_parse(host, &a) && http_address_is_loopback(&a);
}
