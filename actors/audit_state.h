/*
 * audit_state: the audit actor's own state, shared by the files that hold its
 * handlers and by nobody else.
 */
#ifndef ACTORS_AUDIT_STATE_H
#define ACTORS_AUDIT_STATE_H

#include "actors/settings.h"
#include "actors/usage.h"
#include "escrow/home.h"
#include "escrow/sign.h"
#include "escrow/ticket.h"
#include "mailbox/actor.h"
#include "store/log.h"
#include "store/log_head.h"
#include "store/log_repair.h"

#define AUDIT_GROUP_MAX 512
#define AUDIT_HELD_MAX  32

/* An intent or event of the waiting group: what its ack will say. */
struct waiting {
	uint64_t    ask_id;
	uint64_t    index;
	bool        is_event; /* an EVENT_KEEP, answered to grants */
	bool        is_index; /* an INDEX_INTENT, answered to search */
	bool        is_http;  /* an HTTP_INTENT, answered to HTTP */
	struct uuid asset;
	struct uuid revision;
	struct uuid subject;
	uint16_t    ticket_len;
	uint8_t     ticket[TICKET_MAX];
};

/* An event that is to be recorded as soon as the log can take it. */
struct told_event {
	uint64_t          ask_id;
	struct event_body body;
};

/* What vault or grants keep of the log. */
struct audit_anchor {
	bool            told;   /* since its edge came up */
	bool            agreed; /* and the open log is the one that it was taken from */
	struct log_head head;
	uint64_t        knows;  /* the size that it was told last */
};

/* A repair between the moving of the files and the record, which needs the epoch's certificate. */
struct audit_repair {
	uint64_t            ask; /* the owner's; 0: none is under way */
	struct mono_ms      by;  /* until then */
	struct uuid         subject;
	struct log_repaired what;
};

/* Who is to hear of a checkpoint. */
struct checkpoint_waiters {
	uint64_t lock_ask;  /* grants', before the keys go; 0: none */
	uint64_t asks[8];   /* the owner's, through the gate */
	size_t   n_asks;
	bool     leaving;   /* the process is to stop */
};

struct audit_checkpoint {
	bool           due;         /* keyring is to be asked at the end of the batch */
	bool           asked;       /* it was, for this size and root, and has until `by` */
	uint64_t       n_own;       /* how often */
	struct mono_ms by;
	uint64_t       size;
	uint8_t        root[SHA256_LEN];
	struct checkpoint_waiters waiting, served;
	bool           active;      /* something was recorded since the last one */
	struct mono_ms next;        /* then one is due by itself */
	uint64_t       newest_size; /* of the one beside the log; 0: none */
	struct wall_ms newest_wall;
};

struct audit {
	const struct settings *settings;
	struct log     *log;        /* owned; NULL until the library is known, or when it cannot be opened */
	enum err        failure;    /* why log is NULL */
	struct mono_ms  tried;      /* when it was last tried */
	struct uuid     library;
	uint8_t         log_public[SIGN_PUBLIC_LEN];
	struct usage   *usage;
	bool            uncounted;  /* a record did not fit into usage while the log was opened */
	uint32_t        repairs;    /* of the log, by its records */
	struct log_head lost;       /* the newest head that the last of them gave up */
	struct audit_anchor vault_anchor, grants_anchor;
	bool            head_due;   /* the waiting group holds what both are to hear of at once */
	struct mono_ms  head_told;
	bool            rotating;   /* the next epoch waits for its certificate, until rotate_by */
	struct mono_ms  rotate_by;
	enum log_state  said;       /* of the log's room, on stderr */
	uint64_t        epoch_looked_at; /* the size of the log when it was last asked whether its epoch is due to end */
	struct audit_repair repair;
	struct audit_checkpoint checkpoint;
	bool            leaving;    /* the process is to stop: nothing is delivered any more */
	struct waiting *group;      /* AUDIT_GROUP_MAX of them; n_group are in use */
	size_t          n_group;
	/* What happened while the epoch waits for its certificate or the log for its anchors; both come over other edges. */
	struct told_event held[AUDIT_HELD_MAX];
	size_t          n_held;
};

/*
 * audit_group.c: puts a record into the waiting group; a full group is
 * committed first. ERR_LOCKED: the epoch is pending and the record needs a
 * certified one. Without a log: why there is none.
 */
enum err audit_append(struct audit *a, const struct log_record *r, uint64_t *index, struct outbox *out);

/* Writes and syncs the waiting group and says what was earned by it. ERR_*: the log failed, the host ends. */
enum err audit_commit(struct audit *a, struct outbox *out);

/* Refuses what waits in the group or is held: the log was lost over it. */
enum err audit_refuse_group(struct audit *a, enum err why, struct outbox *out);

enum err audit_on_index_intent(void *self, const struct inbound *in, struct outbox *out);
enum err audit_on_intent(void *self, const struct inbound *in, struct outbox *out);

/*
 * audit_anchors.c: compares what vault and grants have told of the log with
 * the open one, as far as that is not done; one that does not agree is closed.
 */
enum err audit_compare_anchors(struct audit *a, struct outbox *out);

/* True once both have spoken for the open log. Before, nothing may be delivered. */
bool audit_anchors_agree(const struct audit *a);

void     audit_anchors_new_log(struct audit *a);
void     audit_anchors_edge(struct audit *a, enum actor other);
enum err audit_anchors_tick(struct audit *a, struct mono_ms now, struct outbox *out);

/* Tells both how far the log reaches, where they do not know. */
enum err audit_tell_head(struct audit *a, struct outbox *out);

enum err audit_on_anchor(void *self, const struct inbound *in, struct outbox *out);

/*
 * audit_open.c: opens the log that lies on the disk, and makes anew what this
 * actor knows by it. The error is why there is no log then; the next try may
 * have one.
 *
 * repair  NULL, or what the repair for which it is opened will say: then only
 *         its epoch is told
 */
enum err audit_open_log(struct audit *a, struct log_repaired *repair, struct outbox *out);

/* The heads that vault and grants vouch for, in `heads`: what a repair may learn that was lost. */
#define AUDIT_ANCHORS 2
struct log_known audit_known_heads(const struct audit *a, struct log_head heads[AUDIT_ANCHORS]);

/* How it is opened. */
struct log_settings audit_log_settings(struct audit *a);

enum err audit_tell_ban(const struct audit *a, struct outbox *out);

/* audit_epoch.c: tells the keyring which epochs it is to certify. */
enum err audit_tell_epoch(struct audit *a, struct outbox *out);

/* After a commit: begins to end an epoch that is due to. */
enum err audit_epoch_batch(struct audit *a, struct outbox *out);

/* Ends it without a certificate when none came in time. */
enum err audit_epoch_tick(struct audit *a, struct mono_ms now, struct outbox *out);

enum err audit_on_epoch_certified(void *self, const struct inbound *in, struct outbox *out);

/* audit_checkpoint.c: notes which one lies beside the log that was opened. */
void audit_checkpoint_load(struct audit *a);

/* After a commit: asks keyring for one that is due. */
enum err audit_checkpoint_batch(struct audit *a, struct outbox *out);
enum err audit_checkpoint_tick(struct audit *a, struct mono_ms now, struct outbox *out);
void     audit_checkpoint_leave(void *self, struct outbox *out);

enum err audit_on_checkpoint_due(void *self, const struct inbound *in, struct outbox *out);
enum err audit_on_checkpoint_allowed(void *self, const struct inbound *in, struct outbox *out);
enum err audit_on_checkpoint_signed(void *self, const struct inbound *in, struct outbox *out);

/* audit_events.c */
enum err audit_on_event_keep(void *self, const struct inbound *in, struct outbox *out);
enum err audit_on_refusal_noted(void *self, const struct inbound *in, struct outbox *out);

/*
 * Appends what was held until the epoch is certified and both anchors agree, as far as that is so now.
 * What the log does not take is refused.
 */
enum err audit_append_held(struct audit *a, struct outbox *out);

/* audit_repair.c */
enum err audit_on_repair_allowed(void *self, const struct inbound *in, struct outbox *out);

/* The epoch of a log under repair was certified: finishes it. */
enum err audit_repair_certified(struct audit *a, struct outbox *out);

/* Gives up a repair whose certificate did not come. */
void     audit_repair_tick(struct audit *a, struct mono_ms now, struct outbox *out);

/* audit_status.c */
void audit_say_state(struct audit *a); /* when the room that the log has is another than was said */
enum err audit_on_log_state_wanted(void *self, const struct inbound *in, struct outbox *out);
enum err audit_on_usage_wanted(void *self, const struct inbound *in, struct outbox *out);
enum err audit_on_connections_usage_wanted(void *self, const struct inbound *in, struct outbox *out);

#endif
