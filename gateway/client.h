/*
 * client: an asking process's life: it makes its opener key, says hello,
 * checks who answers, asks, and opens what comes back. What it opens is opened
 * here, in the process whose stdout is the exit, and nowhere in the daemon.
 * For one thread.
 */
#ifndef GATEWAY_CLIENT_H
#define GATEWAY_CLIENT_H

#include "escrow/ack.h"
#include "escrow/channel.h"
#include "escrow/sign.h"
#include "mailbox/dial.h"
#include "store/revision.h"

struct client;

/*
 * Connects to the front door and says hello; the working directory is the
 * home. While a daemon holds the home's lock it is waited for, a few seconds.
 * ERR_DAEMON_NOT_RUNNING; ERR_PROTOCOL: another build. ERR_NO_MEMORY.
 */
enum err client_open(struct client **out);
void     client_close(struct client **c);

/* Says hello again: what a boot key is worth changes with an unlock. Errors as client_open, client_trust. */
enum err client_greet(struct client *c);

/* What the daemon said of itself; spans are valid until the next hello. */
const struct welcome_body *client_welcome(const struct client *c);

/*
 * Says which log key to believe. From then on a boot key that is certified
 * must be certified by it, and every ack must be signed under it.
 * ERR_DAEMON_UNTRUSTED: the boot key's certificate does not hold under it.
 */
enum err client_trust(struct client *c, const uint8_t log_public[SIGN_PUBLIC_LEN]);

/*
 * From now on every receipt must be found in the log in audit/ of the working
 * directory, which must extend what is remembered of it (remembered.h). Asks
 * answer ERR_AUDIT_DIVERGED when it does not; nothing else asks for it.
 */
void client_remember(struct client *c);

/*
 * Sends one message and waits for its answer. A REFUSED becomes its error.
 * ERR_TIMEOUT, ERR_INTERRUPTED: nothing can be said of what was done.
 * ERR_PROTOCOL: an answer of another type than wanted.
 */
enum err client_call(struct client *c, enum msg type, const void *body, enum msg wanted,
    union any_body *answer);

/* For people, of the last refusal or of a log that diverged: "" mostly. */
const char *client_detail(const struct client *c);

/* How long an answer may take from now on, instead of the 15 s that suffice for nearly all. */
void client_be_patient(struct client *c, unsigned ms);

/* To send several and take the answers as they come. DONE is OK; the others become errors. */
enum err client_send(struct client *c, enum msg type, const void *body);
enum err client_wait_done(struct client *c);

/* The keys shared with the keyring; NULL while there is no keyring. */
const struct channel *client_channel(const struct client *c);
/*
 * OK when the boot key is certified by the log key that is believed: only then
 * may it be given a secret. ERR_NOT_INITIALIZED, ERR_LOCKED: nobody can
 * certify it now. ERR_DAEMON_UNTRUSTED: nobody says whom to believe.
 */
enum err              client_certified(const struct client *c);
const uint8_t        *client_opener(const struct client *c);
uint64_t              client_next_ask(struct client *c);

struct client_want {
	enum op      op;
	enum surface surface;
	struct uuid  vault;
	struct uuid  asset;
	struct uuid  revision;   /* zero: the head */
	uint64_t     offset;
	uint32_t     limit;
	enum kind    kind;       /* of a new revision */
	bool         is_private;
	const struct key *token; /* NULL: the owner asks */
	enum grant_type  grant_type; /* of the token; 0: the owner asks */
	struct span  query;      /* of a search, gateway/client_search.h; of the profile, gateway/client_profile.h */
};

/* One piece of an answer, opened. */
struct client_item {
	struct key_ref_body ref;
	uint8_t             flags;   /* ITEM_* of escrow/deposit.h */
	bool                has_row;
	struct revision_row row;     /* checked against the piece's seal, but for what a history says is quarantined */
	uint64_t            n_assets; /* of a vault's name */
	uint16_t            n_heads;
	struct uuid         heads[REVISION_PARENTS_MAX];
	struct secret      *plain;   /* empty where nothing was checked */
};

struct client_answer {
	uint64_t            index;        /* the record's place in the log */
	bool                more;
	size_t              n_items;
	struct client_item *items;
	struct uuid         asset;        /* of a write: what the keyring named */
	struct uuid         revision;
	struct key         *revision_key; /* of a write */
};

/*
 * Asks, and opens the answer with the keys in its ack.
 *
 * *out  new; client_answer_free wipes it
 * The codes of docs/errors.md. ERR_AUDIT_UNAVAILABLE: the ack is not for this
 * ask, or not signed in an epoch of the log that is believed.
 * ERR_STORAGE_CORRUPT: a piece does not authenticate.
 */
enum err client_ask(struct client *c, const struct client_want *want, struct client_answer **out);
void     client_answer_free(struct client_answer **a);

/*
 * The parts of client_ask, for a caller that has asks under way on several
 * clients at a time: each client takes its answers in the order of its asks.
 */
struct client_asked {
	struct client_want want;
	struct ask_body    ask;     /* its boxed half is not kept */
	uint32_t           request;
};

/* Errors as client_call; it is not sent a second time. */
enum err client_ask_send(struct client *c, const struct client_want *want, struct client_asked *out);

/* Waits for its answer, whose spans are valid until the next call on c. Errors as client_call. */
enum err client_ask_wait(struct client *c, const struct client_asked *asked, union any_body *answer);

/* Opens it with the keys in its ack. Errors as client_ask; may say hello anew, so it is the last use of answer. */
enum err client_ask_open(struct client *c, const struct client_asked *asked, const struct answer_body *answer,
    struct client_answer **out);

/* To poll for readability beside other descriptors. */
int client_fd(const struct client *c);

/* The bytes of a range, cut out of its chunks. */
struct client_bytes {
	struct secret *data;     /* owned; NULL when empty */
	uint64_t       offset, total;
	bool           at_end;
	struct uuid    revision;
	enum kind      kind;
	uint64_t       index;
};

/* OP_READ or OP_CREDENTIAL_BYTES. Errors as client_ask. */
enum err client_read(struct client *c, const struct client_want *want, struct client_bytes *out);
void     client_bytes_free(struct client_bytes *b);

#endif
