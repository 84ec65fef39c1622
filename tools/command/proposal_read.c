#include <string.h>

#include "tools/command/proposal.h"

#define PAGE 32

enum proposed
proposal_what(const struct revision_row *row)
{
	return row->deleted ? PROPOSED_REMOVE : row->n_parents > 0 ? PROPOSED_UPDATE : PROPOSED_ADD;
}

struct wall_ms
proposal_time(const struct revision_row *row)
{
	return (struct wall_ms){ uuid_ms(row->revision) };
}

const char *
proposal_word(enum proposed p)
{
	static const char *const words[] = {
		[PROPOSED_ADD] = "add", [PROPOSED_UPDATE] = "update", [PROPOSED_REMOVE] = "remove",
	};

	return words[p];
}

struct span
proposal_reason(const struct client_item *item, struct json **meta)
{
	struct span reason = { NULL, 0 };

	if (json_parse(secret_span(item->plain), meta) == OK)
		json_string(*meta, "reason", &reason);
	return reason;
}

static enum err
walk_vault(struct invocation *in, struct client *c, struct uuid vault, bool *goes_on,
    bool (*take)(void *arg, const struct client_item *title, const struct client_item *meta), void *arg)
{
	struct client_want want = { .op = OP_PROPOSAL_LIST, .surface = SURFACE_OWNER, .vault = vault, .limit = PAGE };
	struct client_answer *a = NULL;
	bool more = true;
	enum err e = OK;

	while (more && *goes_on && (e = owner_ask(in, c, &want, &a)) == OK) {
		for (size_t i = 0; i + 1 < a->n_items && *goes_on; i += 2)
			*goes_on = take(arg, &a->items[i], &a->items[i + 1]);
		more = a->more;
		want.offset += a->n_items / 2;
		client_answer_free(&a);
	}
	/* A vault that was removed meanwhile shows nothing. */
	return e == ERR_VAULT_NOT_ACTIVE ? OK : e;
}

enum err
proposal_walk(struct invocation *in, struct client *c, const struct uuid *vault,
    bool (*take)(void *arg, const struct client_item *title, const struct client_item *meta), void *arg)
{
	struct client_want want = { .op = OP_VAULT_LIST, .surface = SURFACE_OWNER, .limit = 100 };
	struct client_answer *a = NULL;
	bool goes_on = true, more = true;
	enum err e = OK;

	if (vault != NULL)
		return walk_vault(in, c, *vault, &goes_on, take, arg);
	while (more && goes_on && e == OK && (e = owner_ask(in, c, &want, &a)) == OK) {
		for (size_t i = 0; i < a->n_items && goes_on && e == OK; i++)
			e = walk_vault(in, c, a->items[i].ref.asset, &goes_on, take, arg);
		more = a->more;
		want.offset += a->n_items;
		client_answer_free(&a);
	}
	return e;
}

struct search {
	struct uuid           id;
	struct proposal_held *out;
	bool                  found;
	enum err              error;
};

static bool
take_if_it_is(void *arg, const struct client_item *title, const struct client_item *meta)
{
	struct search *s = arg;
	struct proposal_held *p = s->out;

	if (!uuid_equal(title->row.revision, s->id))
		return true;
	s->found = true;
	p->row = title->row;
	if (title->n_heads > 0)
		p->grant = title->heads[0];
	if ((s->error = secret_new(secret_len(title->plain), &p->title)) != OK)
		return false;
	memcpy(secret_bytes(p->title), secret_view(title->plain), secret_len(title->plain));
	p->reason = proposal_reason(meta, &p->meta);
	return false;
}

static enum err
read_content(struct client *c, const struct revision_row *row, struct secret **out)
{
	struct client_want want = { .op = OP_PROPOSAL_READ, .surface = SURFACE_OWNER, .vault = row->vault, .asset = row->asset,
		.revision = row->revision, .limit = CHUNK_LEN };
	struct client_bytes b = { .data = NULL };
	struct secret *all = NULL;
	enum err e;

	if ((e = secret_new((size_t)row->bytes, &all)) != OK)
		return e;
	while (e == OK && want.offset < row->bytes && (e = client_read(c, &want, &b)) == OK) {
		if (b.data == NULL || secret_len(b.data) > row->bytes - want.offset) {
			e = ERR_STORAGE_CORRUPT;
		} else {
			memcpy(secret_bytes(all) + want.offset, secret_view(b.data), secret_len(b.data));
			want.offset += secret_len(b.data);
		}
		client_bytes_free(&b);
	}
	if (e != OK)
		secret_free(&all);
	else
		*out = all;
	return e;
}

/*
 * Its writer was an assistant's process, which may seal any bytes. What is
 * kept is what the owner will be shown, taken back from there, and nothing else.
 */
static enum err
keep_what_is_shown(struct invocation *in, struct proposal_held *p)
{
	char reason[DRAFT_REASON_MAX] = "";
	struct secret *text = NULL, *content = NULL;
	enum err e;

	if ((e = draft_text_of(p->row.kind, "", secret_span(p->content), &text)) == OK)
		e = proposal_take_text(p->row.kind, secret_span(text), reason, &content);
	secret_free(&text);
	if (e == ERR_STORAGE_CORRUPT || e == ERR_INVALID_CONTENT || e == ERR_TOO_LARGE) {
		explain(in, "what was proposed is no memory or card; it can only be dismissed");
		return ERR_INVALID_CONTENT;
	}
	if (e != OK)
		return e;
	secret_free(&p->content);
	p->content = content;
	return OK;
}

/* The asset as it is now: gone, in conflict, or of one head, which is read. */
static enum err
read_old(struct invocation *in, struct client *c, struct proposal_held *p)
{
	static const struct uuid newest;
	enum err e;

	if (proposal_what(&p->row) == PROPOSED_ADD)
		return OK;
	if ((e = revision_heads(in, c, p->row.vault, p->row.asset, &p->heads)) != OK)
		return e;
	e = revision_find(in, c, p->row.vault, p->row.asset, newest, &p->old);
	if (e == ERR_ASSET_DELETED || e == ERR_REVISION_REQUIRED)
		return OK;
	if (e != OK)
		return e;
	p->is_there = true;
	return revision_content(c, &p->old, &p->old_content);
}

enum err
proposal_read(struct invocation *in, struct client *c, struct uuid id, struct proposal_held *out)
{
	struct proposal_held p = { .is_there = false };
	struct search s = { .id = id, .out = &p };
	enum err e;

	if ((e = proposal_walk(in, c, NULL, take_if_it_is, &s)) == OK)
		e = s.found ? s.error : ERR_NOT_FOUND;
	if (e == OK && !p.row.deleted)
		e = read_content(c, &p.row, &p.content);
	if (e == OK && p.content != NULL)
		e = keep_what_is_shown(in, &p);
	if (e == OK)
		e = read_old(in, c, &p);
	if (e != OK)
		proposal_free(&p);
	else
		*out = p;
	return e;
}

bool
proposal_is_stale(const struct proposal_held *p)
{
	if (proposal_what(&p->row) == PROPOSED_ADD)
		return false;
	if (!p->is_there || p->heads.n != p->row.n_parents)
		return true;
	for (size_t i = 0; i < p->row.n_parents; i++)
		if (!heads_have(&p->heads, p->row.parents[i]))
			return true;
	return false;
}

void
proposal_free(struct proposal_held *p)
{
	secret_free(&p->title);
	secret_free(&p->content);
	secret_free(&p->old_content);
	json_free(&p->meta);
	revision_free(&p->old);
	*p = (struct proposal_held){ .is_there = false };
}
