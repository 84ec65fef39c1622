/* client_inside: the client's own state, for client.c, client_ask.c and client_receipt.c alone. */
#ifndef GATEWAY_CLIENT_INSIDE_H
#define GATEWAY_CLIENT_INSIDE_H

#include "escrow/hash.h"
#include "escrow/sign.h"
#include "gateway/believed.h"
#include "gateway/client.h"
#include "gateway/remembered.h"

struct client {
	struct dial        *dial;
	struct key_pair     opener;
	struct channel      channel;        /* with the keyring; empty while there is none */
	struct welcome_body welcome;
	uint8_t             certificate[512], epoch_certificate[512], earlier_certificate[512]; /* what welcome's spans point at */
	bool                trusts;         /* log_public is set */
	struct believed     believed;       /* of welcome.boot, under log_public */
	uint8_t             log_public[SIGN_PUBLIC_LEN];
	uint8_t             seen_commit[SHA256_LEN]; /* hash of the commit that was verified last */
	unsigned            answer_ms;      /* how long an answer may take */
	bool                remembers;
	struct remembered  *remembered;     /* owned; NULL before the first ask */
	uint64_t            n_asks;
	bool                was_refused;    /* by the daemon, which has done nothing then: the last error of client_wait */
	char                detail[1025];
};

/* Waits for the answer to that request. Errors as client_call. */
enum err client_wait(struct client *c, uint32_t request, enum msg wanted, union any_body *answer);

/*
 * client_receipt.c. Before an ask: looks up what is remembered of the log, for
 * what cannot be held against it is not worth a record in it.
 */
enum err client_receipt_ready(struct client *c);

/*
 * The record is in a group whose commit an epoch of the believed log signed,
 * and which extends the log that was seen before. May wait for the daemon's
 * word on a new epoch. ERR_AUDIT_UNAVAILABLE, ERR_AUDIT_DIVERGED: it is not so.
 */
enum err client_receipt_check(struct client *c, const struct ack_body *ack);

/* Connects anew and says hello, waiting a little for a daemon that is starting. */
enum err client_again(struct client *c);

#endif
