#include <stdlib.h>
#include <string.h>

#include "store/log_group.h"

enum err
log_group_start(struct log_group *g)
{
	memset(g, 0, sizeof *g);
	g->buf = malloc(SEGMENT_HEADER_LEN + LOG_GROUP_BYTES_MAX + LOG_COMMIT_FRAME_LEN);
	return g->buf != NULL ? OK : ERR_NO_MEMORY;
}

void
log_group_end(struct log_group *g)
{
	free(g->buf);
	g->buf = NULL;
}

static uint8_t *
frames(const struct log_group *g)
{
	return g->buf + SEGMENT_HEADER_LEN;
}

enum err
log_group_stage(struct log_group *g, const struct log_record *r)
{
	uint8_t frame[LOG_RECORD_FRAME_MAX];
	struct wire_out o = wire_out(frame, sizeof frame);

	g->staged_len = 0;
	log_frame_put_record(&o, r);
	if (o.failed)
		return ERR_INVALID_ARGUMENT;
	if (g->n == LOG_GROUP_RECORDS_MAX || o.len > LOG_GROUP_BYTES_MAX - g->len)
		return ERR_BUSY;
	memcpy(frames(g) + g->len, frame, o.len);
	g->staged_len = o.len;
	return OK;
}

size_t
log_group_need(const struct log_group *g)
{
	return g->len + g->staged_len + LOG_COMMIT_FRAME_LEN;
}

static struct span
leaf(const struct log_group *g, uint32_t i)
{
	return (struct span){ frames(g) + g->leaf_at[i], g->leaf_len[i] };
}

void
log_group_add(struct log_group *g)
{
	g->leaf_at[g->n] = (uint32_t)(g->len + LOG_RECORD_HEAD_LEN);
	g->leaf_len[g->n] = (uint32_t)(g->staged_len - LOG_RECORD_HEAD_LEN);
	merkle_leaf(leaf(g, g->n), g->leaf_hash[g->n]);
	g->n++;
	g->len += g->staged_len;
	g->staged_len = 0;
}

void
log_group_unstage(struct log_group *g)
{
	g->staged_len = 0;
}

enum err
log_group_grow(const struct log_group *g, struct merkle *tree)
{
	uint8_t again[SHA256_LEN];

	for (uint32_t i = 0; i < g->n; i++) {
		merkle_leaf(leaf(g, i), again);
		if (memcmp(again, g->leaf_hash[i], sizeof again) != 0)
			return ERR_AUDIT_UNAVAILABLE;
		merkle_add(tree, again);
	}
	return OK;
}

struct span
log_group_records(const struct log_group *g)
{
	return (struct span){ frames(g), g->len };
}

struct span
log_group_bytes(struct log_group *g, const struct segment_header *header, const struct log_commit *c)
{
	struct wire_out head = wire_out(g->buf, SEGMENT_HEADER_LEN);
	struct wire_out tail = wire_out(frames(g) + g->len, LOG_COMMIT_FRAME_LEN);

	log_frame_put_commit(&tail, c);
	if (header != NULL)
		segment_header_put(&head, header);
	return (struct span){ frames(g) - head.len, head.len + g->len + tail.len };
}

void
log_group_clear(struct log_group *g)
{
	g->len = g->staged_len = 0;
	g->n = 0;
}
