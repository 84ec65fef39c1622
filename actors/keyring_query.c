/*
 * What is asked of search and of the profile, in words that only the keyring
 * can open: they are boxed on with a key for what is found; and that key, once
 * it is known what it opens, goes to audit with the rows of that.
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

_Static_assert(FOUND_ROWS_MAX <= LOG_REFS_MAX, "what was found has room in a record");

/* A ruling for an asker's search. */
static enum err
check_search(const struct keyring *k, const struct ruling_body *r)
{
	enum err e = keyring_check_ruling(k, r);

	if (e != OK)
		return e;
	if (r->ask.op != OP_SEARCH || (r->subject_kind != LOG_TERMINAL && r->subject_kind != LOG_GRANT_ID) ||
	    uuid_is_zero(r->grant) != (r->subject_kind == LOG_TERMINAL) || r->vaults.len % UUID_LEN != 0 ||
	    (!uuid_is_zero(r->grant) && r->vaults.len == 0))
		return ERR_INTERNAL;
	return k->search_up ? OK : ERR_SEARCH_WARMING;
}

static enum err
check(const struct keyring *k, bool of_profile, const struct ruling_body *r)
{
	enum err e = of_profile ? keyring_check_profile(k, r) : check_search(k, r);

	return e != OK ? e : k->audit_up ? OK : ERR_AUDIT_UNAVAILABLE;
}

/* The words, which only its asker could box for this very ask. */
static enum err
open_words(const struct channel *c, const struct ask_body *ask, size_t max, struct secret **out)
{
	uint8_t buf[BINDING_MAX];
	enum err e;

	/* An asker that met a boot key without a certificate gave it no words: it has to say hello again. */
	if (ask->boxed_query.len == 0)
		return ERR_INTERRUPTED;
	if (ask->boxed_query.len < SEAL_OVERHEAD || ask->boxed_query.len > max + SEAL_OVERHEAD)
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

/* The half of a grant's token; a connection's token says nothing to the keyring. */
static bool
has_half(const struct ruling_body *r)
{
	return !uuid_is_zero(r->grant) && r->grant_type != GRANT_CONNECTION;
}

static enum err
pass_query(struct keyring *k, const struct inbound *in, struct outbox *out)
{
	bool of_profile = in->type == MSG_PROFILE_WANTED;
	struct query_body b = { .ruling = in->body->ruling };
	uint8_t sealed[QUERY_SEALED_MAX];
	struct secret *words = NULL;
	const struct channel *c;
	struct key *result = NULL;
	size_t len = 0;
	enum err e;

	if ((e = check(k, of_profile, &b.ruling)) != OK ||
	    (e = channels_find(k->channels, &k->boot_pair, b.ruling.ask.opener, &c)) != OK ||
	    (has_half(&b.ruling) && (e = check_half(k, c, &b.ruling)) != OK) ||
	    (e = open_words(c, &b.ruling.ask, of_profile ? PROFILE_TEXT_MAX : QUERY_TEXT_MAX, &words)) != OK)
		return e;
	if ((e = query_result_key(&k->boot_pair, b.ruling.mac, in->ask_id, &result)) == OK &&
	    (e = query_seal((of_profile ? &k->profile : &k->search)->down, in->ask_id, b.ruling.mac, result, secret_span(words),
	    sealed, &len)) == OK) {
		b.sealed = (struct span){ sealed, len };
		e = outbox_put(out, of_profile ? MSG_PROFILE_QUERY : MSG_QUERY, in->ask_id, &b);
	}
	key_free(&result);
	secret_free(&words);
	return e;
}

/* By the door that the asker came in at. */
static enum err
refuse(const struct ruling_body *r, uint64_t ask_id, enum err why, struct outbox *out)
{
	struct refusal_body refusal = { .error = (uint16_t)why, .authenticated = why != ERR_INTERNAL,
		.subject_kind = r->subject_kind, .subject = r->subject };

	return outbox_put(out, r->ask.surface == SURFACE_HTTP ? MSG_HTTP_KEYS_REFUSED : MSG_KEYS_REFUSED, ask_id, &refusal);
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
		.op = r->ask.op, .vault = r->ask.vault, .offset = r->ask.offset, .length = b->n_rows,
		.n_rows = b->n_rows, .rows = b->rows,
	};
}

/* As many rows as were asked for; a change of the profile was asked for none, and may show what it changed. */
static bool
rows_fit(const struct found_rows_body *b)
{
	size_t most = b->ruling.ask.op == OP_PROFILE_CHANGE || b->ruling.ask.limit > FOUND_ROWS_MAX ? FOUND_ROWS_MAX
	    : b->ruling.ask.limit;

	return b->n_rows <= most && b->rows.len == b->n_rows * 2u * UUID_LEN;
}

static enum err
release_found(struct keyring *k, const struct inbound *in, struct outbox *out)
{
	const struct found_rows_body *b = &in->body->found_rows;
	const struct ask_body *ask = &b->ruling.ask;
	uint8_t buf[INDEX_REF_LEN], ticket[TICKET_MAX];
	struct ticket_terms terms = { .boot = k->boot, .client_ask = ask->client_ask, .op = (enum op)ask->op, .vault = ask->vault,
		.asset = ask->asset, .revision = ask->revision, .offset = ask->offset, .limit = ask->limit,
		.refs = index_ref_found(buf) };
	struct intent_body intent = intent_of(b);
	const struct channel *c;
	struct key *result = NULL;
	struct secret *key = NULL;
	size_t len = 0;
	enum err e;

	if (!rows_fit(b))
		return ERR_INTERNAL;
	if ((e = check(k, in->type == MSG_PROFILE_KEY_WANTED, &b->ruling)) != OK ||
	    (e = channels_find(k->channels, &k->boot_pair, ask->opener, &c)) != OK ||
	    (e = query_result_key(&k->boot_pair, b->ruling.mac, in->ask_id, &result)) != OK)
		return e;
	if ((e = secret_new(KEY_LEN, &key)) == OK) {
		memcpy(secret_bytes(key), result->b, KEY_LEN);
		e = ticket_seal(c, &terms, key, ticket, &len);
	}
	intent.ticket = (struct span){ ticket, len };
	if (e == OK)
		e = outbox_put(out, ask->surface == SURFACE_HTTP ? MSG_HTTP_INTENT : MSG_AUDIT_INTENT, in->ask_id, &intent);
	secret_free(&key);
	key_free(&result);
	return e;
}

enum err
keyring_on_found_key_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	enum err e = release_found(self, in, out);

	/* It is made already: nobody is to make it again. */
	if (e == ERR_INTERRUPTED && in->body->found_rows.ruling.ask.op == OP_PROFILE_CHANGE)
		e = ERR_TIMEOUT;
	return e == OK ? OK : refuse(&in->body->found_rows.ruling, in->ask_id, e, out);
}
