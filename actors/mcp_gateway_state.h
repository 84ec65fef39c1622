/*
 * mcp_gateway_state: the gate as its files see it; nobody else includes this.
 */
#ifndef ACTORS_MCP_GATEWAY_STATE_H
#define ACTORS_MCP_GATEWAY_STATE_H

#include "actors/permits.h"
#include "actors/settings.h"
#include "mailbox/actor.h"
#include "mailbox/pending.h"

#define ASK_MS     2000  /* for audit, and for the whole of a read */
#define COMMAND_MS 10000 /* longer than any actor's own deadline for it */

/* An ask in flight. */
struct flight {
	enum msg        type;
	struct ask_body ask;         /* of an ASK: what its refusal is recorded with; spans are not kept */
	bool            has_state;   /* of a STATUS_ASK: grants has answered */
	struct state_body state;     /* what it said; its span is not kept */
	char            backend[32];
	uint8_t        *deposit;     /* owned: an encoded deposit, when it has come */
	size_t          deposit_len;
	uint8_t        *ack;         /* owned: an encoded ack, when it has come */
	size_t          ack_len;
};

struct mcp_gateway {
	const struct settings *settings;
	struct pending  *flights;    /* owned */
	struct boot_body boot;       /* as the keyring last said */
	uint8_t          certificate[512]; /* what boot's spans point at */
	uint8_t          epoch_certificate[512], earlier_certificate[512];
	bool             keyring_up;  /* its edge, and it has said who it is */
	bool             audit_up, audit_was_up;
	bool             grants_up, vault_up, search_up, profile_up;
	struct search_state_body search; /* as it last said */
	bool             ready_told;
	struct permits   permits;    /* writes whose keys were given and recorded */
	struct noted_body strangers; /* refusals of asks without a right, counted for a minute */
	struct mono_ms   strangers_due;
};

/* The ask in flight; NULL when it has ended. */
struct flight *mcp_gateway_find(struct mcp_gateway *g, uint64_t ask_id);

/* False when the ask had ended: what comes late is dropped. */
bool mcp_gateway_end(struct mcp_gateway *g, uint64_t ask_id);

/* On an error the ask was refused and *f is NULL. */
enum err mcp_gateway_begin(struct mcp_gateway *g, const struct inbound *in, uint64_t for_ms, struct outbox *out,
    struct flight **f);

/* What needs the log: OK, or why not. Who is still coming up is worth another try; a log that was lost is said. */
enum err mcp_gateway_check_audit(const struct mcp_gateway *g);
enum err mcp_gateway_refuse(struct outbox *out, uint64_t ask_id, enum err why);

/* What the kernel says of the asker. One that is gone has no session and no terminal. */
struct peer_body mcp_gateway_peer(const struct inbound *in);

/* mcp_gateway_status.c: who the others are and how they are. */
enum err mcp_gateway_on_hello(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_status_ask(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_state(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_log_state(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_search_state(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_boot(void *self, const struct inbound *in, struct outbox *out);

/* The status in which grants said f->state, and audit `log`. */
enum err mcp_gateway_put_status(const struct mcp_gateway *g, uint64_t ask_id, const struct flight *f,
    const struct log_state_body *log, struct outbox *out);

/* mcp_gateway_ask.c: reads, and the first half of writes. */
enum err mcp_gateway_on_ask(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_deposit(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_found(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_ack(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_refused(void *self, const struct inbound *in, struct outbox *out);

/* mcp_gateway_relay.c: what one other actor answers. */

/* Grants has audit answer it. */
bool mcp_gateway_audit_answers(enum msg type);
enum err mcp_gateway_on_relayed(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_kept(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_command_done(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_envelope_found(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_device_found(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_usage(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_profile_state_found(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_connections_usage(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_repair_over(void *self, const struct inbound *in, struct outbox *out);
enum err mcp_gateway_on_checkpoint_made(void *self, const struct inbound *in, struct outbox *out);

#endif
