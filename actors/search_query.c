/*
 * A query: its words come boxed from the keyring; what is found goes sealed to
 * the gate, and to the keyring the rows that it is made of, which it has
 * recorded before the key leaves that opens them.
 */
#include <stdlib.h>
#include <string.h>

#include "actors/search_state.h"
#include "escrow/deposit.h"
#include "escrow/query.h"
#include "gateway/found.h"
#include "mailbox/utf8.h"
#include "store/grants_db.h"
#include "store/search_tokens.h"

/* How long a query waits for what it asks about to be built: enough for a change or a new vault. */
#define WAIT_MS 400

#define OFFSET_MAX 1000000

_Static_assert(QUERY_TEXT_MAX <= SEARCH_QUERY_MAX && FOUND_ROWS_MAX <= SEARCH_LIMIT_MAX, "what may be asked can be looked for");

/* A QUERY as it came, still boxed. */
struct waiting {
	uint8_t *body; /* owned, encoded */
	size_t   len;
};

enum err
search_waiting_new(struct pending **out)
{
	return pending_new(SEARCH_WAITING_MAX, sizeof(struct waiting), out);
}

static bool
in_scope(const struct ruling_body *r, struct uuid vault)
{
	for (size_t i = 0; i + UUID_LEN <= r->vaults.len; i += UUID_LEN)
		if (memcmp(r->vaults.p + i, vault.b, UUID_LEN) == 0)
			return true;
	return r->vaults.len == 0;
}

static bool
is_changing(const struct search *s, struct uuid vault)
{
	if (s->request.ask_id != 0 && s->request.is_change && uuid_equal(s->request.vault, vault))
		return true;
	for (size_t i = 0; i < s->n_changes; i++)
		if (uuid_equal(s->changes[i].vault, vault))
			return true;
	return false;
}

/* Every vault in scope is built, and with `settled` as it is now. */
static bool
is_built(const struct search *s, const struct ruling_body *r, bool settled)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_vaults; i++) {
		const struct search_vault *v = &s->vaults[i];

		if (!in_scope(r, v->vault))
			continue;
		if ((v->phase != VAULT_BUILT && v->phase != VAULT_ABSENT) || (settled && is_changing(s, v->vault)))
			return false;
		n++;
	}
	/* One that it has not heard of yet is not built. */
	return n >= r->vaults.len / UUID_LEN;
}

/* Vaults are named, and none of them is there any more. */
static bool
is_removed(const struct search *s, const struct ruling_body *r)
{
	if (r->vaults.len == 0)
		return false;
	for (size_t i = 0; i < s->n_vaults; i++)
		if (in_scope(r, s->vaults[i].vault) && !(s->vaults[i].phase == VAULT_ABSENT && s->vaults[i].removed))
			return false;
	return true;
}

static bool
count_token(void *arg, const struct search_token *t)
{
	(void)t;
	++*(size_t *)arg;
	return false;
}

static enum err
check_query(const struct ask_body *ask, struct span text)
{
	size_t n = 0;

	if (ask->limit < 1 || ask->limit > FOUND_ROWS_MAX || ask->offset > OFFSET_MAX || !utf8_valid(text) ||
	    (ask->kind != 0 && ask->kind != KIND_MEMORY && ask->kind != KIND_CARD))
		return ERR_INVALID_ARGUMENT;
	(void)search_tokens(text, 0, count_token, &n);
	return n > 0 ? OK : ERR_QUERY_EMPTY;
}

static struct found_row
row_of(const struct search_hit *h)
{
	struct found_row r = {
		.vault = h->vault, .asset = h->asset, .revision = h->revision, .kind = h->kind,
		.created = { h->created }, .updated = { h->updated }, .part = h->part, .number = h->number,
		.match_offset = h->offset, .match_len = h->length, .excerpt_offset = h->excerpt_offset,
		.title = h->title, .excerpt = { h->excerpt, h->excerpt_len },
	};

	if (h->score > 0)
		r.score = h->score < 4000000.0 ? (uint32_t)(h->score * 1000) : UINT32_MAX;
	return r;
}

/* How many of the rows a page has room for. */
static uint16_t
n_fitting(const struct search_hit *hits, uint32_t n, uint8_t *room)
{
	struct wire_out o = wire_out(room, FOUND_LEN_MAX);
	uint16_t fit = 0;

	found_page_put(&o, &(struct found_page){ .n_rows = 0 });
	for (; fit < n; fit++) {
		struct found_row r = row_of(&hits[fit]);

		found_row_put(&o, &r);
		if (o.failed)
			break;
	}
	return fit;
}

/* Says what was found: sealed to the gate, its rows to the keyring. */
static enum err
say_found(const struct ruling_body *ruling, uint64_t ask_id, const struct key *result_key, const struct search_hit *hits,
    const struct search_found *found, uint8_t *room, struct outbox *out)
{
	struct found_page page = { .offset = ruling->ask.offset, .total = found->total, .relaxed = found->relaxed };
	struct found_rows_body rows = { .ruling = *ruling };
	uint8_t sealed[FOUND_LEN_MAX + SEAL_OVERHEAD], rows_buf[FOUND_ROWS_MAX * 2 * UUID_LEN];
	struct wire_out o = wire_out(room, FOUND_LEN_MAX), ids = wire_out(rows_buf, sizeof rows_buf);
	struct found_body b;
	enum err e;

	page.n_rows = n_fitting(hits, found->n_hits, room);
	found_page_put(&o, &page);
	for (size_t i = 0; i < page.n_rows; i++) {
		struct found_row r = row_of(&hits[i]);

		found_row_put(&o, &r);
		wire_put_id(&ids, r.asset);
		wire_put_id(&ids, r.revision);
	}
	if (o.failed || ids.failed)
		return ERR_INTERNAL;
	query_found_seal(result_key, wire_written(&o), sealed);
	b = (struct found_body){ .more = page.offset + page.n_rows < page.total, .sealed = { sealed, o.len + SEAL_OVERHEAD } };
	rows.n_rows = page.n_rows;
	rows.rows = wire_written(&ids);
	if ((e = outbox_put(out, MSG_FOUND, ask_id, &b)) != OK)
		return e;
	return outbox_put(out, MSG_FOUND_KEY_WANTED, ask_id, &rows);
}

static enum err
find(struct search *s, const struct ruling_body *r, uint64_t ask_id, const struct key *result_key, struct span text,
    struct outbox *out)
{
	struct uuid vaults[GRANT_VAULTS_MAX];
	struct search_query q = { .text = text, .offset = (uint32_t)r->ask.offset, .limit = r->ask.limit,
		.kinds = r->ask.kind != 0 ? 1u << r->ask.kind : 0 };
	struct search_found found;
	struct search_hit *hits = NULL;
	struct secret *room = NULL, *hits_room = NULL;
	enum err e;

	if (r->vaults.len > 0) {
		q.n_vaults = r->vaults.len / UUID_LEN;
		memcpy(vaults, r->vaults.p, q.n_vaults * UUID_LEN);
		q.vaults = vaults;
	}
	if ((e = secret_new(FOUND_ROWS_MAX * sizeof *hits, &hits_room)) == OK && (e = secret_new(FOUND_LEN_MAX, &room)) == OK) {
		hits = (struct search_hit *)(void *)secret_bytes(hits_room);
		if ((e = search_index_find(s->index, &q, hits, &found)) == OK)
			e = say_found(r, ask_id, result_key, hits, &found, secret_bytes(room), out);
	}
	secret_free(&room);
	secret_free(&hits_room);
	return e;
}

static enum err
answer(struct search *s, const struct query_body *b, uint64_t ask_id, struct outbox *out)
{
	struct key *result_key = NULL;
	struct secret *text = NULL;
	enum err e;

	if (!is_built(s, &b->ruling, false))
		return s->unlocked ? ERR_SEARCH_WARMING : ERR_LOCKED;
	if (is_removed(s, &b->ruling))
		return ERR_VAULT_NOT_ACTIVE;
	if ((e = query_open(s->channel.down, ask_id, b->ruling.mac, b->sealed, &result_key, &text)) != OK)
		return e;
	if ((e = check_query(&b->ruling.ask, secret_span(text))) == OK)
		e = find(s, &b->ruling, ask_id, result_key, secret_span(text), out);
	secret_free(&text);
	key_free(&result_key);
	return e;
}

static enum err
refuse(const struct ruling_body *r, uint64_t ask_id, enum err why, struct outbox *out)
{
	struct refusal_body refusal = { .error = (uint16_t)why, .authenticated = 1, .subject_kind = r->subject_kind,
		.subject = r->subject };

	return outbox_put(out, MSG_QUERY_REFUSED, ask_id, &refusal);
}

static enum err
answer_or_refuse(struct search *s, const struct query_body *b, uint64_t ask_id, struct outbox *out)
{
	enum err e = answer(s, b, ask_id, out);

	return e == OK ? OK : refuse(&b->ruling, ask_id, e, out);
}

/* Keeps it, boxed as it came. ERR_BUSY: too many wait. */
static enum err
wait_with(struct search *s, const struct inbound *in)
{
	size_t size = in->body->query.sealed.len + 4096;
	struct waiting *w;
	void *value;
	struct wire_out o;
	uint8_t *body;
	enum err e;

	if ((body = malloc(size)) == NULL)
		return ERR_NO_MEMORY;
	o = wire_out(body, size);
	query_body_put(&o, &in->body->query);
	e = o.failed ? ERR_INTERNAL : pending_add(s->waiting, in->ask_id, (struct mono_ms){ clock_mono().ms + WAIT_MS }, &value);
	if (e != OK) {
		free(body);
		return e;
	}
	w = value;
	*w = (struct waiting){ body, o.len };
	return OK;
}

enum err
search_on_query(void *self, const struct inbound *in, struct outbox *out)
{
	struct search *s = self;
	const struct query_body *b = &in->body->query;

	if (s->unlocked && !is_built(s, &b->ruling, true) && wait_with(s, in) == OK)
		return OK;
	return answer_or_refuse(s, b, in->ask_id, out);
}

struct answering {
	struct search *search;
	struct outbox *out;
	enum err       why; /* OK: answer */
};

static struct query_body
body_of(const struct waiting *w)
{
	struct wire_in in = wire_in(w->body, w->len);
	struct query_body b;

	query_body_take(&in, &b);
	return b;
}

static void
end_waiting(void *arg, uint64_t ask_id, void *value)
{
	const struct answering *a = arg;
	struct waiting *w = value;
	struct query_body b = body_of(w);

	if (a->out != NULL && a->why == OK)
		(void)answer_or_refuse(a->search, &b, ask_id, a->out);
	else if (a->out != NULL)
		(void)refuse(&b.ruling, ask_id, a->why, a->out);
	free(w->body);
}

static bool
waits_no_more(const void *arg, const void *value)
{
	const struct answering *a = arg;
	struct query_body b = body_of(value);

	return is_built(a->search, &b.ruling, true);
}

enum err
search_answer_waiting(struct search *s, struct mono_ms now, struct outbox *out)
{
	struct answering a = { s, out, OK };

	pending_fail_some(s->waiting, waits_no_more, end_waiting, &a);
	pending_expire(s->waiting, now, end_waiting, &a);
	return OK;
}

void
search_refuse_waiting(struct search *s, enum err why, struct outbox *out)
{
	struct answering a = { s, out, why };

	pending_fail_all(s->waiting, end_waiting, &a);
}
