/*
 * The keyring's part of search: a vault's ordinary class key for the index,
 * through audit; a query's words, boxed on to search; and the key to what was
 * found, through audit with the rows that it opens.
 */
#include <string.h>

#include "actors/keyring_state.h"
#include "escrow/binding.h"
#include "escrow/index_ref.h"
#include "escrow/keys.h"
#include "escrow/query.h"
#include "escrow/ticket.h"
#include "gateway/found.h"
#include "store/log_record.h"

static enum err
check_log(const struct keyring *k)
{
	return k->audit_up ? OK : ERR_AUDIT_UNAVAILABLE;
}

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
	return check_log(k);
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

/* A ruling for an asker's query. */
static enum err
check_query(const struct keyring *k, const struct ruling_body *r)
{
	enum err e = keyring_check_ruling(k, r);

	if (e != OK)
		return e;
	if (r->ask.op != OP_SEARCH || (r->subject_kind != LOG_TERMINAL && r->subject_kind != LOG_GRANT_ID) ||
	    uuid_is_zero(r->grant) != (r->subject_kind == LOG_TERMINAL) || r->vaults.len % UUID_LEN != 0 ||
	    (!uuid_is_zero(r->grant) && r->vaults.len == 0))
		return ERR_INTERNAL;
	if (!k->search_up)
		return ERR_SEARCH_WARMING;
	return check_log(k);
}

/* The words, which only its asker could box for this very ask. */
static enum err
open_words(const struct channel *c, const struct ask_body *ask, struct secret **out)
{
	uint8_t buf[BINDING_MAX];
	enum err e;

	/* An asker that met a boot key without a certificate gave it no words: it has to say hello again. */
	if (ask->boxed_query.len == 0)
		return ERR_INTERRUPTED;
	if (ask->boxed_query.len < SEAL_OVERHEAD || ask->boxed_query.len > QUERY_TEXT_MAX + SEAL_OVERHEAD)
		return ERR_INVALID_ARGUMENT;
	if ((e = secret_new(ask->boxed_query.len - SEAL_OVERHEAD, out)) != OK)
		return e;
	if (seal_open(c->up->b, ask_binding(ask, buf), ask->boxed_query, secret_bytes(*out)) == OK)
		return OK;
	secret_free(out);
	return ERR_INVALID_ARGUMENT;
}

/* That the token's half is right is seen by what it opens: the wraps of the first vault in scope. */
static enum err
check_half(const struct keyring *k, const struct channel *c, const struct ruling_body *r)
{
	struct wire_in in = wire_in(r->wraps.p, r->wraps.len), ids = wire_in(r->vaults.p, r->vaults.len);
	struct uuid vault = wire_take_id(&ids);
	struct key_binding binding;
	struct key *half = NULL, *over = NULL, *class_key = NULL;
	struct wrap_body wrap;
	uint8_t buf[BINDING_MAX];
	enum err e;

	wrap_body_take(&in, &wrap);
	if (r->ask.boxed_half.len == 0)
		return ERR_INTERRUPTED;
	if (in.failed || r->ask.boxed_half.len != SEALED_KEY_LEN)
		return ERR_INVALID_GRANT;
	binding = bind_grant_class(r->grant, vault, (enum key_class)wrap.key_class);
	if ((e = key_new(&half)) == OK && (e = key_new(&over)) == OK && (e = key_new(&class_key)) == OK &&
	    (e = key_open(c->up, ask_binding(&r->ask, buf), r->ask.boxed_half.p, half)) == OK &&
	    (e = keyring_grant_key(k, (enum grant_type)r->grant_type, half, r->grant, over)) == OK)
		e = key_open(over, key_binding_span(&binding), wrap.sealed, class_key);
	key_free(&half);
	key_free(&over);
	key_free(&class_key);
	return e == ERR_STORAGE_CORRUPT ? ERR_INVALID_GRANT : e;
}

static enum err
pass_query(struct keyring *k, const struct inbound *in, struct outbox *out)
{
	struct query_body b = { .ruling = in->body->ruling };
	uint8_t sealed[QUERY_SEALED_MAX];
	struct secret *words = NULL;
	const struct channel *c;
	struct key *result = NULL;
	size_t len = 0;
	enum err e;

	if ((e = check_query(k, &b.ruling)) != OK ||
	    (e = channels_find(k->channels, &k->boot_pair, b.ruling.ask.opener, &c)) != OK ||
	    (!uuid_is_zero(b.ruling.grant) && (e = check_half(k, c, &b.ruling)) != OK) ||
	    (e = open_words(c, &b.ruling.ask, &words)) != OK)
		return e;
	if ((e = query_result_key(&k->boot_pair, b.ruling.mac, in->ask_id, &result)) == OK &&
	    (e = query_seal(k->search.down, in->ask_id, b.ruling.mac, result, secret_span(words), sealed, &len)) == OK) {
		b.sealed = (struct span){ sealed, len };
		e = outbox_put(out, MSG_QUERY, in->ask_id, &b);
	}
	key_free(&result);
	secret_free(&words);
	return e;
}

static enum err
refuse(const struct ruling_body *r, uint64_t ask_id, enum err why, struct outbox *out)
{
	struct refusal_body refusal = { .error = (uint16_t)why, .authenticated = why != ERR_INTERNAL,
		.subject_kind = r->subject_kind, .subject = r->subject };

	return outbox_put(out, MSG_KEYS_REFUSED, ask_id, &refusal);
}

enum err
keyring_on_query_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	enum err e = pass_query(self, in, out);

	return e == OK ? OK : refuse(&in->body->ruling, in->ask_id, e, out);
}

static struct intent_body
intent_of(const struct found_rows_body *b)
{
	const struct ruling_body *r = &b->ruling;

	return (struct intent_body){
		.type = LOG_INTENT, .surface = r->ask.surface, .subject_kind = r->subject_kind, .subject = r->subject,
		.op = OP_SEARCH, .vault = r->ask.vault, .offset = r->ask.offset, .length = b->n_rows,
		.n_rows = b->n_rows, .rows = b->rows,
	};
}

static enum err
release_found(struct keyring *k, const struct inbound *in, struct outbox *out)
{
	const struct found_rows_body *b = &in->body->found_rows;
	const struct ask_body *ask = &b->ruling.ask;
	uint8_t buf[INDEX_REF_LEN], ticket[TICKET_MAX];
	struct ticket_terms terms = { .boot = k->boot, .client_ask = ask->client_ask, .op = OP_SEARCH, .vault = ask->vault,
		.asset = ask->asset, .revision = ask->revision, .offset = ask->offset, .limit = ask->limit,
		.refs = index_ref_found(buf) };
	struct intent_body intent = intent_of(b);
	const struct channel *c;
	struct key *result = NULL;
	struct secret *key = NULL;
	size_t len = 0;
	enum err e;

	if (b->n_rows > FOUND_ROWS_MAX || b->n_rows > ask->limit || b->rows.len != b->n_rows * 2u * UUID_LEN)
		return ERR_INTERNAL;
	if ((e = check_query(k, &b->ruling)) != OK || (e = channels_find(k->channels, &k->boot_pair, ask->opener, &c)) != OK ||
	    (e = query_result_key(&k->boot_pair, b->ruling.mac, in->ask_id, &result)) != OK)
		return e;
	if ((e = secret_new(KEY_LEN, &key)) == OK) {
		memcpy(secret_bytes(key), result->b, KEY_LEN);
		e = ticket_seal(c, &terms, key, ticket, &len);
	}
	intent.ticket = (struct span){ ticket, len };
	if (e == OK)
		e = outbox_put(out, MSG_AUDIT_INTENT, in->ask_id, &intent);
	secret_free(&key);
	key_free(&result);
	return e;
}

enum err
keyring_on_found_key_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	enum err e = release_found(self, in, out);

	return e == OK ? OK : refuse(&in->body->found_rows.ruling, in->ask_id, e, out);
}
