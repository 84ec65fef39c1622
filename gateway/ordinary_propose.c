#include <stdio.h>

#include "gateway/content.h"
#include "gateway/json.h"
#include "gateway/ordinary_inside.h"
#include "gateway/writer.h"

/* What a proposal is made of, sealed here as the owner's writer would. */
struct made {
	struct content_labels labels;
	struct json_writer    content, meta;
	struct secret        *card_title; /* owned */
	struct span           title;
};

static enum err
say(char message[MCP_MESSAGE_MAX], const char *text)
{
	snprintf(message, MCP_MESSAGE_MAX, "%s", text);
	return ERR_INVALID_ARGUMENT;
}

static enum err
check_together(const struct ordinary_ask *ask, char message[MCP_MESSAGE_MAX])
{
	bool has_content = ask->has_body || ask->fields != NULL;

	if ((ask->op == PROPOSE_ADD) == ask->has_asset)
		return say(message, "\"asset\" goes with update and remove, and not with add");
	if (ask->op == PROPOSE_REMOVE)
		return has_content || ask->tags != NULL || ask->has_title ? say(message, "remove takes no content") : OK;
	if (!ask->has_title)
		return say(message, "\"title\" is required for add and update");
	return ask->has_body == (ask->fields != NULL) ? say(message, "give \"body\" for a memory, or \"fields\" for a card") : OK;
}

static enum err
take_tags(const struct ordinary_ask *ask, struct content_labels *l, char message[MCP_MESSAGE_MAX])
{
	const struct json *t = ask->tags != NULL ? json_first(ask->tags) : NULL;

	for (; t != NULL; t = json_next(t))
		if (l->n_tags == CONTENT_TAGS_MAX || !json_as_string(t, &l->tags[l->n_tags++]))
			return say(message, "\"tags\" must be an array of strings");
	return OK;
}

/* The card as its owner would have written it, to be read by who reads those. */
static enum err
write_card(const struct ordinary_ask *ask, struct json_writer *w)
{
	struct span name, value;
	bool protected;

	json_write_object(w);
	json_member_string(w, "title", ask->title);
	json_write_key(w, "fields");
	json_write_array(w);
	for (const struct json *f = json_first(ask->fields); f != NULL; f = json_next(f)) {
		protected = false;
		if (json_type(f) != JSON_OBJECT || json_string(f, "name", &name) != JSON_GOT ||
		    json_string(f, "value", &value) != JSON_GOT || json_bool(f, "protected", &protected) == JSON_WRONG_TYPE)
			return ERR_INVALID_ARGUMENT;
		json_write_object(w);
		json_member_string(w, "name", name);
		json_member_string(w, "value", value);
		json_member_bool(w, "protected", protected);
		json_write_end(w);
	}
	json_write_end(w);
	json_write_end(w);
	return OK;
}

static enum err
make_card(const struct ordinary_ask *ask, struct made *m, char message[MCP_MESSAGE_MAX])
{
	struct json_writer card = { 0 };
	struct span text;
	enum err e;

	if (write_card(ask, &card) != OK)
		e = say(message, "\"fields\" must be objects of a name, a value and, where it is a reference, \"protected\":true");
	else if ((e = json_write_done(&card, &text)) == OK)
		e = content_card(&m->labels, text, &m->content, &m->card_title);
	json_write_free(&card);
	return e;
}

/* The reason is the owner's to see beside the tags; the revision that is made of it has none. */
static enum err
make(const struct ordinary_ask *ask, struct made *m, char message[MCP_MESSAGE_MAX])
{
	enum err e;

	m->labels.title = m->title = ask->title;
	if ((e = take_tags(ask, &m->labels, message)) != OK)
		return e;
	if (ask->fields != NULL)
		e = make_card(ask, m, message);
	else if (ask->op != PROPOSE_REMOVE)
		e = content_memory(&m->labels, ask->body, &m->content);
	if (ask->reason.len > 0)
		m->labels.fields[m->labels.n_fields++] = (struct content_field){ "reason", ask->reason };
	if (e == OK)
		e = content_meta(&m->labels, &m->meta);
	if (e == ERR_INVALID_CONTENT)
		return say(message, "the content does not have the form of its kind: title at most 1024 bytes, tags at most 128 "
		    "each and none empty, a protected value secret://VAULT/CREDENTIAL");
	return e;
}

/* What it stands on: the one head that the grant sees now. */
static enum err
find_head(const struct ordinary *o, const struct ordinary_ask *ask, struct writer_want *want)
{
	struct client_want read = {
		.op = OP_READ, .surface = SURFACE_STDIO, .vault = ask->vault, .asset = ask->asset, .limit = 1,
		.token = o->token, .grant_type = GRANT_ORDINARY,
	};
	struct client_answer *a = NULL;
	enum err e = client_ask(o->client, &read, &a);

	if (e != OK)
		return e;
	if (a->n_items < 1 || !a->items[0].has_row) {
		e = ERR_STORAGE_CORRUPT;
	} else {
		want->asset = ask->asset;
		want->asset_created = a->items[0].row.asset_created;
		want->kind = ask->op == PROPOSE_REMOVE ? a->items[0].row.kind : want->kind;
		want->n_parents = 1;
		want->parents[0] = a->items[0].row.revision;
		e = want->kind == a->items[0].row.kind ? OK : ERR_WRONG_KIND;
	}
	client_answer_free(&a);
	return e;
}

static enum err
file_it(const struct ordinary *o, const struct writer_want *want, const struct made *m, struct json_writer *w)
{
	struct writer *writer = NULL;
	struct span content = { NULL, 0 }, meta;
	struct uuid asset, proposal;
	enum err e;

	if ((!want->deleted && (e = json_write_done(&m->content, &content)) != OK) ||
	    (e = json_write_done(&m->meta, &meta)) != OK || (e = writer_open(o->client, want, &writer)) != OK)
		return e;
	if ((want->deleted || (e = writer_add(writer, content.p, content.len)) == OK) &&
	    (e = writer_publish(writer, m->title, meta, &asset, &proposal)) == OK) {
		json_write_object(w);
		json_member_id(w, "proposal", proposal);
		json_member_text(w, "status", "pending");
		answer_audit(w, writer_index(writer), client_welcome(o->client)->library);
		json_write_end(w);
	}
	writer_close(&writer);
	return e;
}

enum err
ordinary_propose(const struct ordinary *o, const struct ordinary_ask *ask, struct json_writer *w,
    char message[MCP_MESSAGE_MAX])
{
	struct made m = { .card_title = NULL };
	struct writer_want want = { .vault = ask->vault, .kind = ask->fields != NULL ? KIND_CARD : KIND_MEMORY,
		.deleted = ask->op == PROPOSE_REMOVE, .mode = PUBLISH_ON_HEADS, .token = o->token };
	enum err e;

	if ((e = check_together(ask, message)) == OK && (e = make(ask, &m, message)) == OK &&
	    (ask->op == PROPOSE_ADD || (e = find_head(o, ask, &want)) == OK))
		e = file_it(o, &want, &m, w);
	if (e == ERR_REVISION_REQUIRED)
		snprintf(message, MCP_MESSAGE_MAX, "the asset is in conflict: the user has to settle that first, with "
		    "`memories asset resolve`");
	json_write_free(&m.content);
	json_write_free(&m.meta);
	secret_free(&m.card_title);
	return e;
}
