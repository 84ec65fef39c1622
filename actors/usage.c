#include <stdlib.h>
#include <string.h>

#include "actors/usage.h"

struct row {
	struct uuid     grant; /* zero: empty */
	struct usage_of used;
};

/* Open addressing; the size is a power of two and at most half full. */
struct usage {
	struct row *rows;
	size_t      size;
	size_t      n;
};

#define FIRST_SIZE 64

enum err
usage_new(struct usage **out)
{
	struct usage *u = calloc(1, sizeof *u);

	if (u == NULL || (u->rows = calloc(FIRST_SIZE, sizeof *u->rows)) == NULL) {
		free(u);
		return ERR_NO_MEMORY;
	}
	u->size = FIRST_SIZE;
	*out = u;
	return OK;
}

void
usage_free(struct usage **u)
{
	if (*u == NULL)
		return;
	free((*u)->rows);
	free(*u);
	*u = NULL;
}

/* The row of that grant, or the empty one where it belongs. The tail of a version 7 id is random. */
static struct row *
place(struct row *rows, size_t size, struct uuid grant)
{
	uint64_t h;
	size_t i;

	memcpy(&h, grant.b + 8, sizeof h);
	for (i = (size_t)h & (size - 1); !uuid_is_zero(rows[i].grant); i = (i + 1) & (size - 1))
		if (uuid_equal(rows[i].grant, grant))
			break;
	return &rows[i];
}

static enum err
grow(struct usage *u)
{
	struct row *rows = calloc(2 * u->size, sizeof *rows);

	if (rows == NULL)
		return ERR_NO_MEMORY;
	for (size_t i = 0; i < u->size; i++)
		if (!uuid_is_zero(u->rows[i].grant))
			*place(rows, 2 * u->size, u->rows[i].grant) = u->rows[i];
	free(u->rows);
	u->rows = rows;
	u->size *= 2;
	return OK;
}

/* The row of that grant, a new one if need be; NULL without memory. */
static struct row *
row_of(struct usage *u, struct uuid grant)
{
	struct row *row = place(u->rows, u->size, grant);

	if (!uuid_is_zero(row->grant))
		return row;
	if (2 * (u->n + 1) > u->size) {
		if (grow(u) != OK)
			return NULL;
		row = place(u->rows, u->size, grant);
	}
	row->grant = grant;
	u->n++;
	return row;
}

/* A disable revokes all that are there and not known as ordinary. */
static void
revoke_all(struct usage *u)
{
	for (size_t i = 0; i < u->size; i++)
		if (!uuid_is_zero(u->rows[i].grant) && !u->rows[i].used.ordinary)
			u->rows[i].used.revoked = true;
}

static bool
is_of_a_grant(const struct log_record *r)
{
	return (r->type == LOG_INTENT || r->type == LOG_WRITE || r->type == LOG_GRANT || r->type == LOG_REVOKE) &&
	    r->outcome == LOG_DONE && (r->subject_kind == LOG_GRANT_ID || r->subject_kind == LOG_CONNECTION_ID) &&
	    !uuid_is_zero(r->subject);
}

enum err
usage_note(struct usage *u, const struct log_record *r)
{
	struct row *row;

	if (r->type == LOG_DISABLE && r->outcome == LOG_DONE)
		revoke_all(u);
	if (!is_of_a_grant(r))
		return OK;
	if ((row = row_of(u, r->subject)) == NULL)
		return ERR_NO_MEMORY;
	if (r->type == LOG_REVOKE)
		row->used.revoked = true;
	if (r->subject_kind == LOG_CONNECTION_ID)
		row->used.ordinary = true;
	else if (r->type == LOG_GRANT)
		row->used.ordinary = r->extra.len == 1 && r->extra.p[0] == GRANT_ORDINARY;
	if (r->type == LOG_INTENT)
		row->used.reads++;
	if (r->type == LOG_INTENT || r->type == LOG_WRITE)
		row->used.last_used = r->wall;
	return OK;
}

#define ROW_LEN (UUID_LEN + 2 * 8 + 1)

enum { ROW_REVOKED = 1, ROW_ORDINARY = 2 };

size_t
usage_len(const struct usage *u)
{
	return u->n * ROW_LEN;
}

void
usage_put(struct wire_out *o, const struct usage *u)
{
	for (size_t i = 0; i < u->size; i++) {
		const struct row *row = &u->rows[i];

		if (uuid_is_zero(row->grant))
			continue;
		wire_put_id(o, row->grant);
		wire_put_u64(o, row->used.last_used.ms);
		wire_put_u64(o, row->used.reads);
		wire_put_u8(o, (uint8_t)((row->used.revoked ? ROW_REVOKED : 0) | (row->used.ordinary ? ROW_ORDINARY : 0)));
	}
}

static enum err
take_row(struct wire_in *in, struct usage *u)
{
	struct uuid grant = wire_take_id(in);
	struct usage_of used = { .last_used = { wire_take_u64(in) } };
	struct row *row;
	uint8_t flags;

	used.reads = wire_take_u64(in);
	flags = wire_take_u8(in);
	used.revoked = flags & ROW_REVOKED;
	used.ordinary = flags & ROW_ORDINARY;
	if (in->failed || uuid_is_zero(grant) || flags > (ROW_REVOKED | ROW_ORDINARY) || !uuid_is_zero(place(u->rows, u->size, grant)->grant))
		return ERR_INVALID_CONTENT;
	if ((row = row_of(u, grant)) == NULL)
		return ERR_NO_MEMORY;
	row->used = used;
	return OK;
}

enum err
usage_take(struct wire_in *in, struct usage **out)
{
	struct usage *u;
	enum err e;

	if ((e = usage_new(&u)) != OK)
		return e;
	while (e == OK && !wire_done(in))
		e = take_row(in, u);
	if (e != OK)
		usage_free(&u);
	else
		*out = u;
	return e;
}

struct usage_of
usage_find(const struct usage *u, struct uuid grant)
{
	return place(u->rows, u->size, grant)->used;
}
