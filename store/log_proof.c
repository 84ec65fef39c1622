#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/log_proof.h"

void
log_proof_free(struct log_proof *p)
{
	log_checkpoint_free(&p->checkpoint);
}

static void
print_base64(FILE *out, struct span bytes)
{
	char text[BASE64_PADDED_LEN(LOG_LEAF_MAX) + 1];

	base64_encode_padded(bytes, text);
	fwrite(text, 1, BASE64_PADDED_LEN(bytes.len), out);
	fputc('\n', out);
}

static void
print_hashes(FILE *out, const struct merkle_proof *p)
{
	for (size_t i = 0; i < p->n; i++)
		print_base64(out, (struct span){ p->hashes[i], SHA256_LEN });
	fputc('\n', out);
}

static void
print_inclusion(FILE *out, const struct log_proof *p)
{
	fprintf(out, "c2sp.org/tlog-proof@v1\nextra ");
	print_base64(out, (struct span){ p->leaf, p->leaf_len });
	fprintf(out, "index %" PRIu64 "\n", p->index);
	print_hashes(out, &p->proof);
	fwrite(p->checkpoint.bytes, 1, p->checkpoint.len, out);
}

static void
print_consistency(FILE *out, const struct log_proof *p)
{
	struct log_note n = p->checkpoint.note;
	char text[LOG_NOTE_TEXT_MAX + 1];

	fprintf(out, "old %" PRIu64 "\n", p->old);
	print_hashes(out, &p->proof);
	if (p->size == n.size) {
		fwrite(p->checkpoint.bytes, 1, p->checkpoint.len, out);
		return;
	}
	n.size = p->size;
	memcpy(n.root, p->root, sizeof n.root);
	log_note_text(&n, text);
	fputs(text, out);
}

enum err
log_proof_text(const struct log_proof *p, char **text)
{
	char *made = NULL;
	size_t len;
	FILE *out = open_memstream(&made, &len);

	if (out == NULL)
		return ERR_NO_MEMORY;
	if (p->leaf_len > 0)
		print_inclusion(out, p);
	else
		print_consistency(out, p);
	if (ferror(out) | fclose(out)) {
		free(made);
		return ERR_NO_MEMORY;
	}
	*text = made;
	return OK;
}
