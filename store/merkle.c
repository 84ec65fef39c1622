#include <string.h>

#include "store/merkle.h"

static void
tagged(uint8_t tag, struct span a, struct span b, uint8_t out[SHA256_LEN])
{
	struct sha256 h;

	sha256_start(&h);
	sha256_add(&h, &tag, 1);
	sha256_add(&h, a.p, a.len);
	sha256_add(&h, b.p, b.len);
	sha256_end(&h, out);
}

void
merkle_join(const uint8_t left[SHA256_LEN], const uint8_t right[SHA256_LEN], uint8_t out[SHA256_LEN])
{
	tagged(1, (struct span){ left, SHA256_LEN }, (struct span){ right, SHA256_LEN }, out);
}

void
merkle_leaf(struct span leaf, uint8_t out[SHA256_LEN])
{
	static const uint8_t nothing;

	tagged(0, leaf, (struct span){ &nothing, 0 }, out);
}

void
merkle_add_seen(struct merkle *m, const uint8_t leaf_hash[SHA256_LEN], merkle_seen *seen, void *arg)
{
	uint8_t h[SHA256_LEN];
	unsigned i;

	memcpy(h, leaf_hash, sizeof h);
	for (i = 0; m->size >> i & 1; i++) {
		if (seen != NULL)
			seen(arg, i, m->size >> i, h);
		merkle_join(m->peaks[i], h, h);
	}
	if (seen != NULL)
		seen(arg, i, m->size >> i, h);
	memcpy(m->peaks[i], h, sizeof h);
	m->size++;
}

void
merkle_add(struct merkle *m, const uint8_t leaf_hash[SHA256_LEN])
{
	merkle_add_seen(m, leaf_hash, NULL, NULL);
}

void
merkle_root(const struct merkle *m, uint8_t out[SHA256_LEN])
{
	bool begun = false;

	if (m->size == 0)
		sha256("", 0, out);
	for (size_t i = 0; i < 64; i++) {
		if (!(m->size >> i & 1))
			continue;
		if (begun)
			merkle_join(m->peaks[i], out, out);
		else
			memcpy(out, m->peaks[i], SHA256_LEN);
		begun = true;
	}
}
