/*
 * Building: a vault's class key comes with the ack of its index record, then
 * its sealed pages one after the other, each opened and put into the index.
 */
#include <stdlib.h>
#include <string.h>

#include "actors/search_state.h"
#include "escrow/ack.h"
#include "escrow/deposit.h"
#include "escrow/index_ref.h"
#include "escrow/keys.h"
#include "mailbox/log_line.h"

#define CONTENT_MAX ((uint64_t)8 << 20)

void
search_partial_free(struct search_partial *p)
{
	secret_free(&p->content);
	memset(p, 0, sizeof *p);
}

void
search_build_anew(struct search *s)
{
	search_partial_free(&s->partial);
	s->request.ask_id = 0;
	s->n_changes = 0;
	for (size_t i = 0; i < s->n_vaults; i++) {
		struct search_vault *v = &s->vaults[i];

		search_index_remove_vault(s->index, v->vault);
		v->next = (struct index_page_wanted_body){ .vault = v->vault };
		v->phase = v->key != NULL ? VAULT_BUILDING : VAULT_UNKNOWN;
	}
}

void
search_note_change(struct search *s, struct uuid vault, struct uuid asset)
{
	if (s->n_changes < SEARCH_CHANGES_MAX)
		s->changes[s->n_changes++] = (struct search_change){ vault, asset };
	else
		search_build_anew(s);
}

/* The request that this answers is the one under way, and now is not any more. */
static bool
ends_request(struct search *s, const struct inbound *in)
{
	if (s->request.ask_id == 0 || in->ask_id != s->request.ask_id)
		return false;
	s->request.ask_id = 0;
	return true;
}

static enum err
step(struct search *s, struct outbox *out)
{
	enum err e;

	if ((e = search_go_on(s, out)) != OK || (e = search_answer_waiting(s, clock_mono(), out)) != OK)
		return e;
	return search_tell(s, s->request.ask_id == 0, out);
}

/* The key in the ticket, which the keyring sealed for this ask and this vault. */
static enum err
take_key(const struct search *s, uint64_t ask_id, const struct ack_body *b, struct uuid vault, struct key **out)
{
	uint8_t buf[INDEX_REF_LEN];
	struct ticket_terms terms = { .boot = s->boot, .client_ask = ask_id, .op = OP_SEARCH, .vault = vault,
		.refs = index_ref(CLASS_ORDINARY, buf) };
	struct audit_ack *ack = NULL;
	enum err e;

	if ((e = ack_accept(&s->channel, &terms, b->ticket, &ack)) != OK)
		return e;
	e = ack_revision_key(ack, out);
	ack_free(&ack);
	return e;
}

enum err
search_on_ack(void *self, const struct inbound *in, struct outbox *out)
{
	struct search *s = self;
	struct search_vault *v;
	enum err e;

	if (!ends_request(s, in) || (v = search_vault(s, s->request.vault)) == NULL || v->phase != VAULT_KEYLESS)
		return OK;
	if ((e = take_key(s, in->ask_id, &in->body->ack, v->vault, &v->key)) != OK) {
		search_pause(s);
		return e;
	}
	v->phase = VAULT_BUILDING;
	v->next = (struct index_page_wanted_body){ .vault = v->vault };
	if ((e = search_index_add_vault(s->index, v->vault)) != OK)
		return e;
	return step(s, out);
}

/* Grants, keyring or audit said no. */
enum err
search_on_no_key(void *self, const struct inbound *in, struct outbox *out)
{
	struct search *s = self;

	(void)out;
	if (ends_request(s, in))
		search_pause(s);
	return OK;
}

static void
remove_vault(struct search *s, struct search_vault *v)
{
	search_partial_free(&s->partial);
	search_index_remove_vault(s->index, v->vault);
	key_free(&v->key);
	v->phase = VAULT_ABSENT;
}

/* One piece of a revision, under the key that its class key gives. */
static enum err
open_piece(const struct key *class_key, const struct item_body *item, bool last, uint8_t *plain)
{
	struct key *revision = NULL, *chunk = NULL;
	uint8_t buf[PIECE_BINDING_MAX];
	enum err e;

	if ((e = key_new(&revision)) == OK && (e = key_new(&chunk)) == OK) {
		revision_key(class_key, item->ref.asset, item->ref.revision, revision);
		chunk_key(revision, (enum part)item->ref.part, item->ref.index, chunk);
		e = seal_open(chunk->b, piece_binding((enum part)item->ref.part, item->ref.asset, item->ref.revision,
		    item->ref.index, last, item->row, buf), item->sealed, plain);
	}
	key_free(&chunk);
	key_free(&revision);
	return e;
}

/* A head's row says what follows; its seal says that the row is true. */
static enum err
begin_revision(struct search *s, const struct search_vault *v, const struct item_body *item)
{
	struct search_partial *p = &s->partial;
	struct wire_in in = wire_in(item->row.p, item->row.len);
	struct revision_row row;
	uint8_t length[8];
	enum err e;

	search_partial_free(p);
	revision_row_take(&in, &row);
	if (!wire_done(&in) || !uuid_equal(row.vault, v->vault) || !uuid_equal(row.asset, item->ref.asset) ||
	    !uuid_equal(row.revision, item->ref.revision) || row.key_class != CLASS_ORDINARY || row.bytes > CONTENT_MAX ||
	    item->sealed.len != sizeof length + SEAL_OVERHEAD)
		return ERR_STORAGE_CORRUPT;
	if ((e = open_piece(v->key, item, false, length)) != OK)
		return e;
	in = wire_in(length, sizeof length);
	if (wire_take_u64(&in) != row.bytes)
		return ERR_STORAGE_CORRUPT;
	if ((e = secret_new((size_t)row.bytes, &p->content)) != OK)
		return e;
	p->row = row;
	p->active = true;
	return OK;
}

/* The next chunk of what was begun; the last one makes the document. */
static enum err
add_chunk(struct search *s, const struct search_vault *v, const struct item_body *item)
{
	struct search_partial *p = &s->partial;
	bool last;
	size_t len;
	enum err e;

	if (!p->active || !uuid_equal(item->ref.revision, p->row.revision) || !uuid_equal(item->ref.asset, p->row.asset) ||
	    item->ref.index != p->next_chunk || item->sealed.len < SEAL_OVERHEAD)
		return ERR_STORAGE_CORRUPT;
	len = item->sealed.len - SEAL_OVERHEAD;
	last = p->next_chunk + 1 == revision_n_chunks(p->row.bytes);
	if (len > secret_len(p->content) - p->have)
		return ERR_STORAGE_CORRUPT;
	if ((e = open_piece(v->key, item, last, secret_bytes(p->content) + p->have)) != OK)
		return e;
	p->have += len;
	p->next_chunk++;
	if (!last)
		return OK;
	e = p->have == secret_len(p->content) ? search_put_content(s->index, &p->row, secret_span(p->content))
	    : ERR_STORAGE_CORRUPT;
	search_partial_free(p);
	return e;
}

/* What cannot be read is not found, and is no reason not to find the rest. */
static enum err
take_items(struct search *s, const struct search_vault *v, const struct index_page_body *page)
{
	struct wire_in in = wire_in(page->items.p, page->items.len);

	for (size_t i = 0; i < page->n_items; i++) {
		struct item_body item;
		enum err e;

		item_body_take(&in, &item);
		if (in.failed || item.ref.key_class != CLASS_ORDINARY)
			return ERR_PROTOCOL;
		s->request.has_come = true;
		e = item.ref.part == PART_HEAD ? begin_revision(s, v, &item) : add_chunk(s, v, &item);
		if (e == OK)
			continue;
		if (s->partial.active || item.ref.part == PART_HEAD)
			log_line_error(ACTOR_SEARCH, e, 0);
		search_index_remove(s->index, v->vault, item.ref.asset);
		search_partial_free(&s->partial);
	}
	return in.len == 0 ? OK : ERR_PROTOCOL;
}

static struct index_page_wanted_body
rest_of(const struct search *s, const struct index_page_body *page)
{
	return (struct index_page_wanted_body){ .vault = s->request.vault, .asset = page->next_asset,
		.revision = page->next_revision, .first_chunk = page->next_chunk, .only = s->request.page.only };
}

/* Where it goes on after a page that was taken. */
static void
note_page(struct search *s, struct search_vault *v, const struct index_page_body *page)
{
	if (v->phase == VAULT_UNKNOWN) {
		v->phase = v->key != NULL ? VAULT_BUILDING : VAULT_KEYLESS;
		return;
	}
	/* Chunks that are left belong to a revision whose beginning was good; one of which some are missing is not found. */
	if (s->partial.active && (!page->more || page->next_chunk == 0 ||
	    !uuid_equal(page->next_revision, s->partial.row.revision))) {
		search_index_remove(s->index, v->vault, s->partial.row.asset);
		search_partial_free(&s->partial);
	}
	s->partial.rest = rest_of(s, page);
	if (s->request.is_change) {
		if (!s->request.has_come && !uuid_is_zero(s->request.page.asset))
			search_index_remove(s->index, v->vault, s->request.page.asset);
	} else if (page->more) {
		v->next = s->partial.rest;
	} else {
		v->phase = VAULT_BUILT;
	}
}

enum err
search_on_page(void *self, const struct inbound *in, struct outbox *out)
{
	struct search *s = self;
	const struct index_page_body *page = &in->body->index_page;
	struct search_vault *v;
	enum err e;

	if (!ends_request(s, in) || (v = search_vault(s, s->request.vault)) == NULL)
		return OK;
	if (page->error == ERR_NOT_FOUND || page->error == ERR_VAULT_NOT_ACTIVE) {
		remove_vault(s, v);
		v->removed = page->error == ERR_VAULT_NOT_ACTIVE;
		return step(s, out);
	}
	if (page->error == ERR_STORAGE_CORRUPT && s->request.is_change) {
		search_partial_free(&s->partial);
		search_index_remove(s->index, v->vault, s->request.page.asset);
		return step(s, out);
	}
	if (page->error != OK) {
		search_pause(s);
		return OK;
	}
	if (v->key != NULL && (e = take_items(s, v, page)) != OK)
		return e;
	note_page(s, v, page);
	return step(s, out);
}

enum err
search_on_changed(void *self, const struct inbound *in, struct outbox *out)
{
	struct search *s = self;
	const struct asset_changed_body *b = &in->body->asset_changed;
	struct search_vault *v = search_vault(s, b->vault);

	if (v == NULL)
		return OK;
	if (v->phase == VAULT_ABSENT && uuid_is_zero(b->asset))
		v->phase = VAULT_UNKNOWN;
	else
		search_note_change(s, b->vault, b->asset);
	return step(s, out);
}
