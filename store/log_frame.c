#include <string.h>

#include "store/log_frame.h"

#define MAGIC_LEN 4
static const char record_magic[] = "ARC1";
static const char commit_magic[] = "ACM1";

static bool
starts_with(const struct wire_in *in, const char *magic)
{
	return in->len >= MAGIC_LEN && memcmp(in->p, magic, MAGIC_LEN) == 0;
}

void
log_frame_put_record(struct wire_out *o, const struct log_record *r)
{
	size_t start = o->len, leaf_start;
	struct wire_out length;

	wire_put_bytes(o, record_magic, MAGIC_LEN);
	wire_put_u32(o, 0);
	leaf_start = o->len;
	log_record_put(o, r);
	if (o->failed) {
		o->len = start;
		return;
	}
	length = wire_out(o->p + leaf_start - 4, 4);
	wire_put_u32(&length, (uint32_t)(o->len - leaf_start));
}

void
log_frame_put_commit(struct wire_out *o, const struct log_commit *c)
{
	wire_put_bytes(o, commit_magic, MAGIC_LEN);
	log_commit_put(o, c);
}

struct span
log_frame_take_record(struct wire_in *in)
{
	struct span nothing = { NULL, 0 };

	if (in->failed || !starts_with(in, record_magic)) {
		in->failed = true;
		return nothing;
	}
	wire_take_raw(in, MAGIC_LEN);
	return wire_take_span(in, LOG_LEAF_MAX);
}

bool
log_frame_find_group(struct span bytes, struct log_frame_group *out)
{
	struct wire_in in = wire_in(bytes.p, bytes.len);
	struct wire_in commit;

	memset(out, 0, sizeof *out);
	while (starts_with(&in, record_magic)) {
		log_frame_take_record(&in);
		if (in.failed || ++out->n_records > LOG_GROUP_RECORDS_MAX)
			return false;
	}
	out->records = (struct span){ bytes.p, bytes.len - in.len };
	if (out->n_records == 0 || out->records.len > LOG_GROUP_BYTES_MAX ||
	    !starts_with(&in, commit_magic))
		return false;
	wire_take_raw(&in, MAGIC_LEN);
	out->signed_commit = wire_take_raw(&in, LOG_COMMIT_LEN);
	commit = wire_in(out->signed_commit.p, out->signed_commit.len);
	log_commit_take(&commit, &out->commit);
	out->len = bytes.len - in.len;
	out->followed = starts_with(&in, record_magic);
	return wire_done(&commit);
}

bool
log_frame_commit_at(struct span bytes, size_t at, struct log_commit *out)
{
	struct wire_in in = wire_in(bytes.p + at, bytes.len - at);

	if (!starts_with(&in, commit_magic))
		return false;
	wire_take_raw(&in, MAGIC_LEN);
	log_commit_take(&in, out);
	return !in.failed;
}

bool
log_frame_next_commit(struct span bytes, size_t *at, struct log_commit *out)
{
	const uint8_t *p = bytes.p + *at, *end = bytes.p + bytes.len;

	for (; p < end && (p = memmem(p, (size_t)(end - p), commit_magic, MAGIC_LEN)) != NULL; p++)
		if (log_frame_commit_at(bytes, (size_t)(p - bytes.p), out)) {
			*at = (size_t)(p - bytes.p);
			return true;
		}
	return false;
}

bool
log_frame_last_commit(struct span bytes, size_t *at, struct log_commit *out)
{
	const uint8_t *p;

	for (size_t len = *at; (p = memrchr(bytes.p, commit_magic[0], len)) != NULL; len = (size_t)(p - bytes.p))
		if (log_frame_commit_at(bytes, (size_t)(p - bytes.p), out)) {
			*at = (size_t)(p - bytes.p);
			return true;
		}
	return false;
}

bool
log_frame_later_commit(struct span bytes, uint64_t size)
{
	struct log_commit c;

	for (size_t at = 0; log_frame_next_commit(bytes, &at, &c); at++)
		if (c.first > size)
			return true;
	return false;
}
