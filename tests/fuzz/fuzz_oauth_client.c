/* Any bytes as a client id and as a registration: what is taken has a redirect URI, and comes back the same. */
#include <stdlib.h>

#include "escrow/random.h"
#include "gateway/oauth_register.h"
#include "gateway/span.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check(const struct oauth_client *c)
{
	if (c->n_redirects == 0 || c->n_redirects > OAUTH_REDIRECTS_MAX || c->name.len > OAUTH_NAME_MAX)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct key *key;
	struct json_writer w = { 0 };
	struct oauth_client c;
	char id[OAUTH_CLIENT_ID_MAX + 1];

	if (key == NULL && (secret_init(true) != OK || key_random(&key) != OK))
		abort();
	if (oauth_client_read((struct span){ data, len }, key, &c))
		check(&c);
	oauth_register((struct span){ data, len }, key, 0, &w);
	json_write_free(&w);
	oauth_client_start(&c);
	if (oauth_client_set_name(&c, (struct span){ data, len }) && oauth_client_add_redirect(&c,
	    span_of("https://a.example/")) &&
	    oauth_client_write(&c, key, id) > 0) {
		struct oauth_client back;

		if (!oauth_client_read(span_of(id), key, &back) || !span_same(c.name, back.name))
			abort();
		check(&back);
	}
	return 0;
}
