#include <stdlib.h>
#include <string.h>

#include "escrow/secret_service_inside.h"

#define PATHS_MAX 64 /* of items of one library */

/* The items that a search found. */
struct paths {
	char  *of[PATHS_MAX];
	size_t n;
};

/* The service asks the person: we do not. */
static enum err
take_no_prompt(struct talk *t, sd_bus_message **reply, const char *types)
{
	char *prompt = NULL;
	enum err e = talk_take_path(t, reply, types, &prompt);

	if (e == OK && strcmp(prompt, "/") != 0)
		e = talk_because(t, ERR_CUSTODY_LOCKED, CUSTODY_WANTS_PROMPT);
	free(prompt);
	return e;
}

static void
free_paths(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->of[i]);
	p->n = 0;
}

static enum err
take_paths(struct talk *t, sd_bus_message *reply, struct paths *p)
{
	const char *path = NULL;
	int r = t->bus_calls.sd_bus_message_enter_container(reply, 'a', "o");

	while (r >= 0 && (r = t->bus_calls.sd_bus_message_read(reply, "o", &path)) > 0) {
		if (p->n == PATHS_MAX)
			return talk_because(t, ERR_CUSTODY_INVALID, CUSTODY_SEVERAL_ITEMS);
		if ((p->of[p->n] = strdup(path)) == NULL)
			return ERR_NO_MEMORY;
		p->n++;
	}
	return talk_result(t, r);
}

struct attributes {
	const char *application, *label;
	char library[UUID_TEXT_LEN + 1], enrolment[UUID_TEXT_LEN + 1], home[2 * SHA256_LEN + 1];
};

static struct attributes
attributes_of(const struct secret_service_key *k)
{
	static const char digits[] = "0123456789abcdef";
	struct attributes a = { .application = "memories", .label = "memories: unattended access" };

	/* Items of another purpose are found by no search of this one. */
	if (k->purpose == CUSTODY_PROFILE) {
		a.application = "memories-profile";
		a.label = "memories: remote profile";
	}
	uuid_text(k->library, a.library);
	uuid_text(k->enrolment, a.enrolment);
	for (size_t i = 0; i < SHA256_LEN; i++) {
		a.home[2 * i] = digits[k->home[i] >> 4];
		a.home[2 * i + 1] = digits[k->home[i] & 15];
	}
	a.home[2 * SHA256_LEN] = '\0';
	return a;
}

/* Adds the items of this library that have the attribute besides. The caller frees the paths, also on an error. */
static enum err
search(struct talk *t, const char *attribute, const char *value, struct paths *p)
{
	struct attributes a = attributes_of(t->key);
	sd_bus_message *m = NULL, *reply = NULL;
	enum err e;

	if ((e = talk_new_call(t, t->collection, SECRET_COLLECTION, "SearchItems", &m)) == OK &&
	    (e = talk_result(t, t->bus_calls.sd_bus_message_append(m, "a{ss}", 3, "application", a.application,
	    "library", a.library, attribute, value))) == OK && (e = talk_call(t, &m, &reply)) == OK)
		e = take_paths(t, reply, p);
	t->bus_calls.sd_bus_message_unref(m);
	t->bus_calls.sd_bus_message_unref(reply);
	return e;
}

/* A secret is session, parameters, value and media type. */
static enum err
take_secret(struct talk *t, sd_bus_message *reply, struct secret **text)
{
	const char *session = NULL;
	const void *parameters = NULL, *value = NULL;
	size_t parameters_len = 0, len = 0;
	struct sd_bus_calls *c = &t->bus_calls;
	enum err e;

	if ((e = talk_result(t, c->sd_bus_message_sensitive(reply))) != OK ||
	    (e = talk_result(t, c->sd_bus_message_enter_container(reply, 'r', "oayays"))) != OK ||
	    (e = talk_result(t, c->sd_bus_message_read(reply, "o", &session))) != OK ||
	    (e = talk_result(t, c->sd_bus_message_read_array(reply, 'y', &parameters, &parameters_len))) != OK ||
	    (e = talk_result(t, c->sd_bus_message_read_array(reply, 'y', &value, &len))) != OK)
		return e;
	if (session == NULL || strcmp(session, t->session) != 0)
		return talk_because(t, ERR_CUSTODY_INVALID, CUSTODY_BROKE_PROTOCOL);
	if (len > SECRET_SERVICE_MAX)
		return ERR_CUSTODY_INVALID;
	if ((e = secret_new(len, text)) == OK && len > 0)
		memcpy(secret_bytes(*text), value, len);
	return e;
}

static enum err
get_secret(struct talk *t, const char *item, struct secret **text)
{
	sd_bus_message *m = NULL, *reply = NULL;
	enum err e;

	if ((e = talk_check_unlocked(t, item, SECRET_ITEM)) == OK && (e = talk_new_call(t, item, SECRET_ITEM, "GetSecret", &m)) == OK &&
	    (e = talk_result(t, t->bus_calls.sd_bus_message_append(m, "o", t->session))) == OK &&
	    (e = talk_call(t, &m, &reply)) == OK)
		e = take_secret(t, reply, text);
	t->bus_calls.sd_bus_message_unref(m);
	t->bus_calls.sd_bus_message_unref(reply);
	return e;
}

static enum err
load(struct talk *t, struct secret **text)
{
	struct attributes a = attributes_of(t->key);
	struct paths found = { .n = 0 };
	enum err e = search(t, "enrolment", a.enrolment, &found);

	if (e == OK)
		e = found.n == 0 ? ERR_CUSTODY_MISSING
		    : found.n > 1 ? talk_because(t, ERR_CUSTODY_INVALID, CUSTODY_SEVERAL_ITEMS)
		    : get_secret(t, found.of[0], text);
	free_paths(&found);
	return e;
}

static enum err
put_item(struct talk *t, struct span text, sd_bus_message *m)
{
	struct attributes a = attributes_of(t->key);
	struct sd_bus_calls *c = &t->bus_calls;
	enum err e;

	if ((e = talk_result(t, c->sd_bus_message_sensitive(m))) != OK ||
	    (e = talk_result(t, c->sd_bus_message_append(m, "a{sv}", 2,
	    SECRET_ITEM ".Label", "s", a.label,
	    SECRET_ITEM ".Attributes", "a{ss}", 4, "application", a.application, "library", a.library,
	    "enrolment", a.enrolment, "home", a.home))) != OK ||
	    (e = talk_result(t, c->sd_bus_message_open_container(m, 'r', "oayays"))) != OK ||
	    (e = talk_result(t, c->sd_bus_message_append(m, "oay", t->session, 0))) != OK ||
	    (e = talk_result(t, c->sd_bus_message_append_array(m, 'y', text.p, text.len))) != OK ||
	    (e = talk_result(t, c->sd_bus_message_append(m, "s", "text/plain"))) != OK ||
	    (e = talk_result(t, c->sd_bus_message_close_container(m))) != OK)
		return e;
	return talk_result(t, c->sd_bus_message_append(m, "b", 1));
}

static enum err
create_item(struct talk *t, struct span text)
{
	sd_bus_message *m = NULL, *reply = NULL;
	enum err e;

	if ((e = talk_new_call(t, t->collection, SECRET_COLLECTION, "CreateItem", &m)) == OK &&
	    (e = put_item(t, text, m)) == OK && (e = talk_call(t, &m, &reply)) == OK)
		e = take_no_prompt(t, &reply, "oo");
	t->bus_calls.sd_bus_message_unref(m);
	t->bus_calls.sd_bus_message_unref(reply);
	return e == ERR_CUSTODY_MISSING ? talk_because(t, ERR_CUSTODY_UNAVAILABLE, CUSTODY_NO_COLLECTION) : e;
}

/* A damaged keyring takes everything and gives nothing back. */
static enum err
check_kept(struct talk *t, struct span text)
{
	struct secret *back = NULL;
	enum err e = load(t, &back);

	if (e == ERR_CUSTODY_MISSING ||
	    (e == OK && (secret_len(back) != text.len || !same_bytes(secret_view(back), text.p, text.len))))
		e = talk_because(t, ERR_CUSTODY_INVALID, CUSTODY_NOT_KEPT);
	secret_free(&back);
	return e;
}

/* One that another has deleted meanwhile is gone as well. */
static enum err
delete_item(struct talk *t, const char *item)
{
	sd_bus_message *m = NULL, *reply = NULL;
	enum err e;

	if ((e = talk_new_call(t, item, SECRET_ITEM, "Delete", &m)) == OK && (e = talk_call(t, &m, &reply)) == OK)
		e = take_no_prompt(t, &reply, "o");
	t->bus_calls.sd_bus_message_unref(m);
	t->bus_calls.sd_bus_message_unref(reply);
	return e == ERR_CUSTODY_MISSING ? OK : e;
}

static enum err
search_all(struct talk *t, struct paths *found)
{
	struct attributes a = attributes_of(t->key);
	enum err e = search(t, "enrolment", a.enrolment, found);

	return e == OK ? search(t, "home", a.home, found) : e;
}

static enum err
delete_all(struct talk *t)
{
	struct paths found = { .n = 0 }, left = { .n = 0 };
	enum err e = search_all(t, &found);

	for (size_t i = 0; i < found.n && e == OK; i++)
		e = delete_item(t, found.of[i]);
	if (e == OK && found.n > 0 && (e = search_all(t, &left)) == OK && left.n > 0)
		e = talk_because(t, ERR_CUSTODY_INVALID, CUSTODY_NOT_DELETED);
	free_paths(&found);
	free_paths(&left);
	return e;
}

/* Material of earlier enrolments opens nothing any more; that it stays is no failure. */
static void
delete_earlier(struct talk *t)
{
	struct attributes a = attributes_of(t->key);
	struct paths ours = { .n = 0 }, all = { .n = 0 };
	enum custody_detail why, *told = t->why;

	t->why = &why;
	if (search(t, "enrolment", a.enrolment, &ours) == OK && search(t, "home", a.home, &all) == OK && ours.n == 1)
		for (size_t i = 0; i < all.n; i++)
			if (strcmp(all.of[i], ours.of[0]) != 0)
				(void)delete_item(t, all.of[i]);
	t->why = told;
	free_paths(&ours);
	free_paths(&all);
}

enum err
secret_service_store(const struct secret_service_key *k, struct span text, struct mono_ms until,
    enum custody_detail *why)
{
	struct talk t = { .key = k, .until = until, .why = why };
	enum err e;

	if ((e = talk_begin(&t)) == OK && (e = create_item(&t, text)) == OK && (e = check_kept(&t, text)) == OK)
		delete_earlier(&t);
	talk_end(&t);
	return e;
}

enum err
secret_service_load(const struct secret_service_key *k, struct mono_ms until, struct secret **text,
    enum custody_detail *why)
{
	struct talk t = { .key = k, .until = until, .why = why };
	enum err e = talk_begin(&t);

	if (e == OK)
		e = load(&t, text);
	talk_end(&t);
	return e;
}

enum err
secret_service_remove(const struct secret_service_key *k, struct mono_ms until, enum custody_detail *why)
{
	struct talk t = { .key = k, .until = until, .why = why };
	enum err e = talk_begin(&t);

	if (e == OK)
		e = delete_all(&t);
	talk_end(&t);
	return e;
}
