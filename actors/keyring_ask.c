/*
 * The keyring's half of a read: check the ruling, find the class keys that it
 * covers, derive the chunk keys that were named, and hand them, sealed to the
 * opener, to audit inside an intent that says what they open.
 */
#include <string.h>

#include "actors/keyring_state.h"
#include "escrow/binding.h"
#include "escrow/keys.h"
#include "escrow/random.h"
#include "escrow/ticket.h"
#include "store/log_record.h"
#include "store/revision.h"

/* What one ask's keys come from. */
struct source {
	const struct ruling_body *ruling;
	const struct key *under;                 /* opens the wraps: the root key or the grant's */
	struct key       *grant_key;             /* owned; NULL for the owner */
	struct key       *classes[CLASS__COUNT]; /* owned; opened when first needed */
	struct key       *names;                 /* owned */
	struct key       *revision;              /* owned; of the revision named last */
	struct key_ref_body revision_of;
};

static void
source_close(struct source *s)
{
	key_free(&s->grant_key);
	for (size_t i = 0; i < CLASS__COUNT; i++)
		key_free(&s->classes[i]);
	key_free(&s->names);
	key_free(&s->revision);
}

static bool
grant_was_dropped(const struct keyring *k, struct uuid grant)
{
	size_t n = k->n_dropped < DROPPED_GRANTS_MAX ? k->n_dropped : DROPPED_GRANTS_MAX;

	for (size_t i = 0; i < n; i++)
		if (uuid_equal(k->dropped[i], grant))
			return true;
	return false;
}

enum err
keyring_check_made(const struct keyring *k, const struct ruling_body *r)
{
	uint8_t mac[32];

	ruling_mac(k->ruling_key, r, mac);
	if (!same_bytes(mac, r->mac, sizeof mac))
		return ERR_INTERNAL;
	if (clock_mono().ms > r->deadline_boot_ms)
		return ERR_AUDIT_TIMEOUT;
	/* Boxed to the key of an earlier start: the asker has to say hello again. */
	if (!uuid_equal(r->ask.boot, k->boot))
		return ERR_INTERRUPTED;
	if (uuid_is_zero(r->grant) != (r->grant_type == 0))
		return ERR_INTERNAL;
	if (!uuid_is_zero(r->grant) && grant_was_dropped(k, r->grant))
		return ERR_INVALID_GRANT;
	return OK;
}

enum err
keyring_check_ruling(const struct keyring *k, const struct ruling_body *r)
{
	enum err e = keyring_check_made(k, r);

	if (e != OK)
		return e;
	if (r->grant_type == GRANT_UNATTENDED)
		return k->custody[CUSTODY_UNATTENDED].key == NULL ? ERR_UNATTENDED_NOT_LOADED : OK;
	if (r->grant_type != 0 && r->grant_type != GRANT_ORDINARY)
		return ERR_INTERNAL;
	return k->root == NULL ? ERR_LOCKED : OK;
}

/* A grant's key needs the token's half, which only its client could box for this very ask. */
static enum err
open_grant(const struct keyring *k, const struct channel *c, struct source *s)
{
	const struct ruling_body *r = s->ruling;
	uint8_t buf[BINDING_MAX];
	struct key *half = NULL;
	enum err e;

	/* An asker that met a boot key without a certificate gave it no half: it has to say hello again. */
	if (r->ask.boxed_half.len == 0)
		return ERR_INTERRUPTED;
	if (r->ask.boxed_half.len != SEALED_KEY_LEN)
		return ERR_INVALID_GRANT;
	if ((e = key_new(&half)) != OK)
		return e;
	if (key_open(c->up, ask_binding(&r->ask, buf), r->ask.boxed_half.p, half) != OK)
		e = ERR_INVALID_GRANT;
	else if ((e = key_new(&s->grant_key)) == OK)
		e = keyring_grant_key(k, (enum grant_type)r->grant_type, half, r->grant, s->grant_key);
	key_free(&half);
	s->under = s->grant_key;
	return e;
}

static enum err
open_class(struct source *s, enum key_class c)
{
	const struct ruling_body *r = s->ruling;
	struct wire_in in = wire_in(r->wraps.p, r->wraps.len);
	struct key_binding binding = uuid_is_zero(r->grant) ? bind_class(r->ask.vault, c)
	    : bind_grant_class(r->grant, r->ask.vault, c);
	struct wrap_body wrap;
	enum err e;

	if ((r->classes & 1u << c) == 0)
		return ERR_VAULT_NOT_GRANTED;
	while (in.len > 0) {
		wrap_body_take(&in, &wrap);
		if (in.failed)
			return ERR_INTERNAL;
		if (wrap.key_class != c)
			continue;
		if ((e = key_new(&s->classes[c])) != OK)
			return e;
		/* A half that is not this grant's gives another key, which opens nothing. */
		return key_open(s->under, key_binding_span(&binding), wrap.sealed, s->classes[c]) == OK ? OK
		    : uuid_is_zero(r->grant) ? ERR_STORAGE_CORRUPT : ERR_INVALID_GRANT;
	}
	return ERR_VAULT_NOT_GRANTED;
}

static bool
same_revision(const struct key_ref_body *a, const struct key_ref_body *b)
{
	return a->key_class == b->key_class && uuid_equal(a->asset, b->asset) && uuid_equal(a->revision, b->revision);
}

/* The key that all of a revision's chunk keys come from. */
static enum err
revision_key_of(struct source *s, const struct keyring *k, const struct key_ref_body *ref)
{
	const struct key *from;
	enum err e;

	if (s->revision != NULL && same_revision(&s->revision_of, ref))
		return OK;
	if (ref->part == PART_NAME) {
		if (s->names == NULL && (e = key_new(&s->names)) != OK)
			return e;
		names_key(k->root, s->names);
		from = s->names;
	} else {
		if (ref->key_class >= CLASS__COUNT)
			return ERR_INTERNAL;
		if (s->classes[ref->key_class] == NULL &&
		    (e = open_class(s, (enum key_class)ref->key_class)) != OK)
			return e;
		from = s->classes[ref->key_class];
	}
	if (s->revision == NULL && (e = key_new(&s->revision)) != OK)
		return e;
	revision_key(from, ref->asset, ref->revision, s->revision);
	s->revision_of = *ref;
	return OK;
}

/* What an operation may name: so that a page brings titles only, and a read one revision only. */
static bool
ref_fits(const struct keys_wanted_body *w, const struct key_ref_body *ref)
{
	const struct ask_body *ask = &w->ruling.ask;
	bool owner = uuid_is_zero(w->ruling.grant);
	bool one = uuid_equal(ref->asset, ask->asset) && uuid_equal(ref->revision, w->revision);
	bool bytes = ref->part == PART_HEAD || ref->part == PART_CONTENT;

	switch ((enum op)ask->op) {
	case OP_LIST:
		return ref->part == PART_TITLE;
	case OP_LIST_DETAILS:
		return owner && (ref->part == PART_TITLE || ref->part == PART_META);
	case OP_HISTORY:
		return ref->part == PART_HEAD && uuid_equal(ref->asset, ask->asset);
	case OP_READ:
		return one && bytes && ref->key_class != CLASS_CREDENTIAL;
	case OP_CREDENTIAL_BYTES:
		return one && bytes && ref->key_class == CLASS_CREDENTIAL;
	case OP_PROPOSAL_LIST:
		return owner && ref->key_class == CLASS_ORDINARY && (ref->part == PART_TITLE || ref->part == PART_META);
	case OP_PROPOSAL_READ:
		return owner && one && bytes && ref->key_class == CLASS_ORDINARY;
	case OP_VAULT_LIST:
		return owner && ref->part == PART_NAME;
	case OP_DETAILS:
		return owner && one && (ref->part == PART_TITLE || ref->part == PART_META);
	case OP_NONE:
	case OP_WRITE_ASSET:
	case OP_WRITE_NAME:
	case OP_SEARCH:
	case OP_PROPOSE:
	case OP_PROFILE_READ:
	case OP_PROFILE_SEARCH:
	case OP_PROFILE_PROPOSE:
	case OP_PROFILE_CORRECT:
	case OP_PROFILE_LIST:
	case OP_PROFILE_CHANGE:
	case OP__COUNT:
		break;
	}
	return false;
}

static bool
is_last_row(const struct wire_out *rows, const struct key_ref_body *ref)
{
	size_t end = rows->len;

	return end >= 2 * UUID_LEN && memcmp(rows->p + end - 2 * UUID_LEN, ref->asset.b, UUID_LEN) == 0 &&
	    memcmp(rows->p + end - UUID_LEN, ref->revision.b, UUID_LEN) == 0;
}

/*
 * False for chunks that do not follow each other: a first one and a number
 * could not name them; and for a page's meta without its title before it.
 */
static bool
note_ref(struct intent_body *intent, struct wire_out *rows, const struct key_ref_body *ref, bool page)
{
	if (page && ref->part == PART_META)
		return is_last_row(rows, ref);
	if (page) {
		wire_put_id(rows, ref->asset);
		wire_put_id(rows, ref->revision);
		intent->n_rows++;
	} else if (ref->part == PART_CONTENT) {
		if (intent->n_chunks == 0)
			intent->first_chunk = ref->index;
		else if (ref->index != (uint64_t)intent->first_chunk + intent->n_chunks)
			return false;
		intent->n_chunks++;
	}
	return true;
}

/* A range's chunks are the ones that it touches, and no more than were asked for. */
static bool
range_fits(const struct ask_body *ask, const struct keys_wanted_body *w, const struct intent_body *intent)
{
	if (intent->n_chunks == 0)
		return true;
	return intent->first_chunk == ask->offset / CHUNK_LEN && w->length <= ask->limit &&
	    intent->n_chunks <= (ask->offset % CHUNK_LEN + w->length + CHUNK_LEN - 1) / CHUNK_LEN;
}

/* What a credential holds beside its title is for an owner who gave the password again, whatever the vault says. */
static bool
needs_sudo(const struct ruling_body *r, const struct key_ref_body *ref)
{
	return uuid_is_zero(r->grant) && !r->sudo && ref->key_class == CLASS_CREDENTIAL &&
	    (ref->part == PART_META || ref->part == PART_CONTENT);
}

/* Derives one key a ref, and writes down each in the intent as it does. */
static enum err
release(const struct keyring *k, struct source *s, const struct keys_wanted_body *w,
    struct secret *keys, struct intent_body *intent, struct wire_out *rows)
{
	struct wire_in refs = wire_in(w->refs.p, w->refs.len);
	struct key *chunk = NULL;
	enum err e;

	if ((e = key_new(&chunk)) != OK)
		return e;
	for (size_t i = 0; i < w->n_refs && e == OK; i++) {
		struct key_ref_body ref;

		key_ref_body_take(&refs, &ref);
		if (refs.failed || !ref_fits(w, &ref) ||
		    !note_ref(intent, rows, &ref, op_lists((enum op)w->ruling.ask.op))) {
			e = ERR_INTERNAL;
		} else if (needs_sudo(&w->ruling, &ref)) {
			e = ERR_SUDO_REQUIRED;
		} else if ((e = revision_key_of(s, k, &ref)) == OK) {
			chunk_key(s->revision, (enum part)ref.part, ref.index, chunk);
			memcpy(secret_bytes(keys) + i * KEY_LEN, chunk->b, KEY_LEN);
		}
	}
	key_free(&chunk);
	if (e == OK && (!wire_done(&refs) || rows->failed || !range_fits(&w->ruling.ask, w, intent)))
		e = ERR_INTERNAL;
	return e;
}

/* A new revision's keys: the keyring names it, so no existing one can be written. */
static enum err
release_new(const struct keyring *k, struct source *s, const struct keys_wanted_body *w,
    struct secret *keys, struct intent_body *intent, struct key_ref_body *ref)
{
	const struct ask_body *ask = &w->ruling.ask;
	bool proposes = ask->op == OP_PROPOSE;
	enum err e;

	if (proposes != (w->ruling.grant_type == GRANT_ORDINARY) || (!proposes && !uuid_is_zero(w->ruling.grant)))
		return ERR_INTERNAL;
	ref->revision = uuid_make(clock_wall());
	if (ask->op == OP_WRITE_NAME) {
		ref->part = PART_NAME;
		ref->asset = ask->vault;
	} else {
		if (!kind_known(ask->kind))
			return ERR_INTERNAL;
		ref->key_class = (uint8_t)class_of((enum kind)ask->kind, ask->is_private);
		if (proposes && ref->key_class != CLASS_ORDINARY)
			return ERR_INTERNAL;
		ref->asset = uuid_is_zero(ask->asset) ? uuid_make(clock_wall()) : ask->asset;
	}
	if ((e = revision_key_of(s, k, ref)) != OK)
		return e;
	memcpy(secret_bytes(keys), s->revision->b, KEY_LEN);
	intent->asset = ref->asset;
	intent->revision = ref->revision;
	return OK;
}

static enum err
make_ticket(const struct keyring *k, const struct channel *c, const struct ask_body *ask,
    struct span refs, const struct secret *keys, uint8_t buf[TICKET_MAX], struct span *out)
{
	struct ticket_terms terms = {
		.boot = k->boot, .client_ask = ask->client_ask, .op = (enum op)ask->op,
		.vault = ask->vault, .asset = ask->asset, .revision = ask->revision,
		.offset = ask->offset, .limit = ask->limit, .refs = refs,
	};
	size_t len;
	enum err e = ticket_seal(c, &terms, keys, buf, &len);

	if (e == OK)
		*out = (struct span){ buf, len };
	return e;
}

static struct intent_body
begin_intent(const struct keys_wanted_body *w)
{
	const struct ruling_body *r = &w->ruling;

	return (struct intent_body){
		.type = op_writes((enum op)r->ask.op) ? LOG_WRITE : LOG_INTENT, .surface = r->ask.surface,
		.subject_kind = r->subject_kind, .subject = r->subject, .op = r->ask.op,
		.vault = r->ask.vault, .asset = r->ask.asset, .revision = w->revision,
		.offset = r->ask.offset, .length = w->length,
	};
}

static enum err
put_intent(struct keyring *k, const struct inbound *in, const struct channel *c, struct source *s,
    struct secret *keys, struct outbox *out)
{
	const struct keys_wanted_body *w = &in->body->keys_wanted;
	struct intent_body intent = begin_intent(w);
	struct key_ref_body fresh = { 0 };
	uint8_t rows_buf[LOG_REFS_MAX * 2 * UUID_LEN], fresh_buf[64], ticket[TICKET_MAX];
	struct wire_out rows = wire_out(rows_buf, sizeof rows_buf), fresh_out = wire_out(fresh_buf, sizeof fresh_buf);
	struct span refs = w->refs;
	enum err e;

	if (intent.type == LOG_WRITE) {
		if ((e = release_new(k, s, w, keys, &intent, &fresh)) != OK)
			return e;
		key_ref_body_put(&fresh_out, &fresh);
		refs = wire_written(&fresh_out);
	} else if ((e = release(k, s, w, keys, &intent, &rows)) != OK) {
		return e;
	}
	intent.rows = wire_written(&rows);
	if ((e = make_ticket(k, c, &w->ruling.ask, refs, keys, ticket, &intent.ticket)) != OK)
		return e;
	return outbox_put(out, MSG_AUDIT_INTENT, in->ask_id, &intent);
}

static enum err
answer_keys_wanted(struct keyring *k, const struct inbound *in, struct outbox *out)
{
	const struct keys_wanted_body *w = &in->body->keys_wanted;
	bool writes = op_writes((enum op)w->ruling.ask.op);
	struct source s = { .ruling = &w->ruling, .under = k->root };
	const struct channel *c;
	struct secret *keys = NULL;
	enum err e;

	if (w->n_refs > TICKET_KEYS_MAX || (writes && w->n_refs != 0))
		return ERR_INTERNAL;
	if ((e = keyring_check_ruling(k, &w->ruling)) != OK)
		return e;
	/* A log that takes nothing says itself why. */
	if (!k->audit_up)
		return ERR_AUDIT_UNAVAILABLE;
	if ((e = channels_find(k->channels, &k->boot_pair, w->ruling.ask.opener, &c)) != OK)
		return e;
	if (!uuid_is_zero(w->ruling.grant))
		e = open_grant(k, c, &s);
	if (e == OK && (e = secret_new(writes ? KEY_LEN : w->n_refs * (size_t)KEY_LEN, &keys)) == OK)
		e = put_intent(k, in, c, &s, keys, out);
	secret_free(&keys);
	source_close(&s);
	return e;
}

enum err
keyring_on_keys_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	const struct ruling_body *r = &in->body->keys_wanted.ruling;
	enum err e = answer_keys_wanted(self, in, out);
	struct refusal_body refusal = {
		.error = (uint16_t)e, .authenticated = e != ERR_INTERNAL,
		.subject_kind = r->subject_kind, .subject = r->subject,
	};

	return e == OK ? OK : outbox_put(out, MSG_KEYS_REFUSED, in->ask_id, &refusal);
}
