/*
 * gate_rig: a front door made of one thread, with a keyring, a vault and a log
 * of its own behind it, so that a client can be asked and lied to. The thread
 * speaks the wire of mailbox/dial.h; a lie is a word that the test sets.
 */
#ifndef TESTS_GATEWAY_GATE_RIG_H
#define TESTS_GATEWAY_GATE_RIG_H

#include <sys/socket.h>
#include <sys/un.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escrow/cert.h"
#include "escrow/deposit.h"
#include "escrow/keys.h"
#include "escrow/ticket.h"
#include "gateway/client.h"
#include "store/log_commit.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"
#include "tests/support/rig_dir.h"

enum lie {
	TELLS_TRUE,
	LIES_TICKET_OF_ANOTHER_ASK,
	LIES_TICKET_OF_ANOTHER_OPERATION,
	LIES_TICKET_CHANGED,
	LIES_TICKET_WITHOUT_A_KEY,
	LIES_COMMIT_UNSIGNED,
	LIES_COMMIT_OF_ANOTHER_EPOCH,
	LIES_RECORD_OUTSIDE_ITS_GROUP,
	LIES_PIECE_CHANGED,
	LIES_PIECES_SWAPPED,
	LIES_ROW_CHANGED,
	LIES_TOTAL_CHANGED,
	LIES_REVISION_OF_ANOTHER_NAME,
	LIES_LAST_CHUNK_MISSING,
	LIES_CHUNK_SAYS_LAST,
	LIES_TRAILING_BYTES,
	LIES_OTHER_MESSAGE,
	LIES__COUNT
};

#define GATE_PIECES_MAX 8
#define GATE_ROWS_MAX   100
#define GATE_CONNECTIONS 4

struct gate {
	pthread_mutex_t lock; /* over all of it */
	pthread_t       thread;
	int             listener, stop[2];

	enum lie        lie;
	enum err        refuse_with;   /* ASKs; OK: not */
	unsigned        n_interrupts;  /* so many ASKs are refused as interrupted first */
	unsigned        n_cuts;        /* so many ASKs are answered by hanging up */
	bool            certified, epoch_known, ready;
	struct signer  *log_key, *epoch_key, *other_key, *earlier_key;
	struct uuid     earlier;            /* the epoch before, told in a welcome once it has a key */
	bool            answers_in_earlier, earlier_by_other;
	unsigned        knows_epoch_after;  /* so many hellos: before, its certificate is another's */
	bool            certified_by_other;
	struct key_pair boot_pair;
	struct uuid     boot, epoch, library, vault, asset, revision;
	struct key     *class_key;
	const uint8_t  *content;       /* what a read gives */
	size_t          content_len;
	enum kind       kind;
	size_t          n_rows;        /* what a list gives, whatever the vault */
	size_t          row_title_len; /* of each */

	/* What it saw. */
	unsigned        n_hellos, n_asks, n_chunks, n_discards, n_published;
	struct ask_body ask;           /* the last one */
	uint8_t         boxed_half[72];
	size_t          boxed_len;
	struct { uint32_t index; size_t len; uint8_t sealed[CHUNK_LEN + SEAL_OVERHEAD]; } chunks[GATE_PIECES_MAX];
	struct revision_row published;
	uint8_t         row[REVISION_ROW_MAX], head[48], title[1064], meta[4136], name[296];
	size_t          row_len, title_len, meta_len, name_len;
	uint8_t         mode;
	unsigned        n_proposed;    /* among the published */
	struct uuid     settled;
	unsigned        fail_chunk;    /* the n-th is refused; 0: none */
};

static struct gate gate;

static inline struct uuid
gate_id(uint8_t what)
{
	struct uuid id;

	memset(id.b, what, UUID_LEN);
	return id;
}

/* Bytes of an answer, kept until it was sent; the thread's alone. */
static uint8_t gate_items[240000], gate_ticket[TICKET_MAX], gate_cert[3][CERT_LEN];

static inline void
gate_welcome(struct welcome_body *w)
{
	struct wire_out o[3] = { wire_out(gate_cert[0], CERT_LEN), wire_out(gate_cert[1], CERT_LEN),
	    wire_out(gate_cert[2], CERT_LEN) };
	const struct signer *by = gate.certified_by_other ? gate.other_key : gate.log_key;
	struct cert c;

	*w = (struct welcome_body){ .initialized = 1, .library = gate.library, .keyring_ready = gate.ready,
		.boot = { .boot = gate.boot, .certified = gate.certified, .epoch_known = gate.epoch_known, .epoch = gate.epoch } };
	memcpy(w->log_public, signer_public(gate.log_key), 32);
	memcpy(w->boot.boot_public, gate.boot_pair.public_key, 32);
	memcpy(w->boot.epoch_public, signer_public(gate.epoch_key), 32);
	if (!gate.certified)
		return;
	cert_make(by, NULL, CERT_BOOT, gate.boot, gate.boot_pair.public_key, &c);
	cert_put(&o[0], &c);
	cert_make(by, NULL, CERT_EPOCH, gate.epoch, signer_public(gate.epoch_key), &c);
	if (gate.n_hellos <= gate.knows_epoch_after)
		c.context.b[0] ^= 1;
	cert_put(&o[1], &c);
	w->boot.certificate = wire_written(&o[0]);
	w->boot.epoch_certificate = wire_written(&o[1]);
	if (gate.earlier_key == NULL)
		return;
	cert_make(gate.earlier_by_other ? gate.other_key : gate.log_key, NULL, CERT_EPOCH, gate.earlier,
	    signer_public(gate.earlier_key), &c);
	cert_put(&o[2], &c);
	w->boot.earlier_certificate = wire_written(&o[2]);
}

/* Puts one sealed piece and its key. */
static inline void
gate_piece(struct wire_out *items, struct wire_out *refs, struct secret *keys, size_t i, enum part part, uint32_t index,
    bool last, struct span row, struct span plain)
{
	static uint8_t sealed[CHUNK_LEN + SEAL_OVERHEAD];
	uint8_t buf[PIECE_BINDING_MAX], told[REVISION_ROW_MAX];
	struct key *revision = NULL, *chunk = NULL;
	struct item_body item = { .ref = { .asset = gate.asset, .revision = gate.revision, .part = (uint8_t)part, .index = index },
		.row = row };
	uint32_t sealed_as = gate.lie == LIES_PIECES_SWAPPED && part == PART_CONTENT ? 1 - index : index;

	if (key_new(&revision) != OK || key_new(&chunk) != OK)
		abort();
	revision_key(gate.class_key, gate.asset, gate.revision, revision);
	chunk_key(revision, part, index, chunk);
	seal(chunk->b, piece_binding(part, gate.asset, gate.revision, sealed_as, last, row, buf), plain, sealed);
	memcpy(secret_bytes(keys) + i * KEY_LEN, chunk->b, KEY_LEN);
	key_free(&revision);
	key_free(&chunk);
	if (gate.lie == LIES_PIECE_CHANGED && part == PART_CONTENT)
		sealed[30] ^= 1;
	if (gate.lie == LIES_ROW_CHANGED && row.len > 0) {
		memcpy(told, row.p, row.len);
		told[row.len - 20] ^= 1; /* a time */
		item.row = (struct span){ told, row.len };
	}
	item.sealed = (struct span){ sealed, plain.len + SEAL_OVERHEAD };
	item_body_put(items, &item);
	key_ref_body_put(refs, &item.ref);
}

/* The deposit of a read: head and the chunks that its range touches. The number of pieces. */
static inline size_t
gate_deposit(struct wire_out *items, struct wire_out *refs, struct secret *keys)
{
	struct revision_row r = { .vault = gate.vault, .asset = gate.asset, .revision = gate.revision, .kind = gate.kind,
		.bytes = gate.content_len, .created = { 77 } };
	uint64_t end = gate.ask.offset + gate.ask.limit < r.bytes ? gate.ask.offset + gate.ask.limit : r.bytes;
	uint64_t total = r.bytes + (gate.lie == LIES_TOTAL_CHANGED);
	uint32_t n_chunks = revision_n_chunks(r.bytes);
	uint8_t row[REVISION_ROW_MAX], head[8];
	struct wire_out row_out = wire_out(row, sizeof row), head_out = wire_out(head, sizeof head);
	size_t n = 0;

	revision_row_put(&row_out, &r);
	wire_put_u64(&head_out, total);
	gate_piece(items, refs, keys, n++, PART_HEAD, 0, false, wire_written(&row_out), wire_written(&head_out));
	for (uint64_t at = gate.ask.offset / CHUNK_LEN; at * CHUNK_LEN < end && gate.ask.offset < end; at++) {
		uint64_t from = at * CHUNK_LEN, len = r.bytes - from < CHUNK_LEN ? r.bytes - from : CHUNK_LEN;
		bool last = at + 1 == n_chunks;

		if (gate.lie == LIES_LAST_CHUNK_MISSING && (at + 1) * CHUNK_LEN >= end)
			break;
		gate_piece(items, refs, keys, n++, PART_CONTENT, (uint32_t)at, gate.lie == LIES_CHUNK_SAYS_LAST ? !last : last,
		    (struct span){ NULL, 0 }, (struct span){ gate.content + from, len });
	}
	return n;
}

/* The ids of the i-th row; every third one is a card. */
static inline struct uuid
gate_row_id(uint8_t what, size_t i)
{
	struct uuid id = gate_id(what);

	id.b[14] = (uint8_t)(i >> 8);
	id.b[15] = (uint8_t)i;
	return id;
}

/* The deposit of a list. The number of pieces. */
static inline size_t
gate_list(struct wire_out *items, struct wire_out *refs, struct secret *keys, uint8_t *more)
{
	static uint8_t title[1024];
	struct uuid asset = gate.asset, revision = gate.revision;
	size_t n = 0;

	for (size_t i = gate.ask.offset; i < gate.n_rows && n < gate.ask.limit && n < GATE_ROWS_MAX; i++, n++) {
		struct revision_row r = { .vault = gate.ask.vault, .asset = gate_row_id(0x24, i), .revision = gate_row_id(0x34, i),
			.kind = i % 3 == 2 ? KIND_CARD : KIND_MEMORY, .bytes = i, .created = { 77 } };
		uint8_t row[REVISION_ROW_MAX];
		struct wire_out row_out = wire_out(row, sizeof row);

		memset(title, i % 2 == 0 ? '"' : 'x', sizeof title);
		revision_row_put(&row_out, &r);
		gate.asset = r.asset;
		gate.revision = r.revision;
		gate_piece(items, refs, keys, n, PART_TITLE, 0, false, wire_written(&row_out), (struct span){ title, gate.row_title_len });
	}
	gate.asset = asset;
	gate.revision = revision;
	*more = gate.ask.offset + n < gate.n_rows;
	return n;
}

static inline void
gate_commit(struct ack_body *ack)
{
	bool earlier = gate.answers_in_earlier;
	struct log_commit c = { .first = 40, .count = 3, .size = 43, .epoch = earlier ? gate.earlier : gate.epoch };
	struct wire_out o = wire_out(ack->commit, sizeof ack->commit);

	c.root[0] = (uint8_t)gate.n_asks;
	ack->index = gate.lie == LIES_RECORD_OUTSIDE_ITS_GROUP ? 43 : 41;
	if (gate.lie == LIES_COMMIT_OF_ANOTHER_EPOCH)
		c.epoch.b[0] ^= 1;
	log_commit_sign(&c, gate.lie == LIES_COMMIT_UNSIGNED ? gate.other_key : earlier ? gate.earlier_key : gate.epoch_key);
	log_commit_put(&o, &c);
}

/* Seals the ticket as the keyring would, or as a liar would. */
static inline void
gate_seal_ticket(struct span refs, struct secret *keys, struct ack_body *ack)
{
	struct ticket_terms terms = { .boot = gate.boot, .client_ask = gate.ask.client_ask, .op = (enum op)gate.ask.op,
		.vault = gate.ask.vault, .asset = gate.ask.asset, .revision = gate.ask.revision, .offset = gate.ask.offset,
		.limit = gate.ask.limit, .refs = refs };
	struct channel c;
	size_t len = 0;

	terms.client_ask += gate.lie == LIES_TICKET_OF_ANOTHER_ASK;
	if (gate.lie == LIES_TICKET_OF_ANOTHER_OPERATION)
		terms.op = OP_CREDENTIAL_BYTES;
	if (gate.lie == LIES_TICKET_WITHOUT_A_KEY)
		secret_cut(keys, secret_len(keys) - KEY_LEN);
	if (channel_of_boot(&gate.boot_pair, gate.ask.opener, &c) != OK || ticket_seal(&c, &terms, keys, gate_ticket, &len) != OK)
		abort();
	channel_free(&c);
	if (gate.lie == LIES_TICKET_CHANGED)
		gate_ticket[len / 2] ^= 1;
	ack->ticket = (struct span){ gate_ticket, len };
	gate_commit(ack);
}

static inline void
gate_answer_write(struct answer_body *a)
{
	struct key_ref_body fresh = { .asset = uuid_is_zero(gate.ask.asset) ? gate_id(0x22) : gate.ask.asset, .revision = gate_id(0x32) };
	struct secret *keys = NULL;
	struct key *revision = NULL;
	uint8_t buf[64];
	struct wire_out refs = wire_out(buf, sizeof buf);

	if (gate.ask.op == OP_WRITE_NAME) {
		fresh.part = PART_NAME;
		fresh.asset = gate.ask.vault;
	} else {
		fresh.key_class = (uint8_t)class_of((enum kind)gate.ask.kind, gate.ask.is_private);
	}
	if (secret_new(KEY_LEN, &keys) != OK || key_new(&revision) != OK)
		abort();
	revision_key(gate.class_key, fresh.asset, fresh.revision, revision);
	memcpy(secret_bytes(keys), revision->b, KEY_LEN);
	key_free(&revision);
	key_ref_body_put(&refs, &fresh);
	a->ack.asset = fresh.asset;
	a->ack.revision = fresh.revision;
	gate_seal_ticket(wire_written(&refs), keys, &a->ack);
	secret_free(&keys);
}

static inline void
gate_answer_read(struct answer_body *a)
{
	struct wire_out items = wire_out(gate_items, sizeof gate_items);
	uint8_t buf[GATE_ROWS_MAX * 38];
	struct wire_out refs = wire_out(buf, sizeof buf);
	struct secret *keys = NULL;
	struct uuid was = gate.revision;

	if (secret_new(GATE_ROWS_MAX * KEY_LEN, &keys) != OK)
		abort();
	if (gate.lie == LIES_REVISION_OF_ANOTHER_NAME)
		gate.revision = gate_id(0x3f);
	if (gate.ask.op == OP_LIST)
		a->deposit.n_items = (uint16_t)gate_list(&items, &refs, keys, &a->deposit.more);
	else
		a->deposit.n_items = (uint16_t)gate_deposit(&items, &refs, keys);
	gate.revision = was;
	if (gate.lie == LIES_TRAILING_BYTES)
		wire_put_u8(&items, 0);
	a->deposit.items = wire_written(&items);
	secret_cut(keys, a->deposit.n_items * (size_t)KEY_LEN);
	gate_seal_ticket(wire_written(&refs), keys, &a->ack);
	secret_free(&keys);
}

static inline enum msg
gate_on_ask(const struct ask_body *ask, union any_body *out)
{
	gate.n_asks++;
	gate.ask = *ask;
	gate.boxed_len = ask->boxed_half.len;
	if (gate.boxed_len > 0)
		memcpy(gate.boxed_half, ask->boxed_half.p, gate.boxed_len);
	memset(out, 0, sizeof *out);
	if (gate.n_cuts > 0) {
		gate.n_cuts--;
		return MSG_NONE;
	}
	if (gate.n_interrupts > 0 || gate.refuse_with != OK) {
		out->refusal.error = (uint16_t)(gate.n_interrupts > 0 ? ERR_INTERRUPTED : gate.refuse_with);
		out->refusal.detail = (struct span){ (const uint8_t *)"why", 3 };
		gate.n_interrupts -= gate.n_interrupts > 0;
		return MSG_REFUSED;
	}
	if (gate.lie == LIES_OTHER_MESSAGE)
		return MSG_DONE;
	if (op_writes((enum op)ask->op))
		gate_answer_write(&out->answer);
	else
		gate_answer_read(&out->answer);
	return MSG_ANSWER;
}

static inline enum msg
gate_on_chunk(const struct chunk_put_body *put, union any_body *out)
{
	memset(out, 0, sizeof *out);
	if (++gate.n_chunks == gate.fail_chunk) {
		out->refusal.error = ERR_STORAGE_FULL;
		return MSG_REFUSED;
	}
	if (gate.n_chunks <= GATE_PIECES_MAX) {
		gate.chunks[gate.n_chunks - 1].index = put->index;
		gate.chunks[gate.n_chunks - 1].len = put->sealed.len;
		memcpy(gate.chunks[gate.n_chunks - 1].sealed, put->sealed.p, put->sealed.len);
	}
	return MSG_DONE;
}

static inline enum msg
gate_on_revision(const struct revision_put_body *put)
{
	struct wire_in in = wire_in(put->row.p, put->row.len);

	revision_row_take(&in, &gate.published);
	gate.n_published++;
	gate.mode = put->mode;
	gate.settled = put->proposal;
	memcpy(gate.row, put->row.p, gate.row_len = put->row.len);
	memcpy(gate.head, put->sealed_head.p, sizeof gate.head);
	memcpy(gate.title, put->sealed_title.p, gate.title_len = put->sealed_title.len);
	memcpy(gate.meta, put->sealed_meta.p, gate.meta_len = put->sealed_meta.len);
	return MSG_DONE;
}

static inline enum msg
gate_on_proposal(const struct proposal_put_body *put)
{
	const struct revision_put_body as = { .row = put->row, .sealed_head = put->sealed_head,
		.sealed_title = put->sealed_title, .sealed_meta = put->sealed_meta };

	gate.n_proposed++;
	return gate_on_revision(&as);
}

static inline enum msg
gate_on(enum msg type, const union any_body *body, union any_body *out)
{
	memset(out, 0, sizeof *out);
	if (type == MSG_HELLO) {
		gate.n_hellos++;
		gate_welcome(&out->welcome);
		return MSG_WELCOME;
	}
	if (type == MSG_ASK)
		return gate_on_ask(&body->ask, out);
	if (type == MSG_CHUNK_PUT)
		return gate_on_chunk(&body->chunk_put, out);
	if (type == MSG_REVISION_PUT)
		return gate_on_revision(&body->revision_put);
	if (type == MSG_PROPOSAL_PUT)
		return gate_on_proposal(&body->proposal_put);
	if (type == MSG_VAULT_ASK)
		out->made.id = gate.vault;
	if (type == MSG_NAME_PUT)
		memcpy(gate.name, body->name_put.sealed.p, gate.name_len = body->name_put.sealed.len);
	gate.n_discards += type == MSG_DISCARD_PUT;
	return MSG_DONE;
}

static inline bool
gate_read(int fd, void *p, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = read(fd, (uint8_t *)p + done, len - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* One request and its answer. False when the asker has gone. */
static inline bool
gate_serve(int fd)
{
	static uint8_t request[4 + MESSAGE_MAX], answer[13 + MESSAGE_MAX];
	static union any_body body, out;
	uint8_t head[9];
	struct wire_in in;
	struct wire_out w = wire_out(answer + 9, sizeof answer - 9), h = wire_out(answer, 9);
	enum msg type = MSG_NONE, said;
	uint64_t ask_id = 0, len;
	uint32_t id;

	if (!gate_read(fd, head, sizeof head))
		return false;
	in = wire_in(head + 1, 8);
	len = wire_take_u64(&in);
	if (len > sizeof request || !gate_read(fd, request, len))
		return false;
	in = wire_in(request, len);
	id = wire_take_u32(&in);
	message_take(&in, ACTOR_CLIENT, ACTOR_GATE, &type, &ask_id, &body);
	if (!wire_done(&in))
		return false;
	pthread_mutex_lock(&gate.lock);
	said = gate_on(type, &body, &out);
	pthread_mutex_unlock(&gate.lock);
	if (said == MSG_NONE)
		return false;
	wire_put_u32(&w, id);
	message_put(&w, said, ask_id, &out);
	wire_put_u8(&h, 1);
	wire_put_u64(&h, w.len);
	return !w.failed && send(fd, answer, 9 + w.len, MSG_NOSIGNAL) == (ssize_t)(9 + w.len);
}

static inline void *
gate_run(void *arg)
{
	static const uint8_t hello[8] = { 0, 'S', 'P', 0, 0, 0x31, 0, 0 };
	struct pollfd fds[2 + GATE_CONNECTIONS] = { { gate.stop[0], POLLIN, 0 }, { gate.listener, POLLIN, 0 } };
	uint8_t theirs[8];

	for (size_t i = 2; i < 2 + GATE_CONNECTIONS; i++)
		fds[i] = (struct pollfd){ -1, POLLIN, 0 };
	while (poll(fds, 2 + GATE_CONNECTIONS, -1) > 0 && fds[0].revents == 0) {
		for (size_t i = 2; i < 2 + GATE_CONNECTIONS; i++) {
			if (fds[i].fd >= 0 && fds[i].revents != 0 && !gate_serve(fds[i].fd)) {
				close(fds[i].fd);
				fds[i].fd = -1;
			}
		}
		for (size_t i = 2; i < 2 + GATE_CONNECTIONS && fds[1].revents != 0; i++)
			if (fds[i].fd < 0) {
				fds[i].fd = accept(gate.listener, NULL, NULL);
				if (!gate_read(fds[i].fd, theirs, 8) || send(fds[i].fd, hello, 8, MSG_NOSIGNAL) != 8)
					abort();
				break;
			}
	}
	for (size_t i = 2; i < 2 + GATE_CONNECTIONS; i++)
		if (fds[i].fd >= 0)
			close(fds[i].fd);
	return arg;
}

static inline void
gate_keys(void)
{
	gate.boot = gate_id(0x71);
	gate.epoch = gate_id(0x81);
	gate.library = gate_id(0x51);
	gate.vault = gate_id(0x11);
	gate.asset = gate_id(0x21);
	gate.revision = gate_id(0x31);
	gate.kind = KIND_MEMORY;
	gate.certified = gate.epoch_known = gate.ready = true;
	assert_int_equal(signer_new(&gate.log_key), OK);
	assert_int_equal(signer_new(&gate.epoch_key), OK);
	assert_int_equal(signer_new(&gate.other_key), OK);
	assert_int_equal(key_pair_new(&gate.boot_pair), OK);
	gate.class_key = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
}

static inline int
gate_setup(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "service.sock" };

	(void)state;
	memset(&gate, 0, sizeof gate);
	pthread_mutex_init(&gate.lock, NULL);
	rig_dir_make();
	gate_keys();
	gate.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(gate.listener, (struct sockaddr *)&a, sizeof a) != 0 || listen(gate.listener, 8) != 0 || pipe(gate.stop) != 0)
		return -1;
	return pthread_create(&gate.thread, NULL, gate_run, NULL);
}

static inline int
gate_teardown(void **state)
{
	(void)state;
	close(gate.stop[1]);
	pthread_join(gate.thread, NULL);
	close(gate.stop[0]);
	close(gate.listener);
	signer_free(&gate.log_key);
	signer_free(&gate.epoch_key);
	signer_free(&gate.earlier_key);
	signer_free(&gate.other_key);
	key_pair_free(&gate.boot_pair);
	key_free(&gate.class_key);
	rig_dir_remove();
	return 0;
}

/* A client that has met the gate and believes its log key. */
static inline struct client *
gate_client(void)
{
	struct client *c = NULL;

	assert_int_equal(client_open(&c), OK);
	assert_int_equal(client_trust(c, signer_public(gate.log_key)), OK);
	return c;
}

#define GATE_TEST(f) cmocka_unit_test_setup_teardown(f, gate_setup, gate_teardown)

#endif
