/*
 * grants_state: the grants actor's own state, shared by the files that hold
 * its handlers and by nobody else.
 */
#ifndef ACTORS_GRANTS_STATE_H
#define ACTORS_GRANTS_STATE_H

#include "actors/grants_oauth.h"
#include "actors/settings.h"
#include "actors/sudo.h"
#include "escrow/hash.h"
#include "mailbox/actor.h"
#include "mailbox/pending.h"
#include "store/ban.h"
#include "store/grants_db.h"
#include "store/grants_db_profile.h"
#include "store/log_record.h"

#define END_MS     1000 /* how long a lock waits for a process that is being ended: its edge goes with it */
#define RULING_MS  2000 /* how long a ruling holds */
#define COMMAND_MS 5000 /* how long an owner's command may take */

#define GRANT_TERM_MAX_MS ((uint64_t)3660 * 86400000) /* ten years */

#define COMMANDS_MAX 64
#define LOCKS_MAX    8 /* of them */

#define GRANTS_EVENTS_MAX 128 /* more than commands can wait */

/* What happened and is not known to stand in the log; not a revocation, which the database holds. */
struct held_event {
	uint64_t ask_id;
	bool     sent;
	bool     answers; /* a command waits for it: not told again, the command ends */
	uint64_t after;   /* revocations of a lower number came before it */
	struct event_body body;
};

struct grants_events {
	struct held_event held[GRANTS_EVENTS_MAX]; /* the first n, in order */
	size_t            n;
	uint64_t          telling;  /* the ask of the one under way; 0: none */
	uint64_t          row_ask;  /* if it is of the database: the same ask */
	uint64_t          row;      /* and its number */
	uint64_t          from;     /* lower numbers were told */
	bool              is_full;  /* the log takes only what its reserve is for */
	struct mono_ms    retry;    /* 0: nothing was refused */
};

/* The remote profile: what is kept of it, and how far its process is. */
struct grants_profile {
	bool                  exists;      /* it was enabled once */
	struct profile_record record;
	bool                  up, http_up; /* the edges of its process and of the door to it */
	bool                  opened;      /* its process has the key */
	uint64_t              opening;     /* the ask by which it gets it; 0: none is under way */
	struct mono_ms        open_until;
	struct mono_ms        retry;       /* 0: nothing was refused */
	enum err              open_error;  /* why the last one did not open */
	uint64_t              dropping;    /* the newest ask that it forgets all; 0: none */
	bool                  ending;      /* it did not, and its process is being ended */
	struct mono_ms        drop_until;
	bool                  closing;     /* and so does the keyring, which has not said yet how it stands then */
	bool                  enrolled;    /* it has a custody of its own */
	struct enrolment_record enrolment;
	bool                  want_load;   /* a key-only start of it that has not come to its end */
	uint64_t              load_ask;    /* it is on its way; 0: it is not */
	struct mono_ms        load_ends, load_retry;
	enum err              load_error;
	bool                  loaded;      /* custody's key of it is in the keyring, as that last said */
	bool                  told_once;
	enum http_phase       told;        /* to HTTP */
	struct http_listens_body listens;  /* as HTTP last said; the spans point at the next two */
	uint8_t               address[128], origin[512];
};

struct grants {
	const struct settings *settings;
	struct grants_db *db;          /* owned */
	struct ban       *ban;         /* owned */
	struct key       *ruling_key;  /* shared with keyring */
	struct pending   *commands;    /* owned; owner's commands that wait for another actor */
	struct sudo       sudo;

	bool                  initialized;
	struct library_record library;
	bool                  enrolled;
	struct enrolment_record enrolment;

	bool     keyring_up, audit_up;
	bool     unlocked, loaded;     /* as the keyring last said */
	bool     log_known, log_ban;   /* as audit last said */
	uint64_t locking;              /* a lock whose keys wait for the last checkpoint; 0: none */
	bool     locking_idle;         /* it came by itself: the unattended key stays */
	struct mono_ms locking_until;
	struct {
		bool           up;       /* its edge */
		uint64_t       dropping; /* the newest ask that the index be wiped; 0: none, it is gone */
		bool           ending;   /* it was not, and the process is being ended */
		struct mono_ms drop_until;
	} search;
	struct grants_profile profile;
	struct grants_oauth oauth;
	uint64_t init_ask;             /* an init that waits for the log's first word; 0: none */

	bool           want_load;      /* a start that has not come to its end: of the daemon or of keyring */
	bool           loading;        /* a key-only start is on its way */
	bool           started;        /* its first try has ended */
	enum err       load_error;     /* why the last one did not load */
	uint8_t        load_detail;    /* enum custody_detail */
	struct mono_ms load_ends;      /* while loading: its deadline */
	struct mono_ms retry;          /* 0: none wanted */
	struct mono_ms patience;       /* when to stop waiting for keyring and log at start */
	uint64_t       own_asks;       /* asks that begin here */
	struct grants_events events;
	struct mono_ms owner_seen;     /* when the owner last asked for anything */
	enum sleep_word sleep_word;    /* as the watcher last told */
	struct mono_ms sleep_told;
	struct mono_ms anchored;       /* when the log's head was last kept for itself */
	struct uuid    boot;           /* of the machine */
	struct mono_ms expiry;         /* when grants are looked through for those that are over; 0: there are none */
};

/* An owner's command that waits for another actor's word. */
struct command {
	enum msg         type;         /* what was asked */
	struct peer_body peer;
	struct uuid      id;
	bool             waits_for_log; /* for the word that its record is durable, and for nothing else */
	bool             keys_dropped; /* lock */
	bool             ban_failed;   /* lock: the file could not say it; the log may */
	struct enrolment_record enrolment; /* enable */
	bool             leaves_material; /* disable */
	bool             waits_for_profile; /* to be open */
	uint8_t          sealed_profile[SEALED_KEY_LEN]; /* profile enable: its key */
	bool             material_gone; /* profile disable: its custody holds nothing more */
	char             backend[BACKEND_NAME_MAX + 1];  /* profile enable: a custody that is new; "": none */
	uint8_t          sealed_custody[SEALED_KEY_LEN]; /* and the key under what that gives */
	struct envelope  envelope;     /* passwd */
	enum log_config  config;       /* a setting: which */
	struct grant_record *minted;   /* owned; mint, until its record is durable; without vaults until there are keys */
};

/* The id that a command answers which made nothing. */
#define NOTHING_MADE ((struct uuid){ { 0 } })

/* Ends an ask at the gate. */
enum err grants_refuse(struct outbox *out, uint64_t ask_id, enum err why);
enum err grants_refuse_detailed(struct outbox *out, uint64_t ask_id, enum err why, const char *detail);
enum err grants_done(struct outbox *out, uint64_t ask_id, struct uuid made);

/* Begins a command that waits. On an error the ask was refused, and *c is NULL. */
enum err grants_begin(const struct inbound *in, struct grants *g, const struct peer_body *peer,
    struct outbox *out, struct command **c);

/* The command that this answer belongs to, or NULL when it has ended. */
struct command *grants_command(struct grants *g, uint64_t ask_id);

/* Ends a command: done, or refused with why. */
enum err grants_end(struct grants *g, uint64_t ask_id, enum err why, struct uuid made, struct outbox *out);
enum err grants_end_refused(struct grants *g, uint64_t ask_id, enum err why, const char *detail, struct outbox *out);

/* Those that wait for who is gone, or for too long, end. */
void grants_commands_without_log(struct grants *g, struct outbox *out);
void grants_commands_without_keyring(struct grants *g, struct outbox *out);
void grants_commands_expire(struct grants *g, struct mono_ms now, struct outbox *out);

/* The id of an ask that begins here; the gate's have the high bit clear. */
uint64_t grants_own_ask(struct grants *g);

/*
 * grants_events.c: tells audit what happened, again until it is recorded. Of
 * what does not fit into memory beside too many others a line is logged.
 */
enum err grants_event(struct grants *g, struct outbox *out, enum log_type type, enum err outcome,
    const struct peer_body *peer, struct uuid grant);

/* Of a setting: what was changed, and of what. */
enum err grants_event_config(struct grants *g, struct outbox *out, enum log_config what, struct uuid about,
    const struct peer_body *peer);

/* Of anything else. */
enum err grants_event_tell(struct grants *g, const struct event_body *b, struct outbox *out);

/* Of a command that goes on at grants_recorded, once. ERR_BUSY: too many wait. */
enum err grants_event_awaited(struct grants *g, uint64_t ask_id, const struct event_body *b, struct outbox *out);

/* Of a lock: told before all others; grants_recorded hears of the first try. */
enum err grants_event_lock(struct grants *g, uint64_t ask_id, const struct event_body *b, struct outbox *out);

/* There is something new, or the log may take again what it refused. */
enum err grants_events_again(struct grants *g, struct outbox *out);
enum err grants_events_tick(struct grants *g, struct mono_ms now, struct outbox *out);

/* Audit came or went; what it was told and did not answer is told again. Awaited ones are forgotten. */
void     grants_events_edge(struct grants *g);
enum err grants_on_event_kept(void *self, const struct inbound *in, struct outbox *out);

struct event_body grants_event_of(enum log_type type, enum err outcome, const struct peer_body *peer,
    struct uuid grant);

/* What stands in the way of an owner's command: OK, or why not. One that may be done puts the idle lock off. */
enum err grants_check_unlocked(const struct grants *g); /* of what is no command of the owner's */
enum err grants_check_owner(struct grants *g);
enum err grants_check_sudo(struct grants *g, const struct peer_body *peer);

bool     grants_banned(const struct grants *g);
enum err grants_load_library(struct grants *g);

/* The 16 bytes by which the log names a terminal. */
struct uuid terminal_tag(const struct peer_body *peer);

/* Begins a key-only start if nothing stands in its way; says STARTED when the first try has ended. */
enum err grants_try_load(struct grants *g, struct outbox *out);
/* At the deadline of a key-only start that nobody answered, and at the time of the next try. */
enum err grants_load_tick(struct grants *g, struct mono_ms now, struct outbox *out);
void     grants_state_of(const struct grants *g, struct state_body *s);

/* grants_anchor.c: what the database keeps of the log. */
void     grants_anchor_tell(const struct grants *g, struct outbox *out);
void     grants_anchor_tick(struct grants *g, struct mono_ms now);
enum err grants_on_head(void *self, const struct inbound *in, struct outbox *out);

/* grants_expiry.c: how long grants last. */
enum grant_lasts {
	GRANT_LASTS,
	GRANT_DOUBTFUL, /* the clock stands before the grant was made: it is refused until that is put right */
	GRANT_OVER,
};

/* Of a life at these times; *left_ms: while it lasts, how long still, and UINT64_MAX for ever. */
enum grant_lasts grants_lasts(const struct grant_life *life, struct wall_ms wall, struct mono_ms mono,
    struct uuid boot, uint64_t *left_ms);

/* The same, now; one that is over is marked so for good, and the keyring and the log are told. */
enum grant_lasts grants_look_at(struct grants *g, struct uuid grant, const struct grant_life *life,
    uint64_t *left_ms, struct outbox *out);

/* Looks through all of them when it is time. */
enum err grants_expiry_tick(struct grants *g, struct mono_ms now, struct outbox *out);

/* grants_ruling.c */
enum err grants_on_ruling_wanted(void *self, const struct inbound *in, struct outbox *out);

/* grants_owner.c */
enum err grants_on_init(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_envelope(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_kek(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_kek_tried(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_sudo_end(void *self, const struct inbound *in, struct outbox *out);
enum err grants_recorded(struct grants *g, uint64_t ask_id, enum err e, struct outbox *out); /* the log's word for a command */
enum err grants_on_checkpoint_ordered(void *self, const struct inbound *in, struct outbox *out);

/* grants_vault.c */
enum err grants_on_vault(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_vault_keys(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_keys_not_made(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_vault_remove(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_proposal_drop(void *self, const struct inbound *in, struct outbox *out);

/* grants_lock.c */
enum err grants_on_lock(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_keys_dropped(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_checkpoint_over(void *self, const struct inbound *in, struct outbox *out);

/* Waits for the last checkpoint if there can be one, then drops the keys: of an idle lock what the password opened. */
enum err grants_lock_begin(struct grants *g, uint64_t ask_id, bool idle, struct outbox *out);

/* The log's word for the record of a lock. */
enum err grants_lock_recorded(struct grants *g, uint64_t ask_id, struct command *c, enum err e, struct outbox *out);

/* The keys of a lock go now, whether there is a checkpoint or not; and when its time is over. */
enum err grants_lock_without_checkpoint(struct grants *g, struct outbox *out);
enum err grants_lock_tick(struct grants *g, struct mono_ms now, struct outbox *out);

/* The index is gone, or what the profile held: ends the locks that waited for that alone. */
void     grants_locks_go_on(struct grants *g, struct outbox *out);

/* grants_sleep.c */
enum err        grants_on_sleep(void *self, const struct inbound *in, struct outbox *out);
enum sleep_word grants_sleep_word(const struct grants *g);

/* grants_idle.c */
enum err       grants_idle_lock(struct grants *g, struct outbox *out); /* OK when it is locked already */
enum err       grants_idle_tick(struct grants *g, struct mono_ms now, struct outbox *out);
struct mono_ms grants_idle_ends(const struct grants *g); /* 0: it does not */
void           grants_owner_was_here(struct grants *g);

/* grants_settings.c */
enum err grants_on_passwd(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_rewrapped(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_setting(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_device(void *self, const struct inbound *in, struct outbox *out);
enum err grants_finish_setting(struct grants *g, uint64_t ask_id, struct command *c, struct outbox *out);

/* grants_search.c: tells search which vaults there are, or that the library is locked. */
enum err grants_search_tell(struct grants *g, struct outbox *out);

/* Has the index dropped, which all locks wait for. After a while search is ended instead. */
enum err grants_search_drop(struct grants *g, uint64_t ask_id, struct outbox *out);
enum err grants_search_tick(struct grants *g, struct mono_ms now, struct outbox *out);
void     grants_search_edge(struct grants *g, bool up, struct outbox *out);
enum err grants_on_index_ask(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_index_dropped(void *self, const struct inbound *in, struct outbox *out);

/* grants_profile.c: how the remote profile stands. */
enum http_phase grants_profile_phase(const struct grants *g);
enum err grants_profile_load(struct grants *g); /* what the database keeps of it */
enum err grants_profile_keep(struct grants *g, const struct profile_record *r); /* there, and here */

/* Tells HTTP how it stands, if that is another than was told or `anew`. */
enum err grants_profile_tell(struct grants *g, bool anew, struct outbox *out);

/* Has the keyring give the profile its key, if it is to have it and has not. */
enum err grants_profile_open(struct grants *g, struct outbox *out);

/* Has the profile forget all, which all locks wait for that take its key. After a while its process is ended instead. */
enum err grants_profile_drop(struct grants *g, uint64_t ask_id, struct outbox *out);
enum err grants_profile_tick(struct grants *g, struct mono_ms now, struct outbox *out);
struct mono_ms grants_profile_next(const struct grants *g); /* when the next tick is; 0: no wish */
void     grants_profile_edge(struct grants *g, enum actor other, bool up, struct outbox *out);

/* May its owner ask it now? OK, or why not. */
enum err grants_profile_check(struct grants *g);
enum err grants_on_profile_opened(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_profile_not_opened(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_profile_dropped(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_http_listens(void *self, const struct inbound *in, struct outbox *out);

/* grants_profile_custody.c: what opens the profile without the password. */
struct custody_ref_body grants_profile_custody_ref(const struct grants *g, uint8_t delegation[DELEGATION_LEN]);

/* Begins a key-only start of the profile if nothing stands in its way. */
enum err grants_profile_try_load(struct grants *g, struct outbox *out);
enum err grants_profile_load_tick(struct grants *g, struct mono_ms now, struct outbox *out);
struct mono_ms grants_profile_load_next(const struct grants *g);

/* The end of one: why it did not load, or OK. */
enum err grants_profile_load_ended(struct grants *g, uint64_t ask_id, enum err why, struct outbox *out);
bool     grants_profile_banned(const struct grants *g);

/* Enrols a custody for a command, whose profile key is known; its answer; and the end of it. */
enum err grants_profile_enrol(struct grants *g, uint64_t ask_id, const struct command *c, struct outbox *out);
enum err grants_profile_material_stored(struct grants *g, uint64_t ask_id, struct command *c,
    const struct material_stored_body *b, struct outbox *out);
enum err grants_profile_keep_enrolment(struct grants *g, const struct command *c);
enum err grants_profile_forget_enrolment(struct grants *g);

/* grants_profile_owner.c */
enum err grants_on_profile_enable(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_profile_key_made(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_profile_disable(void *self, const struct inbound *in, struct outbox *out);
enum err grants_finish_profile(struct grants *g, uint64_t ask_id, struct command *c, enum err recorded, struct outbox *out);

/* grants_profile_state.c */
enum err grants_on_maintenance(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_profile_state(void *self, const struct inbound *in, struct outbox *out);

/* A part of what commands waited for is over: its key is gone here or there, or it is open or will not be. */
void     grants_profile_gone(struct grants *g, struct outbox *out);
enum err grants_profile_keys_dropped(struct grants *g, uint64_t ask_id, struct command *c, struct outbox *out);
enum err grants_profile_material_removed(struct grants *g, uint64_t ask_id, struct command *c, struct outbox *out);
void     grants_profile_settled(struct grants *g, enum err why, struct outbox *out);

/* grants_start.c */
struct custody_ref_body grants_custody_ref(const struct grants *g, uint8_t delegation[DELEGATION_LEN]);
struct custody_ref_body grants_custody_ref_of(const struct grants *g, enum custody_purpose purpose,
    const struct enrolment_record *r, uint8_t delegation[DELEGATION_LEN]);
enum err grants_on_material_refused(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_key_loaded(void *self, const struct inbound *in, struct outbox *out);

/* grants_repair.c */
enum err grants_on_repair(void *self, const struct inbound *in, struct outbox *out);

/* grants_unattended.c */
enum err grants_take_enrolment(const struct custody_ref_body *ref, struct enrolment_record *out);
enum err grants_on_enable(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_material_stored(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_resume(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_disable(void *self, const struct inbound *in, struct outbox *out);
enum err grants_disable_clean(struct grants *g, uint64_t ask_id, const struct command *c, struct outbox *out);
enum err grants_on_material_removed(void *self, const struct inbound *in, struct outbox *out);

/* grants_mint.c */
enum err grants_on_mint(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_grant_keys(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_list(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_revoke(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_grant_dropped(void *self, const struct inbound *in, struct outbox *out);

/*
 * What widens rights takes effect when its record is durable: these make it so,
 * or not, after the log's word.
 */
enum err grants_keep_record(struct grants *g, uint64_t ask_id, enum log_type type, struct outbox *out);
enum err grants_finish_enable(struct grants *g, uint64_t ask_id, struct command *c, enum err recorded, struct outbox *out);
enum err grants_finish_mint(struct grants *g, uint64_t ask_id, struct command *c, struct outbox *out);

#endif
