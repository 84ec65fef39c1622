#include <string.h>

#include "escrow/custody_form.h"
#include "escrow/custody_process.h"

_Static_assert(CUSTODY_TEXT_LEN <= SECRET_SERVICE_MAX, "the text fits an item");

static struct custody_request
request(const struct custody_binding *b, enum custody_task task)
{
	struct custody_request r = { .task = task, .key = { .purpose = b->purpose, .library = b->library, .enrolment = b->enrolment } };

	sha256(b->home, strlen(b->home), r.key.home);
	return r;
}

static enum err
store(const struct custody_binding *b, const struct key *material, enum custody_detail *why)
{
	struct custody_request r = request(b, CUSTODY_STORE);
	struct custody_reply reply;
	uint8_t text[CUSTODY_TEXT_LEN];
	enum err e;

	if ((e = custody_text_put(b, material, text)) != OK)
		return e;
	r.text = (struct span){ text, sizeof text };
	custody_process_ask(&r, &reply);
	wipe(text, sizeof text);
	secret_free(&reply.text);
	*why = reply.why;
	return reply.e;
}

static enum err
load(const struct custody_binding *b, struct key *material, enum custody_detail *why)
{
	struct custody_request r = request(b, CUSTODY_LOAD);
	struct custody_reply reply;
	enum err e;

	custody_process_ask(&r, &reply);
	*why = reply.why;
	if ((e = reply.e) == OK)
		e = reply.text == NULL ? ERR_CUSTODY_INVALID : custody_text_take(secret_span(reply.text), b, material);
	secret_free(&reply.text);
	return e;
}

static enum err
destroy(const struct custody_binding *b, enum custody_detail *why)
{
	struct custody_request r = request(b, CUSTODY_REMOVE);
	struct custody_reply reply;

	custody_process_ask(&r, &reply);
	secret_free(&reply.text);
	*why = reply.why;
	return reply.e;
}

const struct custody_backend custody_secret_service = {
	.name = "linux-secret-service",
	.store = store,
	.load = load,
	.remove = destroy,
};
