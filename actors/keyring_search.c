/* The keyring's part of building the index: a vault's ordinary class key, through audit. */
#include <string.h>

#include "actors/keyring_state.h"
#include "escrow/binding.h"
#include "escrow/index_ref.h"
#include "escrow/keys.h"
#include "escrow/ticket.h"
#include "store/log_record.h"

/* The one class key that an index is built with. */
static enum err
open_ordinary(const struct keyring *k, const struct ruling_body *r, struct secret *out)
{
	struct wire_in in = wire_in(r->wraps.p, r->wraps.len);
	struct key_binding binding = bind_class(r->ask.vault, CLASS_ORDINARY);
	struct key *class_key = NULL;
	struct wrap_body wrap;
	enum err e;

	wrap_body_take(&in, &wrap);
	if (!wire_done(&in) || wrap.key_class != CLASS_ORDINARY)
		return ERR_INTERNAL;
	if ((e = key_new(&class_key)) != OK)
		return e;
	if ((e = key_open(k->root, key_binding_span(&binding), wrap.sealed, class_key)) == OK)
		memcpy(secret_bytes(out), class_key->b, KEY_LEN);
	key_free(&class_key);
	return e;
}

/* A ruling for the index, and for no asker's query. */
static enum err
check_index(const struct keyring *k, const struct ruling_body *r)
{
	enum err e = keyring_check_ruling(k, r);

	if (e != OK)
		return e;
	if (r->ask.op != OP_SEARCH || r->subject_kind != LOG_DAEMON || r->classes != 1u << CLASS_ORDINARY ||
	    !uuid_is_zero(r->grant))
		return ERR_INTERNAL;
	return k->audit_up ? OK : ERR_AUDIT_UNAVAILABLE;
}

static enum err
answer_index(struct keyring *k, const struct inbound *in, struct outbox *out)
{
	const struct ruling_body *r = &in->body->ruling;
	uint8_t buf[INDEX_REF_LEN], ticket[TICKET_MAX];
	struct ticket_terms terms = { .boot = k->boot, .client_ask = in->ask_id, .op = OP_SEARCH, .vault = r->ask.vault,
		.refs = index_ref(CLASS_ORDINARY, buf) };
	struct intent_body intent = { .type = LOG_INDEX, .subject_kind = LOG_DAEMON, .op = OP_SEARCH, .vault = r->ask.vault };
	struct secret *key = NULL;
	size_t len = 0;
	enum err e;

	if ((e = check_index(k, r)) != OK || (e = secret_new(KEY_LEN, &key)) != OK)
		return e;
	if ((e = open_ordinary(k, r, key)) == OK && (e = ticket_seal(&k->search, &terms, key, ticket, &len)) == OK) {
		intent.ticket = (struct span){ ticket, len };
		e = outbox_put(out, MSG_INDEX_INTENT, in->ask_id, &intent);
	}
	secret_free(&key);
	return e;
}

enum err
keyring_on_index_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	enum err e = answer_index(self, in, out);

	return e == OK ? OK : outbox_put(out, MSG_INDEX_REFUSED, in->ask_id, &(struct result_body){ .error = (uint16_t)e });
}
