#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/log_export.h"
#include "store/log_prove.h"
#include "store/log_read.h"
#include "store/log_tile_read.h"
#include "store/merkle_pick.h"

/* Makes a proof of one kind from the nodes. ERR_AUDIT_TAMPERED: it does not hold under the checkpoint. */
typedef enum err prove(const struct merkle_source *s, struct log_proof *p);

static enum err
inclusion(const struct merkle_source *s, struct log_proof *p)
{
	const struct log_note *n = &p->checkpoint.note;
	enum err e = merkle_inclusion(s, p->index, n->size, &p->proof);
	uint8_t hash[SHA256_LEN];

	if (e != OK)
		return e;
	merkle_leaf((struct span){ p->leaf, p->leaf_len }, hash);
	return merkle_inclusion_holds(&p->proof, p->index, n->size, hash, n->root) ? OK : ERR_AUDIT_TAMPERED;
}

static enum err
consistency(const struct merkle_source *s, struct log_proof *p)
{
	const struct log_note *n = &p->checkpoint.note;
	uint8_t root[SHA256_LEN];
	enum err e;

	if ((e = merkle_source_root(s, p->old, p->old_root)) != OK ||
	    (e = merkle_source_root(s, p->size, p->root)) != OK ||
	    (e = merkle_source_root(s, n->size, root)) != OK ||
	    (e = merkle_consistency(s, p->old, p->size, &p->proof)) != OK)
		return e;
	if (memcmp(root, n->root, sizeof root) != 0)
		return ERR_AUDIT_TAMPERED;
	return merkle_consistency_holds(&p->proof, p->old, p->size, p->old_root, p->root) ? OK : ERR_AUDIT_TAMPERED;
}

static enum err
from_tiles(const char *dir, prove *make, struct log_proof *p)
{
	struct log_tile_reader reader = { open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), p->checkpoint.note.size };
	struct merkle_source s = { log_tile_read_node, &reader };
	enum err e;

	if (reader.dir_fd < 0)
		return ERR_FILE_UNREADABLE;
	e = make(&s, p);
	close(reader.dir_fd);
	return e;
}

/* The records of a log up to its checkpoint. */
struct pass {
	struct merkle_pick *pick;
	uint64_t            size;
	enum err            e;
};

static bool
pick_record(void *arg, const struct log_record *r)
{
	static uint8_t buf[LOG_LEAF_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct pass *pass = arg;
	uint8_t hash[SHA256_LEN];

	if (r->index != pass->pick->tree.size)
		pass->e = ERR_AUDIT_TAMPERED;
	if (pass->e != OK || r->index == pass->size)
		return false;
	log_record_put(&o, r);
	merkle_leaf(wire_written(&o), hash);
	merkle_pick_add(pass->pick, hash);
	return true;
}

static enum err
from_records(const char *dir, prove *make, struct log_proof *p)
{
	struct merkle_pick *pick = calloc(1, sizeof *pick);
	struct merkle_source s = { merkle_pick_node, pick };
	struct pass pass = { pick, p->checkpoint.note.size, OK };
	enum err e;

	if (pick == NULL)
		return ERR_NO_MEMORY;
	/* Notes the nodes: of zeros, it cannot hold. */
	e = make(&s, p) == ERR_INTERNAL ? ERR_INTERNAL : log_walk(dir, 0, pick_record, &pass);
	if (e == OK)
		e = pass.e != OK ? pass.e : make(&s, p);
	free(pick);
	return e == ERR_NOT_FOUND ? ERR_AUDIT_TAMPERED : e;
}

static bool
keep_leaf(void *arg, const struct log_record *r)
{
	struct log_proof *p = arg;
	struct wire_out o = wire_out(p->leaf, sizeof p->leaf);

	if (r->index == p->index)
		log_record_put(&o, r);
	p->leaf_len = o.len;
	return false;
}

static enum err
run(const struct log_prove_options *o, prove *make, struct log_proof *p)
{
	for (int anew = 0; o->cache && anew < 2; anew++)
		if (log_export_cache(o->dir, anew) == OK && from_tiles(o->dir, make, p) == OK)
			return OK;
	/* Somebody else's tiles may do; if not, the log itself. */
	return from_tiles(o->dir, make, p) == OK ? OK : from_records(o->dir, make, p);
}

static enum err
start(const struct log_prove_options *o, struct log_proof *p)
{
	uint8_t log_public[SIGN_PUBLIC_LEN];

	return log_checkpoint_newest(o->dir, o->key_file, &p->checkpoint, log_public);
}

static enum err
finish(enum err e, struct log_proof *p, struct log_proof *out)
{
	if (e == OK || e == ERR_OFFSET_OUT_OF_RANGE)
		*out = *p;
	else
		log_proof_free(p);
	return e;
}

enum err
log_prove_inclusion(const struct log_prove_options *o, uint64_t index, struct log_proof *out)
{
	struct log_proof p = { .index = index };
	enum err e = start(o, &p);

	if (e != OK)
		return e;
	if (index >= p.checkpoint.note.size)
		e = ERR_OFFSET_OUT_OF_RANGE;
	else if ((e = log_walk(o->dir, index, keep_leaf, &p)) == OK)
		e = p.leaf_len == 0 ? ERR_AUDIT_TAMPERED : run(o, inclusion, &p);
	return finish(e, &p, out);
}

enum err
log_prove_consistency(const struct log_prove_options *o, uint64_t old, uint64_t size, struct log_proof *out)
{
	struct log_proof p = { .old = old, .size = size };
	enum err e = start(o, &p);

	if (e != OK)
		return e;
	e = size > p.checkpoint.note.size ? ERR_OFFSET_OUT_OF_RANGE : run(o, consistency, &p);
	return finish(e, &p, out);
}
