/*
 * http_ask_rig: asks of the HTTP process, with a keyring, a profile and a log
 * of the test's own behind them: what each of them would say can be made, and
 * bent.
 */
#ifndef TESTS_ACTORS_HTTP_ASK_RIG_H
#define TESTS_ACTORS_HTTP_ASK_RIG_H

#include <stdlib.h>
#include <string.h>

#include "actors/http_ask.h"
#include "escrow/binding.h"
#include "escrow/index_ref.h"
#include "escrow/query.h"
#include "escrow/ticket.h"
#include "gateway/believed.h"
#include "mailbox/outbox.h"
#include "store/log_record.h"
#include "tests/support/check.h"
#include "tests/support/fake_clock.h"

#define RIG_RESULT "{\"summary\":\"\"}"

struct ask_rig {
	struct http_asks *asks;
	struct outbox    *out;
	struct signer    *log_key, *epoch_key, *other_key;
	struct key_pair   boot_pair;
	struct uuid       boot, epoch;
	size_t            next;       /* message that was not looked at */
	union any_body    body;       /* of the one that was looked at last */
	uint8_t           message[MESSAGE_MAX];

	/* What came of asks. */
	unsigned          n_ended;
	enum err          error;
	char              said[HTTP_ASK_MESSAGE_MAX];
	char              result[64];
};

/* One ask as it went out. */
struct rig_ask {
	uint64_t        id;
	struct ask_body body;
	uint8_t         boxed[512];
	size_t          boxed_len;
};

static inline struct uuid
ask_rig_id(uint8_t what)
{
	struct uuid id;

	memset(id.b, what, UUID_LEN);
	return id;
}

static inline void
ask_rig_done(void *arg, struct http_ask_end *end, struct outbox *out)
{
	struct ask_rig *r = arg;

	(void)out;
	r->n_ended++;
	r->error = end->error;
	memcpy(r->said, end->message, sizeof r->said);
	r->result[0] = '\0';
	if (end->result != NULL) {
		assert_in_range(secret_len(end->result), 0, sizeof r->result - 1);
		memcpy(r->result, secret_view(end->result), secret_len(end->result));
		r->result[secret_len(end->result)] = '\0';
	}
	secret_free(&end->result);
}

/* The keyring says who it is. by: who signed for it; NULL: nobody. epoch_by: likewise. */
static inline void
ask_rig_boot(struct ask_rig *r, const struct signer *by, const struct signer *epoch_by)
{
	uint8_t boot_cert[CERT_LEN], epoch_cert[CERT_LEN];
	struct boot_body b = { .boot = r->boot, .certified = by != NULL, .epoch_known = epoch_by != NULL, .epoch = r->epoch };
	struct wire_out o = wire_out(boot_cert, sizeof boot_cert);
	struct cert cert;

	memcpy(b.boot_public, r->boot_pair.public_key, 32);
	memcpy(b.epoch_public, signer_public(r->epoch_key), 32);
	if (by != NULL) {
		cert_make(by, NULL, CERT_BOOT, r->boot, b.boot_public, &cert);
		cert_put(&o, &cert);
		b.certificate = wire_written(&o);
	}
	if (epoch_by != NULL) {
		o = wire_out(epoch_cert, sizeof epoch_cert);
		cert_make(epoch_by, NULL, CERT_EPOCH, r->epoch, b.epoch_public, &cert);
		cert_put(&o, &cert);
		b.epoch_certificate = wire_written(&o);
	}
	http_asks_on_boot(r->asks, &b, r->out);
}

static inline void
ask_rig_another_boot(struct ask_rig *r)
{
	key_pair_free(&r->boot_pair);
	assert_int_equal(key_pair_new(&r->boot_pair), OK);
	r->boot.b[0]++;
	ask_rig_boot(r, r->log_key, r->log_key);
}

static inline int
ask_rig_setup(void **state)
{
	struct ask_rig *r = calloc(1, sizeof *r);
	struct http_state_body s = { .phase = HTTP_SERVES, .initialized = 1 };

	if (r == NULL)
		return -1;
	fake_clock_set(1764496800000, 100000);
	assert_int_equal(http_asks_new(&r->asks), OK);
	assert_int_equal(outbox_new(ACTOR_HTTP, &r->out), OK);
	assert_int_equal(signer_new(&r->log_key), OK);
	assert_int_equal(signer_new(&r->epoch_key), OK);
	assert_int_equal(signer_new(&r->other_key), OK);
	assert_int_equal(key_pair_new(&r->boot_pair), OK);
	r->boot = ask_rig_id(0x61);
	r->epoch = ask_rig_id(0x62);
	memcpy(s.log_public, signer_public(r->log_key), 32);
	http_asks_on_state(r->asks, &s);
	http_asks_on_edge(r->asks, ACTOR_GRANTS, true, r->out);
	http_asks_on_edge(r->asks, ACTOR_PROFILE, true, r->out);
	http_asks_on_edge(r->asks, ACTOR_KEYRING, true, r->out);
	http_asks_on_edge(r->asks, ACTOR_AUDIT, true, r->out);
	ask_rig_boot(r, r->log_key, r->log_key);
	*state = r;
	return 0;
}

static inline int
ask_rig_teardown(void **state)
{
	struct ask_rig *r = *state;

	http_asks_free(&r->asks);
	outbox_free(&r->out);
	signer_free(&r->log_key);
	signer_free(&r->epoch_key);
	signer_free(&r->other_key);
	key_pair_free(&r->boot_pair);
	free(r);
	fake_clock_off();
	return 0;
}

/* Begins an ask. */
static inline enum err
ask_rig_begin(struct ask_rig *r, enum op op)
{
	static const uint8_t request[] = "{\"do\":\"context\"}";
	struct http_ask_want want = { .op = op, .limit = 50, .request = { request, sizeof request - 1 }, .done = ask_rig_done, .arg = r };

	memset(want.token, 7, sizeof want.token);
	return http_asks_begin(r->asks, &want, r->out);
}

/* The next message that went out, if it is of that type; NULL: it is not, or there is none. */
static inline const union any_body *
ask_rig_next(struct ask_rig *r, enum msg type, uint64_t *ask_id)
{
	struct outbox_view v;
	struct wire_in in;

	if (r->next == outbox_count(r->out))
		return NULL;
	v = outbox_at(r->out, r->next);
	if (v.type != type)
		return NULL;
	r->next++;
	memcpy(r->message, v.message.p, v.message.len);
	in = wire_in(r->message, v.message.len);
	message_take(&in, ACTOR_HTTP, v.to, &v.type, ask_id, &r->body);
	assert_false(in.failed);
	return &r->body;
}

/* The next ask that went out. */
static inline struct rig_ask
ask_rig_take(struct ask_rig *r)
{
	struct rig_ask ask = { .id = 0 };
	const union any_body *b = ask_rig_next(r, MSG_HTTP_ASK, &ask.id);

	assert_non_null(b);
	ask.body = b->ask;
	ask.boxed_len = b->ask.boxed_query.len;
	assert_in_range(ask.boxed_len, 1, sizeof ask.boxed);
	memcpy(ask.boxed, b->ask.boxed_query.p, ask.boxed_len);
	ask.body.boxed_query = (struct span){ NULL, 0 };
	return ask;
}

static inline struct rig_ask
ask_rig_ask(struct ask_rig *r, enum op op)
{
	assert_int_equal(ask_rig_begin(r, op), OK);
	return ask_rig_take(r);
}

static inline bool
ask_rig_deliver(struct ask_rig *r, enum msg type, uint64_t id, const union any_body *body)
{
	struct inbound in = { .type = type, .from = msg_row(type)->from, .ask_id = id, .body = body };

	if (type == MSG_HTTP_FOUND)
		return http_asks_on_found(r->asks, &in, r->out);
	return type == MSG_HTTP_ACK ? http_asks_on_ack(r->asks, &in, r->out) : http_asks_on_refused(r->asks, &in, r->out);
}

static inline void
ask_rig_found(struct ask_rig *r, uint64_t id, const struct key *result)
{
	uint8_t sealed[sizeof RIG_RESULT - 1 + SEAL_OVERHEAD];
	union any_body b = { .found = { .sealed = { sealed, sizeof sealed } } };

	query_found_seal(result, (struct span){ (const uint8_t *)RIG_RESULT, sizeof RIG_RESULT - 1 }, sealed);
	ask_rig_deliver(r, MSG_HTTP_FOUND, id, &b);
}

/* What an ack can be wrong in. */
struct rig_ack {
	const struct ask_body *ticket_of;   /* NULL: of the ask itself */
	const struct signer   *signed_by;   /* NULL: the epoch key */
	struct uuid            epoch;       /* zero: the epoch */
	bool                   outside;     /* its index is not in the group */
	bool                   no_ticket;
};

static inline void
ask_rig_ack(struct ask_rig *r, const struct rig_ask *ask, const struct key *result, struct rig_ack how)
{
	const struct ask_body *of = how.ticket_of != NULL ? how.ticket_of : &ask->body;
	struct log_commit commit = { .first = 40, .count = 3, .size = 43, .epoch = uuid_is_zero(how.epoch) ? r->epoch : how.epoch };
	uint8_t refs[INDEX_REF_LEN], ticket[TICKET_MAX];
	struct ticket_terms terms = { .boot = of->boot, .client_ask = of->client_ask, .op = (enum op)of->op, .vault = of->vault,
		.asset = of->asset, .revision = of->revision, .offset = of->offset, .limit = of->limit, .refs = index_ref_found(refs) };
	union any_body b = { .ack = { .index = how.outside ? 43 : 41 } };
	struct wire_out o = wire_out(b.ack.commit, sizeof b.ack.commit);
	struct channel c = { NULL, NULL };
	struct secret *key = NULL;
	size_t len = 0;

	log_commit_sign(&commit, how.signed_by != NULL ? how.signed_by : r->epoch_key);
	log_commit_put(&o, &commit);
	assert_int_equal(channel_of_boot(&r->boot_pair, of->opener, &c), OK);
	assert_int_equal(secret_new(KEY_LEN, &key), OK);
	memcpy(secret_bytes(key), result->b, KEY_LEN);
	assert_int_equal(ticket_seal(&c, &terms, key, ticket, &len), OK);
	b.ack.ticket = (struct span){ ticket, how.no_ticket ? 0 : len };
	ask_rig_deliver(r, MSG_HTTP_ACK, ask->id, &b);
	secret_free(&key);
	channel_free(&c);
}

static inline void
ask_rig_refuse(struct ask_rig *r, enum msg type, uint64_t id, enum err why, bool authenticated, const char *detail)
{
	union any_body b = { .refusal = { .error = (uint16_t)why, .authenticated = authenticated,
		.subject_kind = authenticated ? LOG_CONNECTION_ID : LOG_NOBODY, .subject = ask_rig_id(0x33),
		.detail = { (const uint8_t *)detail, strlen(detail) } } };

	ask_rig_deliver(r, type, id, &b);
}

#endif
