#include <string.h>

#include "escrow/ack.h"
#include "escrow/binding.h"
#include "escrow/deposit.h"
#include "store/log_commit.h"
#include "store/revision.h"
#include "tools/bench_asker.h"

void
bench_asker_start(struct bench_asker *a, const struct bench_home *h, const struct welcome_body *welcome)
{
	*a = (struct bench_asker){ .home = h, .welcome = welcome };
	bench_must(key_pair_new(&a->opener), "opener");
	bench_must(channel_of_opener(&a->opener, welcome->boot.boot_public, &a->channel), "channel");
}

void
bench_asker_end(struct bench_asker *a)
{
	channel_free(&a->channel);
	key_pair_free(&a->opener);
}

void
bench_asker_make(struct bench_asker *a, struct uuid asset, struct ask_body *out)
{
	struct ask_body ask = { .boot = a->welcome->boot.boot, .client_ask = ++a->n_asks, .op = OP_READ,
		.surface = SURFACE_CLI, .vault = a->home->vault, .asset = asset, .limit = CHUNK_LEN, .grant_type = GRANT_UNATTENDED };
	uint8_t buf[BINDING_MAX];
	struct key *half = NULL;

	memcpy(ask.opener, a->opener.public_key, sizeof ask.opener);
	token_id(a->home->token, ask.token_id);
	bench_must(key_new(&half), "key");
	token_half(a->home->token, half);
	key_seal(a->channel.up, ask_binding(&ask, buf), half, a->boxed);
	ask.boxed_half = (struct span){ a->boxed, sizeof a->boxed };
	key_free(&half);
	*out = ask;
}

static void
check_receipt(struct bench_asker *a, const struct ack_body *ack)
{
	struct wire_in in = wire_in(ack->commit, sizeof ack->commit);
	struct log_commit commit;
	uint8_t hash[SHA256_LEN];

	sha256(ack->commit, sizeof ack->commit, hash);
	if (memcmp(hash, a->seen_commit, sizeof hash) == 0)
		return;
	log_commit_take(&in, &commit);
	if (!wire_done(&in) || !log_commit_valid(&commit, a->welcome->boot.epoch_public))
		bench_must(ERR_AUDIT_UNAVAILABLE, "receipt");
	memcpy(a->seen_commit, hash, sizeof hash);
}

static void
open_piece(const struct audit_ack *ack, size_t i, const struct item_body *item)
{
	uint8_t buf[PIECE_BINDING_MAX];
	struct secret *plain = NULL;

	bench_must(escrow_open(ack, i, piece_binding((enum part)item->ref.part, item->ref.asset, item->ref.revision,
	    item->ref.index, item->ref.part == PART_CONTENT, item->row, buf), item->sealed, &plain), "piece");
	secret_free(&plain);
}

void
bench_asker_open(struct bench_asker *a, const struct ask_body *ask, const struct answer_body *answer)
{
	struct wire_in in = wire_in(answer->deposit.items.p, answer->deposit.items.len);
	uint8_t refs_buf[4000];
	struct wire_out refs = wire_out(refs_buf, sizeof refs_buf);
	struct ticket_terms terms = { .boot = ask->boot, .client_ask = ask->client_ask, .op = (enum op)ask->op,
		.vault = ask->vault, .asset = ask->asset, .revision = ask->revision, .offset = ask->offset, .limit = ask->limit };
	struct audit_ack *ack = NULL;
	struct item_body item;

	for (size_t i = 0; i < answer->deposit.n_items; i++) {
		item_body_take(&in, &item);
		key_ref_body_put(&refs, &item.ref);
	}
	terms.refs = wire_written(&refs);
	bench_must(ack_accept(&a->channel, &terms, answer->ack.ticket, &ack), "ack");
	in = wire_in(answer->deposit.items.p, answer->deposit.items.len);
	for (size_t i = 0; i < answer->deposit.n_items; i++) {
		item_body_take(&in, &item);
		open_piece(ack, i, &item);
	}
	ack_free(&ack);
	check_receipt(a, &answer->ack);
}
