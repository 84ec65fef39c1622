#include <stdlib.h>
#include <string.h>

#include "actors/channels.h"
#include "actors/collect.h"
#include "escrow/binding.h"
#include "escrow/random.h"
#include "escrow/ticket.h"
#include "store/grants_db.h"
#include "store/log.h"
#include "store/log_commit.h"
#include "tools/bench_bound.h"

/* One answer that waits for the commit. */
struct waiting {
	uint8_t *items; /* owned */
	size_t   items_len, items_cap;
	uint16_t n_items;
	uint64_t index;
	size_t   ticket_len;
	uint8_t  ticket[TICKET_MAX];
};

struct bench_bound {
	const struct bench_home *home;
	struct grants_db   *grants;
	struct vault_db    *vault;
	struct collection  *collection;
	struct channels    *channels;
	struct key_pair     boot_pair;
	struct log         *log;
	uint8_t             log_public[SIGN_PUBLIC_LEN];
	struct welcome_body welcome;
	uint8_t             certificate[CERT_LEN], epoch_certificate[CERT_LEN];
	struct span         receipt;
	size_t              n;
	struct waiting      group[BENCH_BOUND_MAX];
};

static struct span
certify(const struct bench_bound *b, enum cert_purpose purpose, struct uuid context, const uint8_t subject[32],
    uint8_t buf[CERT_LEN], struct cert *c)
{
	struct wire_out o = wire_out(buf, CERT_LEN);

	cert_make(b->home->delegate, &b->home->delegation, purpose, context, subject, c);
	cert_put(&o, c);
	return wire_written(&o);
}

static void
open_log(struct bench_bound *b)
{
	struct log_settings settings = { .dir = "audit", .library = b->home->library, .log_public = b->log_public };
	struct boot_body *boot = &b->welcome.boot;
	const struct log_receipt *receipt;
	struct cert c;

	memcpy(b->log_public, signer_public(b->home->log_key), sizeof b->log_public);
	bench_must(log_open(&settings, &b->log), "log");
	boot->epoch_known = true;
	boot->epoch = log_epoch(b->log);
	memcpy(boot->epoch_public, log_epoch_public(b->log), sizeof boot->epoch_public);
	boot->epoch_certificate = certify(b, CERT_EPOCH, boot->epoch, boot->epoch_public, b->epoch_certificate, &c);
	bench_must(log_epoch_certify(b->log, &c), "epoch");
	bench_must(log_commit(b->log, &receipt), "epoch");
}

static void
make_welcome(struct bench_bound *b)
{
	struct boot_body *boot = &b->welcome.boot;
	struct cert c;

	bench_must(key_pair_new(&b->boot_pair), "key");
	b->welcome = (struct welcome_body){ .initialized = true, .library = b->home->library, .keyring_ready = true };
	memcpy(b->welcome.log_public, signer_public(b->home->log_key), sizeof b->welcome.log_public);
	boot->boot = uuid_make(clock_wall());
	memcpy(boot->boot_public, b->boot_pair.public_key, sizeof boot->boot_public);
	boot->certified = true;
	boot->certificate = certify(b, CERT_BOOT, boot->boot, boot->boot_public, b->certificate, &c);
}

void
bench_bound_open(const struct bench_home *h, struct bench_bound **out)
{
	struct bench_bound *b = calloc(1, sizeof *b);

	if (b == NULL)
		bench_must(ERR_NO_MEMORY, "bound");
	b->home = h;
	bench_must(grants_db_open("grants", &b->grants), "grants");
	bench_must(vault_db_open("vault", &b->vault), "vault");
	bench_must(collection_new(&b->collection), "collection");
	bench_must(channels_new(&b->channels), "channels");
	make_welcome(b);
	open_log(b);
	*out = b;
}

void
bench_bound_close(struct bench_bound **b)
{
	for (size_t i = 0; i < BENCH_BOUND_MAX; i++)
		free((*b)->group[i].items);
	log_close(&(*b)->log);
	channels_free(&(*b)->channels);
	key_pair_free(&(*b)->boot_pair);
	collection_free(&(*b)->collection);
	vault_db_close(&(*b)->vault);
	grants_db_close(&(*b)->grants);
	free(*b);
	*b = NULL;
}

const struct welcome_body *
bench_bound_welcome(const struct bench_bound *b)
{
	return &b->welcome;
}

/* The class key: the grant's wrap of it, opened with the unattended key and the token's half. */
static void
open_class(const struct bench_bound *b, const struct channel *c, const struct ask_body *ask,
    const struct grant_use *use, enum key_class class, struct key *out)
{
	struct key_binding binding = bind_grant_class(use->grant, ask->vault, class);
	uint8_t buf[BINDING_MAX];
	struct key *half = NULL, *under = NULL;

	bench_must(key_new(&half), "key");
	bench_must(key_new(&under), "key");
	bench_must(key_open(c->up, ask_binding(ask, buf), ask->boxed_half.p, half), "half");
	grant_key(b->home->unattended, half, use->grant, under);
	bench_must(key_open(under, key_binding_span(&binding), use->vault.sealed[class], out), "class key");
	key_free(&half);
	key_free(&under);
}

/* The chunk keys of what was collected, all of one revision or, in a page, each of its own. */
static void
derive_keys(const struct bench_bound *b, const struct channel *c, const struct ask_body *ask,
    const struct grant_use *use, struct secret *keys)
{
	const struct keys_wanted_body *w = &b->collection->wanted;
	struct key *classes[CLASS__COUNT] = { NULL };
	struct key *revision = NULL, *chunk = NULL;
	struct wire_in in = wire_in(w->refs.p, w->refs.len);
	struct uuid of = { { 0 } };

	bench_must(key_new(&revision), "key");
	bench_must(key_new(&chunk), "key");
	for (size_t i = 0; i < w->n_refs; i++) {
		struct key_ref_body ref;

		key_ref_body_take(&in, &ref);
		if (classes[ref.key_class] == NULL) {
			bench_must(key_new(&classes[ref.key_class]), "key");
			open_class(b, c, ask, use, (enum key_class)ref.key_class, classes[ref.key_class]);
		}
		if (i == 0 || !uuid_equal(of, ref.revision))
			revision_key(classes[ref.key_class], ref.asset, ref.revision, revision);
		of = ref.revision;
		chunk_key(revision, (enum part)ref.part, ref.index, chunk);
		memcpy(secret_bytes(keys) + i * KEY_LEN, chunk->b, KEY_LEN);
	}
	for (unsigned k = 0; k < CLASS__COUNT; k++)
		key_free(&classes[k]);
	key_free(&revision);
	key_free(&chunk);
}

static void
make_ticket(struct bench_bound *b, const struct ask_body *ask, const struct grant_use *use, struct waiting *w)
{
	const struct keys_wanted_body *wanted = &b->collection->wanted;
	struct ticket_terms terms = { .boot = b->welcome.boot.boot, .client_ask = ask->client_ask, .op = (enum op)ask->op,
		.vault = ask->vault, .asset = ask->asset, .revision = ask->revision, .offset = ask->offset,
		.limit = ask->limit, .refs = wanted->refs };
	const struct channel *c;
	struct secret *keys = NULL;

	bench_must(channels_find(b->channels, &b->boot_pair, ask->opener, &c), "channel");
	bench_must(secret_new(wanted->n_refs * (size_t)KEY_LEN, &keys), "keys");
	derive_keys(b, c, ask, use, keys);
	bench_must(ticket_seal(c, &terms, keys, w->ticket, &w->ticket_len), "ticket");
	secret_free(&keys);
}

static void
append_record(struct bench_bound *b, const struct ask_body *ask, const struct grant_use *use, struct waiting *w)
{
	const struct keys_wanted_body *wanted = &b->collection->wanted;
	struct log_record r = {
		.type = LOG_INTENT, .outcome = LOG_DONE, .surface = (enum surface)ask->surface, .subject_kind = LOG_GRANT_ID,
		.subject = use->grant, .op = (enum op)ask->op, .vault = ask->vault, .asset = ask->asset,
		.revision = wanted->revision, .offset = ask->offset, .length = wanted->length, .n_chunks = 1,
	};

	sha256(w->ticket, w->ticket_len, r.ticket_hash);
	bench_must(log_append(b->log, &r, &w->index), "record");
}

static void
keep_items(struct waiting *w, const struct deposit_body *deposit)
{
	if (w->items_cap < deposit->items.len) {
		free(w->items);
		w->items_cap = deposit->items.len;
		if ((w->items = malloc(w->items_cap)) == NULL)
			bench_must(ERR_NO_MEMORY, "items");
	}
	memcpy(w->items, deposit->items.p, deposit->items.len);
	w->items_len = deposit->items.len;
	w->n_items = deposit->n_items;
}

size_t
bench_bound_ask(struct bench_bound *b, const struct ask_body *ask)
{
	struct ruling_body ruling = { .ask = *ask };
	struct waiting *w = &b->group[b->n];
	uint8_t hash[SHA256_LEN];
	struct grant_use use;

	sha256(ask->token_id, sizeof ask->token_id, hash);
	bench_must(grants_db_use(b->grants, hash, ask->vault, &use), "grant");
	bench_must(collect(b->vault, &ruling, b->collection), "collect");
	vault_db_release(b->vault);
	make_ticket(b, ask, &use, w);
	append_record(b, ask, &use, w);
	keep_items(w, &b->collection->deposit);
	return b->n++;
}

size_t
bench_bound_waiting(const struct bench_bound *b)
{
	return b->n;
}

void
bench_bound_commit(struct bench_bound *b)
{
	const struct log_receipt *receipt;

	bench_must(log_commit(b->log, &receipt), "commit");
	b->receipt = log_receipt_bytes(receipt);
}

void
bench_bound_answer(struct bench_bound *b, size_t i, struct answer_body *out)
{
	const struct waiting *w = &b->group[i];

	*out = (struct answer_body){
		.ack = { .index = w->index, .ticket = { w->ticket, w->ticket_len } },
		.deposit = { .n_items = w->n_items, .items = { w->items, w->items_len } },
	};
	memcpy(out->ack.commit, b->receipt.p, sizeof out->ack.commit);
}

void
bench_bound_clear(struct bench_bound *b)
{
	b->n = 0;
}
