/*
 * Any bytes as what a keyring gives back: material may come only out of the
 * binding's own text. And any bytes as what the daemon and its custody process
 * say to each other.
 */
#include <stdlib.h>
#include <string.h>

#include "escrow/custody_form.h"
#include "escrow/custody_process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct custody_binding binding = {
	.home = "/home/ada",
	.backend = "linux-secret-service",
};

static void
check_text(struct span text)
{
	struct key material = { { 0 } };
	uint8_t again[CUSTODY_TEXT_LEN];

	if (custody_text_take(text, &binding, &material) != OK)
		return;
	if (custody_text_put(&binding, &material, again) != OK || text.len != sizeof again ||
	    memcmp(text.p, again, text.len) != 0)
		abort();
}

static void
check_request(struct span bytes)
{
	uint8_t again[CUSTODY_REQUEST_MAX];
	struct wire_out o = wire_out(again, sizeof again);
	struct custody_request r;

	if (!custody_request_take(bytes, &r))
		return;
	custody_request_put(&o, &r);
	if (o.failed || o.len != bytes.len || memcmp(again, bytes.p, o.len) != 0)
		abort();
}

static void
check_reply(struct span bytes)
{
	uint8_t again[CUSTODY_REPLY_MAX];
	struct wire_out o = wire_out(again, sizeof again);
	struct custody_reply r;

	if (!custody_reply_take(bytes, &r))
		return;
	custody_reply_put(&o, &r);
	if (o.failed || o.len != bytes.len || memcmp(again, bytes.p, o.len) != 0)
		abort();
	secret_free(&r.text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct span bytes = { data, len };

	check_text(bytes);
	check_request(bytes);
	check_reply(bytes);
	return 0;
}
