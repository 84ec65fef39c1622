/* audit prove and consistency: proofs that anybody can check, from the log's files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/log_prove.h"
#include "tools/command/command.h"

static void
write_proof(struct json_writer *w, const struct log_proof *p)
{
	char text[HASH_TEXT_LEN + 1];

	json_write_key(w, "proof");
	json_write_array(w);
	for (size_t i = 0; i < p->proof.n; i++) {
		hash_text(p->proof.hashes[i], text);
		json_write_text(w, text);
	}
	json_write_end(w);
	json_member_string(w, "checkpoint", (struct span){ p->checkpoint.bytes, p->checkpoint.len });
}

static void
write_inclusion(struct json_writer *w, const struct log_proof *p)
{
	json_write_object(w);
	json_member_u64(w, "index", p->index);
	json_write_key(w, "leaf");
	json_write_base64(w, (struct span){ p->leaf, p->leaf_len });
	json_member_u64(w, "size", p->checkpoint.note.size);
	member_hash(w, "root", p->checkpoint.note.root);
	write_proof(w, p);
	json_write_end(w);
}

static void
write_consistency(struct json_writer *w, const struct log_proof *p)
{
	json_write_object(w);
	json_member_u64(w, "old", p->old);
	member_hash(w, "old_root", p->old_root);
	json_member_u64(w, "size", p->size);
	member_hash(w, "root", p->root);
	write_proof(w, p);
	json_write_end(w);
}

static enum err
print_proof(const struct invocation *in, const struct log_proof *p)
{
	struct json_writer w = { 0 };
	char *text;
	enum err e;

	if (in->json) {
		if (p->leaf_len > 0)
			write_inclusion(&w, p);
		else
			write_consistency(&w, p);
		return print_json(&w);
	}
	if ((e = log_proof_text(p, &text)) != OK)
		return e;
	e = print_bytes((struct span){ (const uint8_t *)text, strlen(text) });
	free(text);
	return e;
}

/* The log that a positional names, or the home's, where a cache may be kept. *key is freed by the caller. */
static enum err
take_options(const struct invocation *in, size_t i, struct log_prove_options *o, char **key)
{
	bool own = in->n_positionals <= i;
	enum err e = given_path(in, option_value(in, "--key"), key);

	*o = (struct log_prove_options){ .dir = own ? HOME_LOG : in->positionals[i], .key_file = *key, .cache = own };
	return e;
}

static enum err
finish(struct invocation *in, const char *log_dir, enum err e, uint64_t wanted, struct log_proof *p)
{
	if (e == OK) {
		e = print_proof(in, p);
		log_proof_free(p);
	} else if (e == ERR_OFFSET_OUT_OF_RANGE) {
		snprintf(in->detail, sizeof in->detail, "%" PRIu64 " is not within the %" PRIu64 " records of the newest "
		    "checkpoint; `memories audit checkpoint` makes a newer one", wanted, p->checkpoint.note.size);
		log_proof_free(p);
	} else {
		explain_checkpoint(in, log_dir, e);
	}
	return e;
}

enum err
run_audit_prove(struct invocation *in)
{
	struct log_prove_options o;
	struct log_proof p;
	uint64_t index;
	char *key;
	enum err e;

	if ((e = positional_u64(in, 0, "INDEX", 0, &index)) != OK || (e = take_options(in, 1, &o, &key)) != OK)
		return e;
	e = finish(in, o.dir, log_prove_inclusion(&o, index, &p), index, &p);
	free(key);
	return e;
}

enum err
run_audit_consistency(struct invocation *in)
{
	struct log_prove_options o;
	struct log_proof p;
	uint64_t old, size;
	char *key;
	enum err e;

	if ((e = positional_u64(in, 0, "OLD", 1, &old)) != OK || (e = positional_u64(in, 1, "NEW", old, &size)) != OK ||
	    (e = take_options(in, 2, &o, &key)) != OK)
		return e;
	e = finish(in, o.dir, log_prove_consistency(&o, old, size, &p), size, &p);
	free(key);
	return e;
}
