/* asset show --resolve: references in content, replaced by what they stand for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escrow/deposit.h"
#include "gateway/json_scan.h"
#include "gateway/reference.h"
#include "tools/command/show.h"

#define CREDENTIALS_MAX 256
#define SECRET_MAX      65536u

/* Each credential is read once, however often it is referred to. */
struct resolved {
	struct reference reference;
	struct secret   *secret; /* owned */
};

struct resolver {
	struct invocation *in;
	struct client     *client;
	size_t             n;
	struct resolved    known[CREDENTIALS_MAX];
};

static bool
same_reference(const struct reference *a, const struct reference *b)
{
	return uuid_equal(a->credential, b->credential) && uuid_equal(a->vault, b->vault) && strcmp(a->name, b->name) == 0;
}

static enum err
about(struct resolver *r, const struct reference *ref, enum err e)
{
	char credential[UUID_TEXT_LEN + 1], detail[sizeof r->in->detail];

	uuid_text(ref->credential, credential);
	snprintf(detail, sizeof detail, "%s", r->in->detail);
	snprintf(r->in->detail, sizeof r->in->detail, "the reference to %s%s%.900s", credential, detail[0] != '\0' ? ": " : "", detail);
	return e;
}

/* The one active vault of that name. */
static enum err
vault_of_name(struct resolver *r, const char *name, struct uuid *out)
{
	struct client_want want = { .op = OP_VAULT_LIST, .surface = SURFACE_OWNER, .limit = 100 };
	struct client_answer *a = NULL;
	size_t n = 0;
	bool more = true;
	enum err e;

	while (more) {
		if ((e = owner_ask(r->in, r->client, &want, &a)) != OK)
			return e;
		for (size_t i = 0; i < a->n_items; i++)
			if ((a->items[i].flags & ITEM_INACTIVE) == 0 && secret_len(a->items[i].plain) == strlen(name) &&
			    memcmp(secret_view(a->items[i].plain), name, strlen(name)) == 0) {
				*out = a->items[i].ref.asset;
				n++;
			}
		more = a->more;
		want.offset += a->n_items;
		client_answer_free(&a);
	}
	if (n == 1)
		return OK;
	explain(r->in, n == 0 ? "no vault has that name" : "several vaults have that name: refer to it by its id");
	return ERR_NOT_FOUND;
}

static enum err
read_credential(struct resolver *r, const struct reference *ref, struct secret **out)
{
	struct client_want want = { .op = OP_CREDENTIAL_BYTES, .surface = SURFACE_OWNER, .vault = ref->vault,
		.asset = ref->credential, .limit = SECRET_MAX };
	struct client_bytes b = { .data = NULL };
	enum err e;

	if (uuid_is_zero(want.vault) && (e = vault_of_name(r, ref->name, &want.vault)) != OK)
		return e;
	if ((e = client_read(r->client, &want, &b)) != OK) {
		if (client_detail(r->client)[0] != '\0')
			explain(r->in, client_detail(r->client));
		return e;
	}
	if (b.at_end && b.data != NULL) {
		*out = b.data;
		return OK;
	}
	e = b.at_end ? secret_new(0, out) : ERR_STORAGE_CORRUPT;
	client_bytes_free(&b);
	return e;
}

static enum err
look_up(struct resolver *r, const struct reference *ref, const struct secret **out)
{
	enum err e;

	for (size_t i = 0; i < r->n; i++)
		if (same_reference(&r->known[i].reference, ref)) {
			*out = r->known[i].secret;
			return OK;
		}
	if (r->n == CREDENTIALS_MAX) {
		explain(r->in, "the content refers to more than 256 credentials");
		return ERR_TOO_LARGE;
	}
	if ((e = read_credential(r, ref, &r->known[r->n].secret)) != OK)
		return about(r, ref, e);
	r->known[r->n].reference = *ref;
	*out = r->known[r->n++].secret;
	return OK;
}

static enum err
too_large(struct resolver *r)
{
	explain(r->in, "with its secrets the content is larger than 1 MiB");
	return ERR_TOO_LARGE;
}

/* The text with each reference replaced, first measured, then written. */
static enum err
replace(struct resolver *r, struct span text, struct secret **out)
{
	const struct secret *secret;
	struct reference ref;
	struct secret *s = NULL;
	struct wire_out o;
	size_t from, len = text.len;
	enum err e;

	for (from = 0; reference_find(text, from, &ref); from = ref.at + ref.len) {
		if ((e = look_up(r, &ref, &secret)) != OK)
			return e;
		if ((len = len - ref.len + secret_len(secret)) > JSON_TEXT_MAX)
			return too_large(r);
	}
	if ((e = secret_new(len, &s)) != OK)
		return e;
	o = wire_out(secret_bytes(s), len);
	for (from = 0; reference_find(text, from, &ref); from = ref.at + ref.len) {
		wire_put_bytes(&o, text.p + from, ref.at - from);
		if ((e = look_up(r, &ref, &secret)) != OK)
			break;
		wire_put_bytes(&o, secret_view(secret), secret_len(secret));
	}
	wire_put_bytes(&o, text.p + from, text.len - from);
	if (e == OK && (o.failed || wire_written(&o).len != len))
		e = ERR_INTERNAL;
	if (e != OK)
		secret_free(&s);
	else
		*out = s;
	return e;
}

static enum err
write_value(struct resolver *r, struct json_writer *w, const char *name, struct span text)
{
	struct secret *value = NULL;
	enum err e = replace(r, text, &value);

	if (e == OK)
		json_member_string(w, name, secret_span(value));
	secret_free(&value);
	if (e == OK && w->len > JSON_TEXT_MAX)
		return too_large(r);
	return e;
}

static enum err write_object(struct resolver *r, struct json_writer *w, const struct json *object);

static enum err
write_array(struct resolver *r, struct json_writer *w, const struct json *array)
{
	struct span text;
	enum err e = OK;

	json_write_array(w);
	for (const struct json *v = json_first(array); v != NULL && e == OK; v = json_next(v)) {
		if (json_type(v) == JSON_OBJECT)
			e = write_object(r, w, v);
		else if (json_as_string(v, &text))
			json_write_string(w, text);
		else
			e = ERR_STORAGE_CORRUPT;
	}
	json_write_end(w);
	return e;
}

/* Content JSON, and its fields: what is no `body` or `value` stays as it is. */
static enum err
write_object(struct resolver *r, struct json_writer *w, const struct json *object)
{
	struct span text;
	bool flag;
	enum err e = OK;

	json_write_object(w);
	for (const struct json *m = json_first(object); m != NULL && e == OK; m = json_next(m)) {
		const char *name = json_name(m);

		if (json_as_string(m, &text) && (strcmp(name, "body") == 0 || strcmp(name, "value") == 0)) {
			e = write_value(r, w, name, text);
		} else if (json_as_string(m, &text)) {
			json_member_string(w, name, text);
		} else if (json_bool(object, name, &flag) == JSON_GOT) {
			json_member_bool(w, name, flag);
		} else if (json_type(m) == JSON_ARRAY) {
			json_write_key(w, name);
			e = write_array(r, w, m);
		} else {
			e = ERR_STORAGE_CORRUPT;
		}
	}
	json_write_end(w);
	return e;
}

static enum err
resolve(struct resolver *r, const struct secret *content, struct secret **out)
{
	struct json_writer w = { 0 };
	struct json *root = NULL;
	struct span text;
	enum err e;

	if ((e = json_parse(secret_span(content), &root)) == OK && (e = write_object(r, &w, root)) == OK &&
	    (e = json_write_done(&w, &text)) == OK) {
		if (text.len > JSON_TEXT_MAX)
			e = too_large(r);
		else if ((e = secret_new(text.len, out)) == OK)
			memcpy(secret_bytes(*out), text.p, text.len);
	}
	json_write_free(&w);
	json_free(&root);
	return e;
}

enum err
show_resolve(struct invocation *in, struct client *c, struct secret **content)
{
	struct resolver *r = calloc(1, sizeof *r);
	struct secret *resolved = NULL;
	enum err e;

	if (r == NULL)
		return ERR_NO_MEMORY;
	r->in = in;
	r->client = c;
	if ((e = resolve(r, *content, &resolved)) == OK) {
		secret_free(content);
		*content = resolved;
	}
	for (size_t i = 0; i < r->n; i++)
		secret_free(&r->known[i].secret);
	free(r);
	return e;
}
