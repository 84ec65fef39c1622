/* http_ask_inside: asks as the files of http_ask see them; nobody else includes this. */
#ifndef ACTORS_HTTP_ASK_INSIDE_H
#define ACTORS_HTTP_ASK_INSIDE_H

#include "actors/http_ask.h"
#include "escrow/channel.h"
#include "escrow/hash.h"
#include "escrow/seal.h"
#include "gateway/believed.h"
#include "mailbox/pending.h"

/* The ticket of one key. */
#define HTTP_TICKET_LEN (KEY_LEN + SEAL_OVERHEAD)

struct http_flight {
	uint64_t             ask_id;
	struct http_ask_want want;
	struct ask_body      ask;       /* what the ticket must be for; its spans are not kept */
	struct mono_ms       deadline;
	bool                 again;     /* it is the second time */
	uint8_t             *found;     /* owned: what the profile found, sealed; NULL: has not come */
	size_t               found_len;
	bool                 has_ack;
	struct ack_body      ack;       /* its span is not kept */
	uint8_t              ticket[HTTP_TICKET_LEN];
	size_t               ticket_len;
};

/* An ask that is over, of which nobody has heard yet. */
struct http_ended {
	struct http_ask_want want;
	struct http_ask_end  end;
};

/* One that has to be made anew. */
struct http_again {
	struct http_ask_want want;
	struct mono_ms       deadline;
};

struct http_asks {
	struct pending  *flights;       /* owned */
	struct key_pair  opener;
	struct channel   channel;       /* with the keyring of `boot`; empty before it has said who it is */
	struct uuid      boot;
	struct boot_body said;          /* by the keyring; its spans are the three below */
	uint8_t          certificate[512], epoch_certificate[512], earlier_certificate[512];
	bool             has_boot;
	bool             has_log;       /* log_public is set */
	uint8_t          log_public[SIGN_PUBLIC_LEN];
	struct believed  believed;
	uint8_t          seen_commit[SHA256_LEN]; /* hash of the commit that was verified last */
	bool             grants_up, profile_up, audit_up;
	uint64_t         n_asks, n_ids;
	struct noted_body strangers;    /* tokens that nobody knows, counted for a minute */
	struct mono_ms   strangers_due;
	size_t           n_ended, n_again;
	struct http_ended ended[HTTP_ASKS_MAX];
	struct http_again again[HTTP_ASKS_MAX];
};

/* It changes nothing, so it may be asked again. */
bool http_ask_reads(enum op op);

enum err http_ask_send(struct http_asks *a, const struct http_ask_want *want, struct mono_ms deadline, bool again,
    struct outbox *out);

/* Ends it, if it is in flight. */
void http_ask_end(struct http_asks *a, uint64_t ask_id, struct http_ask_end *end, struct outbox *out);

/* Says to who asked what ended; they may ask again meanwhile. */
void http_asks_tell_ended(struct http_asks *a, struct outbox *out);

/* Of a proposal that may have been filed, and got no answer. */
void http_ask_say_unknown(struct http_ask_end *end);

#endif
