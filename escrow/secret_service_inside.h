/*
 * secret_service_inside: a talk with the Secret Service as secret_service.c
 * and secret_service_talk.c share it; for nobody else.
 */
#ifndef ESCROW_SECRET_SERVICE_INSIDE_H
#define ESCROW_SECRET_SERVICE_INSIDE_H

#include "escrow/sd_bus.h"
#include "escrow/secret_service.h"

#define SECRET_SERVICE    "org.freedesktop.Secret.Service"
#define SECRET_COLLECTION "org.freedesktop.Secret.Collection"
#define SECRET_ITEM       "org.freedesktop.Secret.Item"

/* One talk with the service, from connecting to its end. */
struct talk {
	const struct secret_service_key *key;
	struct mono_ms until;
	struct sd_bus_calls bus_calls;
	sd_bus *bus;
	char   *service;    /* the unique name of who serves: no other can step in, and none is started */
	char   *session;
	char   *collection; /* the default one, unlocked a moment ago */
	enum custody_detail *why;
};

/* Connects, opens a session, and finds the collection. On an error, too, talk_end is due. */
enum err talk_begin(struct talk *t);

/* The service forgets the session when the connection ends. */
void talk_end(struct talk *t);

/* The error, with more to say of it. */
enum err talk_because(struct talk *t, enum err e, enum custody_detail why);

/* An sd-bus function's result as our error. */
enum err talk_result(struct talk *t, int r);

enum err talk_new_call(struct talk *t, const char *path, const char *interface, const char *member,
    sd_bus_message **out);

/*
 * Calls, and frees the message; *reply is new. ERR_CUSTODY_MISSING: the
 * object that was called is not there. Others as secret_service_load.
 */
enum err talk_call(struct talk *t, sd_bus_message **m, sd_bus_message **reply);

/* The last path of the reply, as a copy. Frees the reply. */
enum err talk_take_path(struct talk *t, sd_bus_message **reply, const char *types, char **path);

/* ERR_CUSTODY_LOCKED: the object's property says so. Others as talk_call. */
enum err talk_check_unlocked(struct talk *t, const char *path, const char *interface);

#endif
