#include <stdlib.h>
#include <string.h>

#include "escrow/deposit.h"
#include "escrow/keys.h"
#include "gateway/writer.h"
#include "mailbox/clock.h"

/* So many chunks are on their way at a time: the disk's sync is shared among them. */
#define WINDOW 16

#define SMALL_MAX      ((uint64_t)1 << 20)
#define CREDENTIAL_MAX ((uint64_t)64 << 10)

struct writer {
	struct client      *client;       /* borrowed */
	struct revision_row row;
	uint64_t            index;        /* of the record that brought its keys */
	enum publish_mode   mode;
	struct uuid         settles;      /* a proposal */
	bool                proposes;
	struct key         *revision_key; /* owned */
	struct key         *chunk;        /* owned; of the piece being sealed */
	struct secret      *plain;        /* owned; the chunk being filled */
	size_t              n_plain;
	uint32_t            n_sent;
	unsigned            in_flight;
	bool                published;
	uint8_t             sealed[CHUNK_LEN + SEAL_OVERHEAD];
};

static uint64_t
limit_of(enum kind kind)
{
	switch (kind) {
	case KIND_FILE:
		return FILE_LEN_MAX;
	case KIND_CREDENTIAL:
		return CREDENTIAL_MAX;
	case KIND_MEMORY:
	case KIND_CARD:
		break;
	}
	return SMALL_MAX;
}

static enum err
ask_keys(struct client *c, const struct client_want *want, struct writer *w)
{
	struct client_answer *a = NULL;
	enum err e = client_ask(c, want, &a);

	if (e != OK)
		return e;
	w->row.vault = want->vault;
	w->row.asset = a->asset;
	w->row.revision = a->revision;
	w->index = a->index;
	w->row.created = clock_wall();
	w->revision_key = a->revision_key;
	a->revision_key = NULL;
	client_answer_free(&a);
	return OK;
}

static enum err
begin(struct client *c, const struct writer_want *want, struct writer *w)
{
	struct client_want ask = { .op = OP_WRITE_ASSET, .surface = SURFACE_OWNER, .vault = want->vault,
		.asset = want->asset, .kind = want->kind, .is_private = want->is_private };
	enum err e;

	if (want->token != NULL) {
		ask.op = OP_PROPOSE;
		ask.surface = SURFACE_STDIO;
		ask.token = want->token;
		ask.grant_type = GRANT_ORDINARY;
	}
	if (want->n_parents > REVISION_PARENTS_MAX)
		return ERR_INVALID_ARGUMENT;
	if ((e = key_new(&w->chunk)) != OK || (e = secret_new(CHUNK_LEN, &w->plain)) != OK ||
	    (e = ask_keys(c, &ask, w)) != OK)
		return e;
	w->row.kind = want->kind;
	w->row.key_class = class_of(want->kind, want->is_private);
	w->row.deleted = want->deleted;
	w->row.asset_created = uuid_is_zero(want->asset) ? w->row.created : want->asset_created;
	w->row.n_parents = (uint16_t)want->n_parents;
	memcpy(w->row.parents, want->parents, want->n_parents * sizeof *want->parents);
	w->mode = want->mode;
	w->settles = want->proposal;
	w->proposes = want->token != NULL;
	return OK;
}

enum err
writer_open(struct client *c, const struct writer_want *want, struct writer **out)
{
	struct writer *w = calloc(1, sizeof *w);
	enum err e;

	if (w == NULL)
		return ERR_NO_MEMORY;
	w->client = c;
	if ((e = begin(c, want, w)) != OK) {
		writer_close(&w);
		return e;
	}
	*out = w;
	return OK;
}

/* Seals a piece under its own key into out, of plain.len + SEAL_OVERHEAD bytes. */
static struct span
seal_piece(struct writer *w, enum part part, uint32_t index, bool last, struct span row,
    struct span plain, uint8_t *out)
{
	uint8_t buf[PIECE_BINDING_MAX];

	chunk_key(w->revision_key, part, index, w->chunk);
	seal(w->chunk->b, piece_binding(part, w->row.asset, w->row.revision, index, last, row, buf), plain, out);
	return (struct span){ out, plain.len + SEAL_OVERHEAD };
}

static enum err
wait_for(struct writer *w, unsigned at_most)
{
	enum err e = OK;

	while (w->in_flight > at_most && e == OK) {
		e = client_wait_done(w->client);
		w->in_flight--;
	}
	return e;
}

static enum err
send_chunk(struct writer *w, bool last)
{
	struct chunk_put_body put = { .revision = w->row.revision, .index = w->n_sent };
	struct span plain = { secret_view(w->plain), w->n_plain };
	enum err e;

	put.sealed = seal_piece(w, PART_CONTENT, w->n_sent, last, (struct span){ NULL, 0 }, plain, w->sealed);
	if ((e = wait_for(w, WINDOW - 1)) != OK || (e = client_send(w->client, MSG_CHUNK_PUT, &put)) != OK)
		return e;
	w->in_flight++;
	w->n_sent++;
	w->row.bytes += w->n_plain;
	w->n_plain = 0;
	return OK;
}

enum err
writer_add(struct writer *w, const void *p, size_t len)
{
	const uint8_t *from = p;
	enum err e;

	if (w->row.deleted)
		return ERR_INVALID_ARGUMENT;
	if (len > limit_of(w->row.kind) - w->row.bytes - w->n_plain)
		return ERR_TOO_LARGE;
	while (len > 0) {
		size_t n = CHUNK_LEN - w->n_plain < len ? CHUNK_LEN - w->n_plain : len;

		/* Which chunk is the last is known only when no more comes: a full one waits. */
		if (n == 0) {
			if ((e = send_chunk(w, false)) != OK)
				return e;
			continue;
		}
		memcpy(secret_bytes(w->plain) + w->n_plain, from, n);
		w->n_plain += n;
		from += n;
		len -= n;
	}
	return OK;
}

static enum err
put_revision(struct writer *w, struct span title, struct span meta)
{
	uint8_t row[REVISION_ROW_MAX], total[8], head[sizeof total + SEAL_OVERHEAD];
	uint8_t sealed_title[TITLE_LEN_MAX + SEAL_OVERHEAD], sealed_meta[META_LEN_MAX + SEAL_OVERHEAD];
	struct wire_out row_out = wire_out(row, sizeof row), total_out = wire_out(total, sizeof total);
	struct revision_put_body put = { .mode = (uint8_t)w->mode, .proposal = w->settles };
	struct proposal_put_body proposal;
	union any_body answer;

	revision_row_put(&row_out, &w->row);
	wire_put_u64(&total_out, w->row.bytes);
	put.row = wire_written(&row_out);
	put.sealed_head = seal_piece(w, PART_HEAD, 0, false, put.row, wire_written(&total_out), head);
	put.sealed_title = seal_piece(w, PART_TITLE, 0, false, put.row, title, sealed_title);
	put.sealed_meta = seal_piece(w, PART_META, 0, false, put.row, meta, sealed_meta);
	if (!w->proposes)
		return client_call(w->client, MSG_REVISION_PUT, &put, MSG_DONE, &answer);
	proposal = (struct proposal_put_body){ .row = put.row, .sealed_head = put.sealed_head,
		.sealed_title = put.sealed_title, .sealed_meta = put.sealed_meta };
	return client_call(w->client, MSG_PROPOSAL_PUT, &proposal, MSG_DONE, &answer);
}

enum err
writer_publish(struct writer *w, struct span title, struct span meta, struct uuid *asset, struct uuid *revision)
{
	enum err e;

	if (title.len > TITLE_LEN_MAX || meta.len > META_LEN_MAX)
		return ERR_TOO_LARGE;
	if (!w->row.deleted && ((e = send_chunk(w, true)) != OK || (e = wait_for(w, 0)) != OK))
		return e;
	if ((e = put_revision(w, title, meta)) != OK)
		return e;
	w->published = true;
	*asset = w->row.asset;
	*revision = w->row.revision;
	return OK;
}

uint64_t
writer_index(const struct writer *w)
{
	return w->index;
}

void
writer_close(struct writer **w)
{
	union any_body answer;

	if (*w == NULL)
		return;
	if (!(*w)->published && (*w)->n_sent > 0) {
		/* If this fails too, the daemon sweeps at its next start. */
		(void)wait_for(*w, 0);
		(void)client_call((*w)->client, MSG_DISCARD_PUT, &(struct one_id_body){ (*w)->row.revision }, MSG_DONE, &answer);
	}
	key_free(&(*w)->revision_key);
	key_free(&(*w)->chunk);
	secret_free(&(*w)->plain);
	wipe(*w, sizeof **w);
	free(*w);
	*w = NULL;
}

/* A name is sealed like a revision of the vault itself. */
static enum err
put_name(struct client *c, struct uuid vault, struct span name)
{
	struct client_want want = { .op = OP_WRITE_NAME, .surface = SURFACE_OWNER, .vault = vault };
	struct writer w = { .client = c };
	uint8_t sealed[NAME_LEN_MAX + SEAL_OVERHEAD];
	struct name_put_body put;
	union any_body answer;
	enum err e;

	if ((e = key_new(&w.chunk)) == OK && (e = ask_keys(c, &want, &w)) == OK) {
		put = (struct name_put_body){ .vault = vault, .revision = w.row.revision,
			.created_wall_ms = w.row.created.ms };
		put.sealed = seal_piece(&w, PART_NAME, 0, false, (struct span){ NULL, 0 }, name, sealed);
		e = client_call(c, MSG_NAME_PUT, &put, MSG_DONE, &answer);
	}
	key_free(&w.chunk);
	key_free(&w.revision_key);
	return e;
}

static bool
name_fits(struct span name)
{
	return name.len >= 1 && name.len <= NAME_LEN_MAX;
}

/* Keys for the vault's classes first, then its name. */
enum err
writer_make_vault(struct client *c, struct span name, struct uuid *vault)
{
	union any_body answer;
	struct uuid made;
	enum err e;

	if (!name_fits(name))
		return ERR_INVALID_ARGUMENT;
	if ((e = client_call(c, MSG_VAULT_ASK, &(struct owner_ask_body){ { 0 } }, MSG_DONE, &answer)) != OK)
		return e;
	made = answer.made.id;
	if ((e = put_name(c, made, name)) == OK)
		*vault = made;
	return e;
}

enum err
writer_rename_vault(struct client *c, struct uuid vault, struct span name)
{
	return name_fits(name) ? put_name(c, vault, name) : ERR_INVALID_ARGUMENT;
}
