#include <stdlib.h>
#include <string.h>

#include "gateway/mcp_repeats.h"

struct last {
	uint8_t  same[SHA256_LEN];
	unsigned failures; /* in a row */
};

struct row {
	struct uuid connection; /* zero: free */
	uint64_t    used;       /* when, as a count */
	struct last last[PROFILE_TOOLS];
};

struct mcp_repeats {
	uint64_t   now;
	struct row rows[MCP_REPEATS_MAX];
};

enum err
mcp_repeats_new(struct mcp_repeats **out)
{
	*out = calloc(1, sizeof **out);
	return *out == NULL ? ERR_NO_MEMORY : OK;
}

void
mcp_repeats_free(struct mcp_repeats **r)
{
	free(*r);
	*r = NULL;
}

/* Of that connection; NULL: there is none. */
static const struct row *
find(const struct mcp_repeats *r, struct uuid connection)
{
	for (size_t i = 0; i < MCP_REPEATS_MAX; i++)
		if (uuid_equal(r->rows[i].connection, connection))
			return &r->rows[i];
	return NULL;
}

static struct row *
find_or_make(struct mcp_repeats *r, struct uuid connection)
{
	struct row *oldest = &r->rows[0];

	for (size_t i = 0; i < MCP_REPEATS_MAX; i++) {
		if (uuid_equal(r->rows[i].connection, connection))
			return &r->rows[i];
		if (r->rows[i].used < oldest->used)
			oldest = &r->rows[i];
	}
	*oldest = (struct row){ .connection = connection };
	return oldest;
}

/* It would fail again, were it asked again. */
static bool
counts(enum err outcome)
{
	static const enum err its_own[] = {
		ERR_INVALID_ARGUMENT, ERR_NOT_FOUND, ERR_CONFLICT, ERR_SENSITIVE_CONTENT, ERR_NOT_SHAREABLE, ERR_OFFSET_OUT_OF_RANGE,
		ERR_QUERY_EMPTY, ERR_QUERY_TOO_LONG, ERR_TOO_LARGE, ERR_PROFILE_FULL,
	};

	for (size_t i = 0; i < sizeof its_own / sizeof *its_own; i++)
		if (outcome == its_own[i])
			return true;
	return false;
}

bool
mcp_repeats_blocked(const struct mcp_repeats *r, struct uuid connection, const struct profile_ask *ask)
{
	const struct row *row = find(r, connection);
	const struct last *last;

	if (row == NULL)
		return false;
	last = &row->last[ask->tool];
	return last->failures >= MCP_REPEATS_IN_A_ROW_MAX && memcmp(last->same, ask->same, sizeof last->same) == 0;
}

void
mcp_repeats_note(struct mcp_repeats *r, struct uuid connection, const struct profile_ask *ask, enum err outcome)
{
	struct row *row = find_or_make(r, connection);
	struct last *last = &row->last[ask->tool];

	row->used = ++r->now;
	if (memcmp(last->same, ask->same, sizeof last->same) != 0) {
		memcpy(last->same, ask->same, sizeof last->same);
		last->failures = 0;
	}
	if (outcome == OK)
		last->failures = 0;
	else if (counts(outcome) && last->failures < MCP_REPEATS_IN_A_ROW_MAX)
		last->failures++;
}

void
mcp_repeats_forget(struct mcp_repeats *r, struct uuid connection)
{
	for (size_t i = 0; i < MCP_REPEATS_MAX; i++)
		if (uuid_equal(r->rows[i].connection, connection))
			memset(&r->rows[i], 0, sizeof r->rows[i]);
}
