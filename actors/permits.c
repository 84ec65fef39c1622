#include <string.h>

#include "actors/permits.h"
#include "mailbox/words.h"
#include "store/vault_db.h"

void
permits_add(struct permits *p, const struct permit *permit)
{
	struct permit *at = &p->rows[0];

	for (size_t i = 0; i < PERMITS_MAX; i++) {
		if (uuid_is_zero(p->rows[i].revision)) {
			at = &p->rows[i];
			break;
		}
		if (p->rows[i].used.ms < at->used.ms)
			at = &p->rows[i];
	}
	*at = *permit;
}

static struct permit *
find(struct permits *p, struct uuid revision, uint32_t pid, struct mono_ms now)
{
	for (size_t i = 0; i < PERMITS_MAX; i++) {
		struct permit *at = &p->rows[i];

		if (!uuid_is_zero(revision) && uuid_equal(at->revision, revision) && at->pid == pid &&
		    now.ms < at->used.ms + PERMIT_MS)
			return at;
	}
	return NULL;
}

static bool
takes_row(const struct permit *permit, enum op op, const struct revision_row *row)
{
	return permit->op == op && uuid_equal(permit->vault, row->vault) &&
	    uuid_equal(permit->asset, row->asset) && permit->kind == row->kind &&
	    row->key_class == class_of((enum kind)permit->kind, permit->is_private);
}

static bool
takes_chunk(const struct permit *permit, uint32_t index)
{
	return permit->op == OP_WRITE_ASSET ||
	    (permit->op == OP_PROPOSE && index < revision_n_chunks(PROPOSAL_LEN_MAX));
}

static enum err
use(struct permit *permit, bool fits, struct mono_ms now)
{
	if (permit == NULL)
		return ERR_NOT_FOUND;
	if (!fits)
		return ERR_INVALID_ARGUMENT;
	permit->used = now;
	return OK;
}

/* The permit for the revision that this row is of, if it is what the keys were given for. */
static enum err
check_row(struct permits *p, enum op op, struct span bytes, uint32_t pid, struct mono_ms now, struct permit **out)
{
	struct wire_in in = wire_in(bytes.p, bytes.len);
	struct revision_row row = { .n_parents = 0 };

	revision_row_take(&in, &row);
	if (!wire_done(&in))
		return ERR_INVALID_ARGUMENT;
	*out = find(p, row.revision, pid, now);
	return use(*out, *out != NULL && takes_row(*out, op, &row), now);
}

enum err
permits_check(struct permits *p, enum msg type, union any_body *body, uint32_t pid, struct mono_ms now)
{
	struct permit *permit;
	enum err e;

	if (type == MSG_CHUNK_PUT) {
		permit = find(p, body->chunk_put.revision, pid, now);
		return use(permit, permit != NULL && takes_chunk(permit, body->chunk_put.index), now);
	}
	if (type == MSG_NAME_PUT) {
		permit = find(p, body->name_put.revision, pid, now);
		return use(permit, permit != NULL && permit->op == OP_WRITE_NAME &&
		    uuid_equal(permit->vault, body->name_put.vault), now);
	}
	if (type == MSG_DISCARD_PUT)
		return use(find(p, body->one_id.id, pid, now), true, now);
	if (type == MSG_REVISION_PUT)
		return check_row(p, OP_WRITE_ASSET, body->revision_put.row, pid, now, &permit);
	if ((e = check_row(p, OP_PROPOSE, body->proposal_put.row, pid, now, &permit)) == OK)
		body->proposal_put.grant = permit->grant;
	return e;
}

void
permits_clear(struct permits *p)
{
	memset(p, 0, sizeof *p);
}
