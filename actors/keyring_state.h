/*
 * keyring_state: the keyring's own state, shared by the files that hold its
 * handlers and by nobody else.
 */
#ifndef ACTORS_KEYRING_STATE_H
#define ACTORS_KEYRING_STATE_H

#include "actors/channels.h"
#include "actors/settings.h"
#include "escrow/cert.h"
#include "escrow/channel.h"
#include "escrow/custody.h"
#include "mailbox/actor.h"
#include "mailbox/words.h"

#define DROPPED_GRANTS_MAX 256

/* The key that opens what a purpose is for, and who may sign for the log in the log key's place. */
struct custody_keys {
	struct key       *key;
	struct signer    *delegate;
	struct delegation delegation;
};

struct keyring {
	const struct settings *settings;
	struct uuid       boot;
	struct key_pair   boot_pair;
	struct channels  *channels;
	struct key       *ruling_key;     /* shared with grants */
	struct key       *custody_box;    /* shared with custody */
	struct channel    search;         /* with search: `down` is what it opens */
	struct channel    profile;        /* with the profile, likewise */

	/* What the password opened; NULL while locked. */
	struct key       *root;
	struct signer    *log_key;

	/* What custody gave, by purpose; NULL while not loaded. */
	struct custody_keys custody[CUSTODY_PURPOSE__COUNT];

	bool              profile_open;   /* the profile was given its key, and may be asked */

	/* Audit's edge, the epoch that it runs or will run next and wants certified, and the one told before. */
	bool              audit_up;
	bool              search_up, profile_up, http_up;
	bool              epoch_known;
	struct uuid       epoch;
	uint8_t           epoch_public[SIGN_PUBLIC_LEN];
	bool              earlier_known;
	struct uuid       earlier;
	uint8_t           earlier_public[SIGN_PUBLIC_LEN];

	/* Wrong passwords in a row, and until when the next try waits. */
	unsigned          n_wrong;
	struct mono_ms    next_try;

	/* Grants revoked in this boot: a ruling made before may still be on its way. */
	struct uuid       dropped[DROPPED_GRANTS_MAX];
	size_t            n_dropped;
};

/* Tells grants and gate what is loaded, and certifies boot key and epoch as far as a key allows. */
enum err keyring_tell(struct keyring *k, struct outbox *out);

/* Wipes what the password opened, or what custody gave. */
void keyring_drop_password(struct keyring *k);
void keyring_drop_custody(struct keyring *k, enum custody_purpose purpose);

/* Who signs while the library is locked: one that custody gave, or NULL. */
const struct custody_keys *keyring_delegate(const struct keyring *k);

/* The key over a grant's class keys, from the base of its type. ERR_LOCKED, ERR_UNATTENDED_NOT_LOADED: there is none now. */
enum err keyring_grant_key(const struct keyring *k, enum grant_type type, const struct key *half,
    struct uuid grant, struct key *out);

/* keyring_ask.c: is it from grants, in time and of this boot? */
enum err keyring_check_made(const struct keyring *k, const struct ruling_body *r);

/* The same, and is the key there that it stands on? A connection's ruling stands on none. */
enum err keyring_check_ruling(const struct keyring *k, const struct ruling_body *r);
enum err keyring_on_keys_wanted(void *self, const struct inbound *in, struct outbox *out);

/* keyring_search.c */
enum err keyring_on_index_wanted(void *self, const struct inbound *in, struct outbox *out);

/* keyring_query.c: what search and the profile are asked, and the key to what they found. */
enum err keyring_on_query_wanted(void *self, const struct inbound *in, struct outbox *out);
enum err keyring_on_found_key_wanted(void *self, const struct inbound *in, struct outbox *out);

/* keyring_profile.c */
enum err keyring_check_profile(const struct keyring *k, const struct ruling_body *r);
enum err keyring_on_profile_key_make(void *self, const struct inbound *in, struct outbox *out);
enum err keyring_on_profile_open(void *self, const struct inbound *in, struct outbox *out);

/* keyring_owner.c */
enum err keyring_on_kek_try(void *self, const struct inbound *in, struct outbox *out);
enum err keyring_on_keys_drop(void *self, const struct inbound *in, struct outbox *out);
enum err keyring_on_rewrap(void *self, const struct inbound *in, struct outbox *out);
enum err keyring_on_vault_keys_wanted(void *self, const struct inbound *in, struct outbox *out);

/* keyring_checkpoint.c */
enum err keyring_on_checkpoint_wanted(void *self, const struct inbound *in, struct outbox *out);

/* keyring_unattended.c */
enum err keyring_on_enrol(void *self, const struct inbound *in, struct outbox *out);
enum err keyring_on_material(void *self, const struct inbound *in, struct outbox *out);

/* keyring_grants.c */
enum err keyring_on_grant_keys_wanted(void *self, const struct inbound *in, struct outbox *out);
enum err keyring_on_grant_drop(void *self, const struct inbound *in, struct outbox *out);

#endif
