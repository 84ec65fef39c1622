#include <string.h>

#include "actors/permits.h"
#include "mailbox/words.h"
#include "store/revision.h"

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
takes_row(const struct permit *permit, const struct revision_row *row)
{
	return permit->op == OP_WRITE_ASSET && uuid_equal(permit->vault, row->vault) &&
	    uuid_equal(permit->asset, row->asset) && permit->kind == row->kind &&
	    row->key_class == class_of((enum kind)permit->kind, permit->is_private);
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

enum err
permits_check(struct permits *p, enum msg type, const union any_body *body, uint32_t pid, struct mono_ms now)
{
	struct revision_row row = { .n_parents = 0 };
	struct permit *permit;
	struct wire_in in;

	if (type == MSG_CHUNK_PUT) {
		permit = find(p, body->chunk_put.revision, pid, now);
		return use(permit, permit != NULL && permit->op == OP_WRITE_ASSET, now);
	}
	if (type == MSG_NAME_PUT) {
		permit = find(p, body->name_put.revision, pid, now);
		return use(permit, permit != NULL && permit->op == OP_WRITE_NAME &&
		    uuid_equal(permit->vault, body->name_put.vault), now);
	}
	if (type == MSG_DISCARD_PUT)
		return use(find(p, body->one_id.id, pid, now), true, now);
	in = wire_in(body->revision_put.row.p, body->revision_put.row.len);
	revision_row_take(&in, &row);
	if (!wire_done(&in))
		return ERR_INVALID_ARGUMENT;
	permit = find(p, row.revision, pid, now);
	return use(permit, permit != NULL && takes_row(permit, &row), now);
}

void
permits_clear(struct permits *p)
{
	memset(p, 0, sizeof *p);
}
