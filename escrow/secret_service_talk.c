#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escrow/secret_service_inside.h"

#define NAME       "org.freedesktop.secrets"
#define ROOT       "/org/freedesktop/secrets"
#define SESSION    ROOT "/collection/session"
#define PROPERTIES "org.freedesktop.DBus.Properties"
#define IS_LOCKED  "org.freedesktop.Secret.Error.IsLocked"

enum err
talk_because(struct talk *t, enum err e, enum custody_detail why)
{
	*t->why = why;
	return e;
}

enum err
talk_result(struct talk *t, int r)
{
	if (r >= 0)
		return OK;
	if (r == -ENOMEM)
		return ERR_NO_MEMORY;
	/* What sd-bus says of a message that is not of the expected form. */
	if (r == -EBADMSG || r == -ENXIO || r == -EINVAL)
		return talk_because(t, ERR_CUSTODY_INVALID, CUSTODY_BROKE_PROTOCOL);
	return talk_because(t, ERR_CUSTODY_UNAVAILABLE, CUSTODY_NO_ANSWER);
}

static enum err
of_error(struct talk *t, const sd_bus_error *error)
{
	static const char *const gone[] = {
		"org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownObject",
		"org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownInterface",
	};

	if (error->name == NULL)
		return talk_because(t, ERR_CUSTODY_UNAVAILABLE, CUSTODY_NO_ANSWER);
	if (strcmp(error->name, IS_LOCKED) == 0)
		return ERR_CUSTODY_LOCKED;
	/* Whoever asks says what is missing then: the collection, or the item. */
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
		if (strcmp(error->name, gone[i]) == 0)
			return ERR_CUSTODY_MISSING;
	return talk_because(t, ERR_CUSTODY_UNAVAILABLE, CUSTODY_NO_ANSWER);
}

enum err
talk_new_call(struct talk *t, const char *path, const char *interface, const char *member, sd_bus_message **out)
{
	enum err e = talk_result(t, t->bus_calls.sd_bus_message_new_method_call(t->bus, out, t->service, path,
	    interface, member));

	return e == OK ? talk_result(t, t->bus_calls.sd_bus_message_set_auto_start(*out, 0)) : e;
}

enum err
talk_call(struct talk *t, sd_bus_message **m, sd_bus_message **reply)
{
	struct mono_ms now = clock_mono();
	sd_bus_error error = SD_BUS_ERROR_NULL;
	/* Zero would mean the library's own, longer time. */
	uint64_t left_us = now.ms < t->until.ms ? (t->until.ms - now.ms) * 1000 : 1;
	enum err e = OK;

	if (t->bus_calls.sd_bus_call(t->bus, *m, left_us, &error, reply) < 0)
		e = of_error(t, &error);
	t->bus_calls.sd_bus_error_free(&error);
	*m = t->bus_calls.sd_bus_message_unref(*m);
	return e;
}

enum err
talk_take_path(struct talk *t, sd_bus_message **reply, const char *types, char **path)
{
	const char *first = NULL, *last = NULL;
	enum err e = talk_result(t, t->bus_calls.sd_bus_message_read(*reply, types, &first, &last));

	if (e == OK && (*path = strdup(last != NULL ? last : first)) == NULL)
		e = ERR_NO_MEMORY;
	*reply = t->bus_calls.sd_bus_message_unref(*reply);
	return e;
}

static enum err
find_service(struct talk *t)
{
	sd_bus_creds *creds = NULL;
	const char *unique = NULL;
	uid_t uid = 0;
	enum err e = OK;
	int r = t->bus_calls.sd_bus_get_name_creds(t->bus, NAME, SD_BUS_CREDS_UNIQUE_NAME | SD_BUS_CREDS_EUID, &creds);

	if (r == -ENXIO)
		return talk_because(t, ERR_CUSTODY_UNAVAILABLE, CUSTODY_NO_SERVICE);
	if (r < 0)
		return talk_because(t, ERR_CUSTODY_UNAVAILABLE, CUSTODY_NO_BUS);
	if (t->bus_calls.sd_bus_creds_get_unique_name(creds, &unique) < 0 ||
	    t->bus_calls.sd_bus_creds_get_euid(creds, &uid) < 0)
		e = talk_because(t, ERR_CUSTODY_UNAVAILABLE, CUSTODY_NO_BUS);
	else if (uid != geteuid())
		e = talk_because(t, ERR_CUSTODY_UNSAFE, CUSTODY_FOREIGN_SERVICE);
	else if ((t->service = strdup(unique)) == NULL)
		e = ERR_NO_MEMORY;
	t->bus_calls.sd_bus_creds_unref(creds);
	return e;
}

static enum err
open_session(struct talk *t)
{
	sd_bus_message *m = NULL, *reply = NULL;
	enum err e;

	if ((e = talk_new_call(t, ROOT, SECRET_SERVICE, "OpenSession", &m)) == OK &&
	    (e = talk_result(t, t->bus_calls.sd_bus_message_append(m, "sv", "plain", "s", ""))) == OK &&
	    (e = talk_call(t, &m, &reply)) == OK &&
	    (e = talk_result(t, t->bus_calls.sd_bus_message_skip(reply, "v"))) == OK)
		e = talk_take_path(t, &reply, "o", &t->session);
	t->bus_calls.sd_bus_message_unref(m);
	t->bus_calls.sd_bus_message_unref(reply);
	return e == ERR_CUSTODY_MISSING ? talk_because(t, ERR_CUSTODY_INVALID, CUSTODY_BROKE_PROTOCOL) : e;
}

/* What is not there may be closed: some services show no collection then. */
static enum err
find_collection(struct talk *t)
{
	sd_bus_message *m = NULL, *reply = NULL;
	enum err e;

	if ((e = talk_new_call(t, ROOT, SECRET_SERVICE, "ReadAlias", &m)) == OK &&
	    (e = talk_result(t, t->bus_calls.sd_bus_message_append(m, "s", "default"))) == OK &&
	    (e = talk_call(t, &m, &reply)) == OK)
		e = talk_take_path(t, &reply, "o", &t->collection);
	t->bus_calls.sd_bus_message_unref(m);
	if (e != OK)
		return e == ERR_CUSTODY_MISSING ? talk_because(t, ERR_CUSTODY_INVALID, CUSTODY_BROKE_PROTOCOL) : e;
	/* The session's collection forgets at logout. */
	if (strcmp(t->collection, "/") == 0 || strcmp(t->collection, SESSION) == 0)
		return talk_because(t, ERR_CUSTODY_UNAVAILABLE, CUSTODY_NO_COLLECTION);
	return OK;
}

enum err
talk_check_unlocked(struct talk *t, const char *path, const char *interface)
{
	sd_bus_message *m = NULL, *reply = NULL;
	int locked = 1;
	enum err e;

	if ((e = talk_new_call(t, path, PROPERTIES, "Get", &m)) == OK &&
	    (e = talk_result(t, t->bus_calls.sd_bus_message_append(m, "ss", interface, "Locked"))) == OK &&
	    (e = talk_call(t, &m, &reply)) == OK)
		e = talk_result(t, t->bus_calls.sd_bus_message_read(reply, "v", "b", &locked));
	t->bus_calls.sd_bus_message_unref(m);
	t->bus_calls.sd_bus_message_unref(reply);
	return e == OK && locked ? ERR_CUSTODY_LOCKED : e;
}

enum err
talk_begin(struct talk *t)
{
	enum err e;

	if (sd_bus_load(&t->bus_calls) != OK)
		return talk_because(t, ERR_CUSTODY_UNAVAILABLE, CUSTODY_NO_LIBRARY);
	if (t->bus_calls.sd_bus_open_user(&t->bus) < 0)
		return talk_because(t, ERR_CUSTODY_UNAVAILABLE, CUSTODY_NO_BUS);
	if ((e = find_service(t)) != OK || (e = open_session(t)) != OK || (e = find_collection(t)) != OK)
		return e;
	e = talk_check_unlocked(t, t->collection, SECRET_COLLECTION);
	return e == ERR_CUSTODY_MISSING ? talk_because(t, ERR_CUSTODY_UNAVAILABLE, CUSTODY_NO_COLLECTION) : e;
}

void
talk_end(struct talk *t)
{
	if (t->bus != NULL)
		t->bus_calls.sd_bus_close_unref(t->bus);
	free(t->service);
	free(t->session);
	free(t->collection);
}
