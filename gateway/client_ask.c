#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "escrow/binding.h"
#include "escrow/deposit.h"
#include "escrow/keys.h"
#include "escrow/query.h"
#include "gateway/client_inside.h"

/* What a process of the daemon may take to be back, and how often it is tried. */
#define RESTART_MS 2500
#define PAUSE_MS   50

/* What an ask boxes to the boot key. */
struct boxed {
	uint8_t half[SEALED_KEY_LEN];
	uint8_t query[PROFILE_TEXT_MAX + SEAL_OVERHEAD];
};

static enum err
box_half(const struct client *c, const struct key *token, struct span binding, uint8_t out[SEALED_KEY_LEN])
{
	struct key *half = NULL;
	enum err e;

	if ((e = key_new(&half)) != OK)
		return e;
	token_half(token, half);
	key_seal(c->channel.up, binding, half, out);
	key_free(&half);
	return OK;
}

/*
 * The ask; for a grant the half of its token and for a search its words, for the profile its request, boxed
 * to the boot key with the ask as what they are bound to. A boot key that
 * nobody certified gets neither.
 */
static enum err
make_ask(struct client *c, const struct client_want *want, struct ask_body *ask, struct boxed *boxed)
{
	uint8_t buf[BINDING_MAX];
	struct span binding;
	enum err e;

	*ask = (struct ask_body){
		.boot = c->welcome.boot.boot, .client_ask = client_next_ask(c), .op = (uint8_t)want->op, .surface = (uint8_t)want->surface,
		.vault = want->vault, .asset = want->asset, .revision = want->revision, .offset = want->offset,
		.limit = want->limit, .kind = (uint8_t)want->kind, .is_private = want->is_private,
	};
	memcpy(ask->opener, c->opener.public_key, sizeof ask->opener);
	if (want->token != NULL)
		token_id(want->token, ask->token_id);
	ask->grant_type = (uint8_t)want->grant_type;
	if (!c->believed.boot || (want->token == NULL && want->query.len == 0))
		return OK;
	binding = ask_binding(ask, buf);
	if (want->token != NULL) {
		if ((e = box_half(c, want->token, binding, boxed->half)) != OK)
			return e;
		ask->boxed_half = (struct span){ boxed->half, sizeof boxed->half };
	}
	if (want->query.len > 0 && want->query.len <= PROFILE_TEXT_MAX) {
		seal(c->channel.up->b, binding, want->query, boxed->query);
		ask->boxed_query = (struct span){ boxed->query, want->query.len + SEAL_OVERHEAD };
	}
	return OK;
}

/* The refs that the ticket must be for: the deposit's, or the new revision that the ack names. */
static enum err
put_refs(const struct client_want *want, const struct answer_body *answer, struct wire_out *refs)
{
	struct wire_in in = wire_in(answer->deposit.items.p, answer->deposit.items.len);

	if (op_writes(want->op)) {
		struct key_ref_body fresh = { .asset = answer->ack.asset, .revision = answer->ack.revision };

		if (want->op == OP_WRITE_NAME)
			fresh.part = PART_NAME;
		else
			fresh.key_class = (uint8_t)class_of(want->kind, want->is_private);
		key_ref_body_put(refs, &fresh);
	}
	for (size_t i = 0; i < answer->deposit.n_items; i++) {
		struct item_body item;

		item_body_take(&in, &item);
		key_ref_body_put(refs, &item.ref);
	}
	return in.failed || in.len != 0 || refs->failed ? ERR_PROTOCOL : OK;
}

static enum err
accept_ack(struct client *c, const struct ask_body *ask, const struct client_want *want,
    const struct answer_body *answer, struct audit_ack **ack)
{
	uint8_t buf[4000];
	struct wire_out refs = wire_out(buf, sizeof buf);
	struct ticket_terms terms = {
		.boot = c->welcome.boot.boot, .client_ask = ask->client_ask, .op = want->op,
		.vault = want->vault, .asset = want->asset, .revision = want->revision,
		.offset = want->offset, .limit = want->limit,
	};
	enum err e;

	if (c->channel.down == NULL)
		return ERR_INTERRUPTED;
	if ((e = put_refs(want, answer, &refs)) != OK)
		return e;
	terms.refs = wire_written(&refs);
	return ack_accept(&c->channel, &terms, answer->ack.ticket, ack);
}

static enum err
take_row(const struct item_body *item, struct client_item *out)
{
	struct wire_in in = wire_in(item->row.p, item->row.len);

	if (item->ref.part == PART_NAME) {
		out->n_assets = wire_take_u64(&in);
		return wire_done(&in) ? OK : ERR_STORAGE_CORRUPT;
	}
	if (item->ref.part == PART_CONTENT || item->ref.part == PART_FOUND)
		return item->row.len == 0 ? OK : ERR_STORAGE_CORRUPT;
	revision_row_take(&in, &out->row);
	out->has_row = true;
	if (!wire_done(&in) || !uuid_equal(out->row.asset, item->ref.asset) ||
	    !uuid_equal(out->row.revision, item->ref.revision) || out->row.key_class != item->ref.key_class)
		return ERR_STORAGE_CORRUPT;
	return OK;
}

static enum err
take_heads(struct span heads, struct client_item *out)
{
	struct wire_in in = wire_in(heads.p, heads.len);

	while (in.len > 0 && !in.failed && out->n_heads < REVISION_PARENTS_MAX)
		out->heads[out->n_heads++] = wire_take_id(&in);
	return wire_done(&in) ? OK : ERR_STORAGE_CORRUPT;
}

/* Only the last chunk's seal says that it is the last: a content cut short opens nothing. */
static bool
is_last(const struct client_answer *a, const struct key_ref_body *ref)
{
	return ref->part == PART_CONTENT && a->items[0].has_row &&
	    ref->index + 1 == revision_n_chunks(a->items[0].row.bytes);
}

/* A revision that failed its check is listed as the vault knows it: its seal would fail here as well. */
static enum err
open_item(const struct audit_ack *ack, enum op op, size_t i, const struct item_body *item, struct client_answer *a)
{
	struct client_item *out = &a->items[i];
	uint8_t buf[PIECE_BINDING_MAX];
	struct span row = item->ref.part == PART_NAME ? (struct span){ NULL, 0 } : item->row;
	enum err e;

	out->ref = item->ref;
	out->flags = item->flags;
	if ((e = take_row(item, out)) != OK || (e = take_heads(item->heads, out)) != OK)
		return e;
	if (op == OP_HISTORY && (item->flags & ITEM_QUARANTINED) != 0)
		return secret_new(0, &out->plain);
	return escrow_open(ack, i, piece_binding((enum part)item->ref.part, item->ref.asset, item->ref.revision,
	    item->ref.index, is_last(a, &item->ref), row, buf), item->sealed, &out->plain);
}

static enum err
open_items(const struct audit_ack *ack, enum op op, const struct deposit_body *deposit, struct client_answer *a)
{
	struct wire_in in = wire_in(deposit->items.p, deposit->items.len);
	enum err e = OK;

	if ((a->items = calloc(deposit->n_items + 1u, sizeof *a->items)) == NULL)
		return ERR_NO_MEMORY;
	a->n_items = deposit->n_items;
	a->more = deposit->more;
	for (size_t i = 0; i < a->n_items && e == OK; i++) {
		struct item_body item;

		item_body_take(&in, &item);
		e = in.failed ? ERR_PROTOCOL : open_item(ack, op, i, &item, a);
	}
	return e;
}

static enum err
open_answer(struct client *c, const struct ask_body *ask, const struct client_want *want,
    const struct answer_body *answer, struct client_answer *a)
{
	struct audit_ack *ack = NULL;
	enum err e;

	if ((e = accept_ack(c, ask, want, answer, &ack)) != OK)
		return e;
	a->index = answer->ack.index;
	a->asset = answer->ack.asset;
	a->revision = answer->ack.revision;
	e = op_writes(want->op) ? ack_revision_key(ack, &a->revision_key) : open_items(ack, want->op, &answer->deposit, a);
	ack_free(&ack);
	return e;
}

enum err
client_ask_send(struct client *c, const struct client_want *want, struct client_asked *out)
{
	struct client_asked asked = { .want = *want };
	struct boxed boxed;
	enum err e;

	c->detail[0] = '\0';
	if ((e = client_receipt_ready(c)) != OK || (e = make_ask(c, want, &asked.ask, &boxed)) != OK ||
	    (e = dial_send(c->dial, MSG_ASK, &asked.ask, &asked.request)) != OK)
		return e;
	asked.ask.boxed_half = asked.ask.boxed_query = (struct span){ NULL, 0 };
	asked.want.query = (struct span){ NULL, 0 };
	*out = asked;
	return OK;
}

enum err
client_ask_wait(struct client *c, const struct client_asked *asked, union any_body *answer)
{
	return client_wait(c, asked->request, MSG_ANSWER, answer);
}

enum err
client_ask_open(struct client *c, const struct client_asked *asked, const struct answer_body *answer,
    struct client_answer **out)
{
	struct client_answer *a = calloc(1, sizeof *a);
	enum err e;

	if (a == NULL)
		return ERR_NO_MEMORY;
	if ((e = open_answer(c, &asked->ask, &asked->want, answer, a)) == OK)
		e = client_receipt_check(c, &answer->ack);
	if (e != OK) {
		client_answer_free(&a);
		return e;
	}
	*out = a;
	return OK;
}

static enum err
ask_once(struct client *c, const struct client_want *want, struct client_answer **out)
{
	struct client_asked asked;
	union any_body answer;
	enum err e;

	if ((e = client_ask_send(c, want, &asked)) != OK || (e = client_ask_wait(c, &asked, &answer)) != OK)
		return e;
	e = client_ask_open(c, &asked, &answer.answer, out);
	/* It was answered, whatever was said to the hello that its receipt wanted. */
	c->was_refused = false;
	return e;
}

/* A change of the profile is made by its first ask alone: where nobody said that it was not, it is not asked for again. */
static bool
may_ask_again(const struct client *c, const struct client_want *want)
{
	return want->op != OP_PROFILE_CHANGE || c->was_refused;
}

/*
 * A daemon or keyring that restarts is waited for a little and met anew; each
 * further try is a new ask with a record of its own.
 */
enum err
client_ask(struct client *c, const struct client_want *want, struct client_answer **out)
{
	const struct timespec pause = { 0, PAUSE_MS * 1000000L };
	struct mono_ms until = { clock_mono().ms + RESTART_MS };
	enum err e = ask_once(c, want, out);

	while (e == ERR_INTERRUPTED && may_ask_again(c, want) && clock_mono().ms < until.ms) {
		nanosleep(&pause, NULL);
		if ((e = client_again(c)) == OK)
			e = ask_once(c, want, out);
	}
	return e;
}

void
client_answer_free(struct client_answer **a)
{
	if (*a == NULL)
		return;
	for (size_t i = 0; i < (*a)->n_items && (*a)->items != NULL; i++)
		secret_free(&(*a)->items[i].plain);
	key_free(&(*a)->revision_key);
	free((*a)->items);
	free(*a);
	*a = NULL;
}

/* The sealed total must be what the row says, and the revision the one that was asked for. */
static enum err
check_head(const struct client_want *want, const struct client_answer *a)
{
	const struct client_item *head = &a->items[0];
	struct wire_in in;

	if (a->n_items < 1 || head->ref.part != PART_HEAD || !uuid_equal(head->row.vault, want->vault) ||
	    !uuid_equal(head->row.asset, want->asset) ||
	    (!uuid_is_zero(want->revision) && !uuid_equal(head->row.revision, want->revision)))
		return ERR_STORAGE_CORRUPT;
	in = wire_in(secret_view(head->plain), secret_len(head->plain));
	if (wire_take_u64(&in) != head->row.bytes || !wire_done(&in) || want->offset > head->row.bytes)
		return ERR_STORAGE_CORRUPT;
	return OK;
}

/* Cuts [offset, offset + length) out of the chunks, which must be exactly the ones it touches. */
static enum err
cut_range(const struct client_answer *a, uint64_t offset, size_t length, struct secret **out)
{
	uint32_t first = (uint32_t)(offset / CHUNK_LEN);
	size_t skip = (size_t)(offset % CHUNK_LEN), done = 0;
	struct secret *s;
	enum err e;

	if ((e = secret_new(length, &s)) != OK)
		return e;
	for (size_t i = 1; i < a->n_items && done < length; i++) {
		const struct client_item *chunk = &a->items[i];
		size_t n;

		if (chunk->ref.part != PART_CONTENT || chunk->ref.index != first + i - 1 ||
		    secret_len(chunk->plain) < skip)
			break;
		n = secret_len(chunk->plain) - skip;
		if (n > length - done)
			n = length - done;
		memcpy(secret_bytes(s) + done, secret_view(chunk->plain) + skip, n);
		done += n;
		skip = 0;
	}
	if (done < length) {
		secret_free(&s);
		return ERR_STORAGE_CORRUPT;
	}
	*out = s;
	return OK;
}

enum err
client_read(struct client *c, const struct client_want *want, struct client_bytes *out)
{
	struct client_answer *a = NULL;
	struct client_bytes b = { .offset = want->offset };
	uint64_t length;
	enum err e;

	if ((e = client_ask(c, want, &a)) != OK)
		return e;
	if ((e = check_head(want, a)) == OK) {
		b.total = a->items[0].row.bytes;
		b.revision = a->items[0].row.revision;
		b.kind = a->items[0].row.kind;
		b.index = a->index;
		length = b.total - want->offset < want->limit ? b.total - want->offset : want->limit;
		b.at_end = want->offset + length == b.total;
		if (length > 0)
			e = cut_range(a, want->offset, (size_t)length, &b.data);
	}
	client_answer_free(&a);
	if (e == OK)
		*out = b;
	return e;
}

void
client_bytes_free(struct client_bytes *b)
{
	secret_free(&b->data);
}
