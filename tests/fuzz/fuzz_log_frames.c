/*
 * What a hostile log can hold: a segment image through the walk's own steps,
 * and one leaf, alone and inside a group whose commit is right.
 */
#include <string.h>

#include "store/log_check.h"
#include "store/log_key.h"
#include "store/segment.h"
#include "tests/fuzz/fuzz_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct signer *epoch_key;

static void
ready(void)
{
	if (epoch_key == NULL)
		epoch_key = fuzz_signer(1);
}

static bool
reads_it_all(void *arg, const struct log_record *r)
{
	uint64_t *sum = arg;

	for (size_t i = 0; i < r->n_refs; i++)
		*sum += log_record_ref(r, i).asset.b[0];
	for (size_t i = 0; i < r->sealed.len; i++)
		*sum += r->sealed.p[i];
	*sum += strlen(r->reason) + strlen(log_type_name(r->type));
	return true;
}

static void
walk_image(struct span image, enum log_check_depth depth)
{
	uint64_t sum = 0;
	struct log_check k = { .depth = depth, .log_public = signer_public(epoch_key),
	    .each = reads_it_all, .arg = &sum };
	struct log_frame_group g;
	struct segment_header h;
	enum log_held held = LOG_HOLDS;

	if (segment_header_take(image, &h) == SEGMENT_GOOD && h.first < 1000) {
		k.chain.size = h.first;
		memcpy(k.chain.previous, h.previous, sizeof h.previous);
		image.p += SEGMENT_HEADER_LEN;
		image.len -= SEGMENT_HEADER_LEN;
	}
	while (held == LOG_HOLDS && log_frame_find_group(image, &g)) {
		must(g.len <= image.len && g.records.len <= LOG_GROUP_BYTES_MAX);
		held = log_check_group(&k, &g);
		image.p += g.len;
		image.len -= g.len;
	}
	(void)log_frame_later_commit(image, k.chain.size);
	(void)log_check_end(&k);
}

static void
take_leaf(struct span leaf)
{
	static uint8_t again[LOG_LEAF_MAX];
	struct wire_out o = wire_out(again, sizeof again);
	struct wire_in in = wire_in(leaf.p, leaf.len);
	struct log_record r;

	log_record_take(&in, &r);
	if (in.failed)
		return;
	log_record_put(&o, &r);
	must(!o.failed && o.len == leaf.len && memcmp(again, leaf.p, leaf.len) == 0);
}

/* A group of leaves of the input, with everything in its commit as it should be but the root. */
static void
walk_group(struct span input)
{
	static uint8_t buf[64 << 10];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct log_commit c = { .count = 0 };
	struct wire_in in = wire_in(input.p, input.len);
	struct merkle tree = { .size = 0 };
	uint8_t hash[SHA256_LEN];

	c.epoch = wire_take_id(&in);
	c.flags = wire_take_u8(&in) & 1;
	while (in.len > 0 && !in.failed && c.count < 20) {
		struct span leaf = wire_take_raw(&in, wire_take_u16(&in) % 1024);

		wire_put_bytes(&o, "ARC1", 4);
		wire_put_span(&o, leaf);
		merkle_leaf(leaf, hash);
		merkle_add(&tree, hash);
		c.count++;
	}
	c.size = c.count;
	merkle_root(&tree, c.root);
	sha256(o.p, o.len, c.bytes_hash);
	log_commit_sign(&c, epoch_key);
	log_frame_put_commit(&o, &c);
	if (!o.failed && !in.failed)
		walk_image(wire_written(&o), LOG_CHECK_FULL);
}

static void
take_small_files(struct span text)
{
	char origin[LOG_ORIGIN_MAX + 1];
	uint8_t key[SIGN_PUBLIC_LEN];
	struct wire_in in = wire_in(text.p, text.len);
	struct log_anchor a;

	(void)log_key_parse(text, origin, key);
	log_anchor_take(&in, &a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span rest;

	ready();
	if (size == 0)
		return 0;
	rest = (struct span){ data + 1, size - 1 };
	switch (data[0] % 4) {
	case 0:
		walk_image(rest, data[0] & 4 ? LOG_CHECK_CHAIN : LOG_CHECK_FAST);
		break;
	case 1:
		take_leaf(rest);
		break;
	case 2:
		walk_group(rest);
		break;
	case 3:
		take_small_files(rest);
		break;
	}
	return 0;
}
