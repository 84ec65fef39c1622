/* Two lines, a registered URI and a given one: what matches is acceptable wherever the first is, and goes nowhere else. */
#include <stdlib.h>
#include <string.h>

#include "gateway/oauth_redirect.h"
#include "gateway/span.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const uint8_t *line = len == 0 ? NULL : memchr(data, '\n', len);
	struct span registered = { data, line == NULL ? len : (size_t)(line - data) };
	struct span given = line == NULL ? registered : span_after((struct span){ data, len }, registered.len + 1);
	struct oauth_param param = { "state", given };
	struct oauth_uri r, g;
	static char out[16 << 10];
	size_t n;

	if (oauth_redirect_acceptable(given) && oauth_redirect_shown(given).len == 0)
		abort();
	n = oauth_redirect_write(registered, &param, 1, out, sizeof out);
	if (n > sizeof out || (n > 0 && n < registered.len))
		abort();
	if (!oauth_redirect_matches(registered, given))
		return 0;
	if (oauth_redirect_acceptable(registered) != oauth_redirect_acceptable(given))
		abort();
	if (!oauth_uri_parse(registered, &r) || !oauth_uri_parse(given, &g) || !span_same(r.scheme, g.scheme) ||
	    !span_same(r.host, g.host) || !span_same(r.path, g.path))
		abort();
	return 0;
}
