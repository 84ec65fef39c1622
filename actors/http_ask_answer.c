/* What comes of an ask: who the keyring is, what the profile found, and what audit says. */
#include <stdlib.h>
#include <string.h>

#include "actors/http_ask_inside.h"
#include "escrow/ack.h"
#include "escrow/deposit.h"
#include "escrow/index_ref.h"

static void
keep(struct span *s, uint8_t *to)
{
	if (s->len > 0)
		memcpy(to, s->p, s->len);
	s->p = to;
}

/* A keyring without a certificate is asked nothing. What was verified was so under what was believed before. */
static void
believe(struct http_asks *a)
{
	memset(a->seen_commit, 0, sizeof a->seen_commit);
	memset(&a->believed, 0, sizeof a->believed);
	if (a->has_boot && a->has_log && !believed_of(&a->said, a->log_public, &a->believed))
		memset(&a->believed, 0, sizeof a->believed);
}

void
http_asks_on_state(struct http_asks *a, const struct http_state_body *b)
{
	a->has_log = b->initialized != 0;
	memcpy(a->log_public, b->log_public, sizeof a->log_public);
	believe(a);
}

static bool
may_again(const struct http_flight *f)
{
	return !f->again && http_ask_reads(f->want.op);
}

/* Those that another keyring had are made anew; of a proposal nobody knows how far it came. */
static bool
is_over(const void *arg, const void *value)
{
	const struct http_asks *a = arg;
	const struct http_flight *f = value;

	return may_again(f) && !f->has_ack && !uuid_equal(f->ask.boot, a->boot);
}

static void
take_out(void *arg, uint64_t ask_id, void *value)
{
	struct http_asks *a = arg;
	struct http_flight *f = value;

	(void)ask_id;
	a->again[a->n_again++] = (struct http_again){ f->want, f->deadline };
	free(f->found);
	f->found = NULL;
}

static void
ask_again(struct http_asks *a, struct outbox *out)
{
	while (a->n_again > 0) {
		struct http_again again = a->again[--a->n_again];
		struct http_ask_end end = { .error = http_ask_send(a, &again.want, again.deadline, true, out) };

		if (end.error != OK)
			again.want.done(again.want.arg, &end, out);
	}
}

/* The key of what was found came inside the ack, and fits nothing but this ask. */
static enum err
open_found(struct http_asks *a, const struct http_flight *f, struct secret **out)
{
	uint8_t refs[INDEX_REF_LEN], buf[PIECE_BINDING_MAX];
	const struct ask_body *ask = &f->ask;
	struct ticket_terms terms = { .boot = ask->boot, .client_ask = ask->client_ask, .op = (enum op)ask->op,
		.vault = ask->vault, .asset = ask->asset, .revision = ask->revision, .offset = ask->offset, .limit = ask->limit,
		.refs = index_ref_found(refs) };
	struct uuid none = { { 0 } };
	struct audit_ack *ack = NULL;
	enum err e;

	if ((e = ack_accept(&a->channel, &terms, (struct span){ f->ticket, f->ticket_len }, &ack)) != OK)
		return e;
	e = escrow_open(ack, 0, piece_binding(PART_FOUND, none, none, 0, false, (struct span){ NULL, 0 }, buf),
	    (struct span){ f->found, f->found_len }, out);
	ack_free(&ack);
	return e;
}

/*
 * The record is in a group whose commit an epoch of the believed log signed.
 * ERR_INTERRUPTED: by an epoch that the keyring has not named yet.
 */
static enum err
check_receipt(struct http_asks *a, const struct ack_body *ack)
{
	uint8_t hash[SHA256_LEN];
	struct log_commit commit;
	const uint8_t *key;
	enum err e;

	if ((e = receipt_commit(ack, &commit)) != OK)
		return e;
	sha256(ack->commit, sizeof ack->commit, hash);
	if (memcmp(hash, a->seen_commit, sizeof hash) == 0)
		return OK;
	if ((key = believed_epoch(&a->believed, commit.epoch)) == NULL)
		return ERR_INTERRUPTED;
	if (!log_commit_valid(&commit, key))
		return ERR_AUDIT_UNAVAILABLE;
	memcpy(a->seen_commit, hash, sizeof hash);
	return OK;
}

/* What came of it; false: it waits for more, at most until its deadline. The epoch comes over another edge than the receipt. */
static bool
is_whole(struct http_asks *a, const struct http_flight *f, struct http_ask_end *end)
{
	if (f->found == NULL || !f->has_ack || (end->error = check_receipt(a, &f->ack)) == ERR_INTERRUPTED)
		return false;
	if (end->error == OK)
		end->error = open_found(a, f, &end->result);
	if (end->error != OK && !http_ask_reads(f->want.op))
		http_ask_say_unknown(end);
	return true;
}

static void
end_if_whole(struct http_asks *a, const struct http_flight *f, struct outbox *out)
{
	struct http_ask_end end = { .error = OK };

	if (is_whole(a, f, &end))
		http_ask_end(a, f->ask_id, &end, out);
}

struct held {
	struct http_flight *flights;
	size_t              n;
};

static bool
waits_for_epoch(const void *arg, const void *value)
{
	const struct http_flight *f = value;

	(void)arg;
	return f->found != NULL && f->has_ack;
}

static void
hold(void *arg, uint64_t ask_id, void *value)
{
	struct held *held = arg;

	(void)ask_id;
	held->flights[held->n++] = *(struct http_flight *)value;
}

/* Who asked hears of it when the boot is taken whole: it may ask again at once. */
static void
note_ended(struct http_asks *a, const struct http_flight *f, const struct http_ask_end *end)
{
	free(f->found);
	a->ended[a->n_ended++] = (struct http_ended){ .want = f->want, .end = *end };
}

static void
put_back(struct http_asks *a, const struct http_flight *f)
{
	struct http_ask_end end = { .error = OK };
	void *value = NULL;

	if ((end.error = pending_add(a->flights, f->ask_id, f->deadline, &value)) == OK)
		*(struct http_flight *)value = *f;
	else
		note_ended(a, f, &end);
}

/* The keyring has named an epoch: those whose receipt is of it can be opened. */
static void
look_again(struct http_asks *a)
{
	struct held held = { calloc(pending_count(a->flights) + 1, sizeof *held.flights), 0 };

	if (held.flights == NULL)
		return;
	pending_fail_some(a->flights, waits_for_epoch, hold, &held);
	for (size_t i = 0; i < held.n; i++) {
		const struct http_flight *f = &held.flights[i];
		struct http_ask_end end = { .error = OK };

		if (is_whole(a, f, &end))
			note_ended(a, f, &end);
		else
			put_back(a, f);
	}
	free(held.flights);
}

void
http_asks_on_boot(struct http_asks *a, const struct boot_body *b, struct outbox *out)
{
	bool anew = !a->has_boot || !uuid_equal(a->boot, b->boot);
	struct channel channel = { NULL, NULL };

	if (anew && channel_of_opener(&a->opener, b->boot_public, &channel) != OK)
		return;
	a->said = *b;
	keep(&a->said.certificate, a->certificate);
	keep(&a->said.epoch_certificate, a->epoch_certificate);
	keep(&a->said.earlier_certificate, a->earlier_certificate);
	a->has_boot = true;
	a->boot = b->boot;
	believe(a);
	look_again(a);
	if (anew) {
		channel_free(&a->channel);
		a->channel = channel;
	}
	http_asks_tell_ended(a, out);
	/* One that custody opens says first who it is, and then who vouches for it. */
	if (a->believed.boot) {
		pending_fail_some(a->flights, is_over, take_out, a);
		ask_again(a, out);
	}
}

bool
http_asks_on_found(struct http_asks *a, const struct inbound *in, struct outbox *out)
{
	struct http_flight *f = pending_find(a->flights, in->ask_id);
	struct span sealed = in->body->found.sealed;

	if (f == NULL)
		return false;
	if (f->found != NULL || sealed.len == 0)
		return true;
	if ((f->found = malloc(sealed.len)) == NULL) {
		http_ask_end(a, in->ask_id, &(struct http_ask_end){ .error = ERR_NO_MEMORY }, out);
		return true;
	}
	memcpy(f->found, sealed.p, sealed.len);
	f->found_len = sealed.len;
	end_if_whole(a, f, out);
	return true;
}

bool
http_asks_on_ack(struct http_asks *a, const struct inbound *in, struct outbox *out)
{
	struct http_flight *f = pending_find(a->flights, in->ask_id);
	const struct ack_body *ack = &in->body->ack;

	if (f == NULL)
		return false;
	if (f->has_ack)
		return true;
	if (ack->ticket.len > sizeof f->ticket) {
		http_ask_end(a, in->ask_id, &(struct http_ask_end){ .error = ERR_AUDIT_UNAVAILABLE }, out);
		return true;
	}
	f->has_ack = true;
	f->ack = *ack;
	f->ack.ticket = (struct span){ NULL, 0 };
	f->ticket_len = ack->ticket.len;
	if (ack->ticket.len > 0)
		memcpy(f->ticket, ack->ticket.p, ack->ticket.len);
	end_if_whole(a, f, out);
	return true;
}

/* A refusal goes into the log if the asker had a right to ask; tokens that nobody knows are only counted. */
static void
note_refusal(struct http_asks *a, const struct http_flight *f, enum msg type, const struct refusal_body *r, struct outbox *out)
{
	struct noted_body noted = { .error = r->error, .surface = SURFACE_HTTP, .subject_kind = r->subject_kind,
		.subject = r->subject, .op = (uint8_t)f->want.op, .count = 1 };

	if (r->authenticated && a->audit_up)
		(void)outbox_put(out, MSG_HTTP_REFUSAL_NOTED, 0, &noted);
	else if (!r->authenticated && type == MSG_HTTP_DENIED)
		http_asks_note_stranger(a, (enum err)r->error);
}

static void
say_detail(struct http_ask_end *end, struct span detail)
{
	size_t len = detail.len < sizeof end->message - 1 ? detail.len : sizeof end->message - 1;

	if (len > 0)
		memcpy(end->message, detail.p, len);
	end->message[len] = '\0';
}

bool
http_asks_on_refused(struct http_asks *a, const struct inbound *in, struct outbox *out)
{
	struct http_flight *f = pending_find(a->flights, in->ask_id);
	const struct refusal_body *r = &in->body->refusal;
	struct http_ask_end end = { .error = r->error > OK && r->error < ERR__COUNT ? (enum err)r->error : ERR_PROTOCOL };

	if (f == NULL)
		return false;
	/* It went to a keyring that is no more; who comes after it has said so, or will, and who vouches for it. */
	if (end.error == ERR_INTERRUPTED && in->type == MSG_HTTP_KEYS_REFUSED && may_again(f)) {
		if (uuid_equal(f->ask.boot, a->boot) || !a->believed.boot)
			return true;
		take_out(a, in->ask_id, f);
		pending_end(a->flights, in->ask_id);
		ask_again(a, out);
		return true;
	}
	note_refusal(a, f, in->type, r, out);
	say_detail(&end, r->detail);
	http_ask_end(a, in->ask_id, &end, out);
	return true;
}
