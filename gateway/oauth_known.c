#include "gateway/oauth_known.h"
#include "gateway/span.h"

struct known {
	const char *id;
	const char *name;
	const char *redirects[3];
};

/* As their owners publish them; ports of loopback URIs do not count. */
static const struct known table[] = {
	{ "https://claude.ai/oauth/claude-code-client-metadata", "Claude Code",
	    { "http://localhost/callback", "http://127.0.0.1/callback" } },
	{ "https://claude.ai/oauth/mcp-oauth-client-metadata", "Claude",
	    { "https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback" } },
	{ "https://vscode.dev/oauth/client-metadata.json", "Visual Studio Code",
	    { "https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/" } },
};

bool
oauth_known(struct span id, struct oauth_client *out)
{
	const struct known *k = table;
	const struct known *end = table + sizeof table / sizeof *table;

	while (k < end && !span_is(id, k->id))
		k++;
	if (k == end)
		return false;
	oauth_client_start(out);
	out->is_known = true;
	if (!oauth_client_set_name(out, span_of(k->name)))
		return false;
	for (size_t i = 0; i < sizeof k->redirects / sizeof *k->redirects && k->redirects[i] != NULL; i++)
		if (!oauth_client_add_redirect(out, span_of(k->redirects[i])))
			return false;
	return true;
}
