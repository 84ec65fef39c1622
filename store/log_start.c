#include <stdlib.h>
#include <string.h>

#include "store/log_seal.h"
#include "store/log_start.h"

/* What was anchored must be met on the walk, or be where it begins. */
static bool
anchor_allows(const struct log_check *k, const struct log_chain *chain)
{
	uint8_t root[SHA256_LEN];

	if (!k->has_anchor || k->anchor.size > chain->size)
		return true;
	merkle_root(&chain->tree, root);
	return k->anchor.size == chain->size && memcmp(root, k->anchor.root, sizeof root) == 0;
}

static bool
segments_stand(int seg_fd, const struct log_seal *seal)
{
	uint8_t found[SHA256_LEN];

	return log_seal_segments(seg_fd, seal->segment, found) &&
	    memcmp(found, seal->segments, sizeof found) == 0;
}

struct next_record {
	const uint8_t *hash;
	bool           names_it;
};

static bool
look_at_rotation(void *arg, const struct log_record *r)
{
	struct next_record *next = arg;
	struct log_rotation rotation;
	struct cert c;

	next->names_it = log_check_take_rotation(r, &rotation, &c) &&
	    memcmp(rotation.seal_hash, next->hash, SHA256_LEN) == 0;
	return false;
}

/* The next group is a rotation that names the seal, and follows from it in every way, its signature too. */
static bool
rotation_follows(const struct log_scan *s, const struct log_seal *seal, const uint8_t hash[SHA256_LEN])
{
	struct next_record next = { .hash = hash };
	struct log_check k = { .depth = LOG_CHECK_FULL, .log_public = s->check->log_public,
	    .each = look_at_rotation, .arg = &next, .chain = seal->chain };
	struct log_scan probe = { .seg_fd = s->seg_fd, .check = &k, .owner = true, .has_library = true,
	    .library = s->library, .from_segment = seal->segment, .from = seal->end };

	return log_scan(&probe) == OK && !k.broken && next.names_it && k.chain.size == seal->chain.size + 1;
}

static bool
start_from(const struct log_settings *settings, struct log_scan *s, const struct log_seal *seal,
    const uint8_t hash[SHA256_LEN])
{
	if (!anchor_allows(s->check, &seal->chain) || !segments_stand(s->seg_fd, seal) ||
	    !rotation_follows(s, seal, hash) || !settings->unseal(settings->arg, seal->state))
		return false;
	s->check->chain = seal->chain;
	s->from_segment = seal->segment;
	s->from = seal->end;
	return true;
}

void
log_start(const struct log_settings *settings, const struct log_dir *dir, struct log_scan *s)
{
	uint64_t sizes[LOG_SEAL_KEPT + 1];
	bool started = settings->unseal == NULL;

	log_seal_list(dir->seal_fd, sizes);
	for (size_t i = 0; i < LOG_SEAL_KEPT + 1 && sizes[i] != 0 && !started; i++) {
		uint8_t *bytes = NULL, hash[SHA256_LEN];
		struct log_seal seal;
		size_t len;

		if (log_seal_read(dir->seal_fd, sizes[i], &bytes, &len, hash) != OK)
			continue;
		started = log_seal_take((struct span){ bytes, len }, settings->log_public, &seal) &&
		    seal.chain.size == sizes[i] && start_from(settings, s, &seal, hash);
		free(bytes);
	}
}
