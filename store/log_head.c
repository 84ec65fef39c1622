#include <string.h>

#include "store/log_folder.h"
#include "store/log_head.h"
#include "store/log_scan.h"

void
log_head_put(struct wire_out *o, const struct log_head *h)
{
	wire_put_u32(o, h->repairs);
	wire_put_u64(o, h->size);
	wire_put_bytes(o, h->root, sizeof h->root);
}

void
log_head_take(struct wire_in *in, struct log_head *out)
{
	out->repairs = wire_take_u32(in);
	out->size = wire_take_u64(in);
	wire_take_bytes(in, out->root, sizeof out->root);
}

void
log_repaired_put(struct wire_out *o, const struct log_repaired *r)
{
	wire_put_u32(o, r->repairs);
	wire_put_u64(o, r->found.size);
	wire_put_bytes(o, r->found.root, SHA256_LEN);
	wire_put_u64(o, r->lost.size);
	wire_put_bytes(o, r->lost.root, SHA256_LEN);
}

bool
log_repaired_take(struct span extra, struct log_repaired *out)
{
	struct wire_in in = wire_in(extra.p, extra.len);
	struct log_repaired r;

	r.repairs = wire_take_u32(&in);
	r.found.size = wire_take_u64(&in);
	wire_take_bytes(&in, r.found.root, SHA256_LEN);
	r.lost.size = wire_take_u64(&in);
	wire_take_bytes(&in, r.lost.root, SHA256_LEN);
	if (!wire_done(&in) || r.repairs == 0)
		return false;
	r.found.repairs = r.lost.repairs = r.repairs - 1;
	*out = r;
	return true;
}

bool
log_head_newer(const struct log_head *a, const struct log_head *b)
{
	return a->repairs != b->repairs ? a->repairs > b->repairs : a->size > b->size;
}

static bool
before(void *arg, const struct log_record *r)
{
	const uint64_t *last = arg;

	return r->index < *last;
}

enum err
log_head_find(const char *dir, uint64_t size, uint8_t root[SHA256_LEN])
{
	uint64_t last = size - 1;
	struct log_check k = { .depth = LOG_CHECK_CHAIN, .each = before, .arg = &last };
	struct log_scan s = { .check = &k };
	struct log_folder folder;
	enum err e;

	if (size == 0)
		return ERR_NOT_FOUND;
	if ((e = log_folder_open(dir, &folder)) != OK)
		return e;
	s.seg_fd = folder.seg_fd;
	e = log_scan_from(&s, last);
	log_folder_close(&folder);
	if (e != OK)
		return e;
	if (k.broken)
		return ERR_AUDIT_TAMPERED;
	if (!k.stopped || k.chain.size != size)
		return ERR_NOT_FOUND;
	memcpy(root, k.owed.root, SHA256_LEN);
	return OK;
}
