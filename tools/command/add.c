/* asset add: content from a file or stdin, sealed here, stored by the daemon. */
#include <string.h>
#include <unistd.h>

#include "gateway/content.h"
#include "gateway/writer.h"
#include "tools/command/change.h"
#include "tools/command/command.h"
#include "tools/command/credential.h"
#include "tools/command/source.h"

/* One asset on its way: what of it must be freed, and what its seals will hold. */
struct addition {
	enum kind             kind;
	struct content_labels labels;
	struct credential_fields fields;
	struct secret        *raw;      /* a credential's secret, a memory's body, a card's text */
	struct json_writer    content;  /* Content JSON */
	struct secret        *title;    /* a card's own title */
	struct json_writer    meta;
};

static void
addition_close(struct addition *a)
{
	credential_free(&a->fields);
	secret_free(&a->raw);
	json_write_free(&a->content);
	secret_free(&a->title);
	json_write_free(&a->meta);
}

static struct span
text_span(const char *s)
{
	return (struct span){ (const uint8_t *)s, s != NULL ? strlen(s) : 0 };
}

static enum err
take_labels(struct invocation *in, const struct source *s, struct addition *a)
{
	const char *tag;

	a->labels.title = text_span(option_value(in, "--title"));
	for (size_t i = 0; (tag = option_nth(in, "--tag", i)) != NULL; i++) {
		if (i == CONTENT_TAGS_MAX)
			return invalid(in, "too many tags");
		a->labels.tags[a->labels.n_tags++] = text_span(tag);
	}
	if (a->kind == KIND_FILE) {
		a->labels.name = text_span(s->name);
		a->labels.media_type = text_span(option_given(in, "--media-type")
		    ? option_value(in, "--media-type") : "application/octet-stream");
	} else if (option_given(in, "--media-type")) {
		return invalid(in, "--media-type is for files");
	}
	if (!option_given(in, "--title") && a->kind != KIND_CARD)
		a->labels.title = text_span(s->name);
	return OK;
}

/* Reads and checks what is small, before the daemon is asked for anything. */
static enum err
prepare(struct invocation *in, struct addition *a, const struct source *s)
{
	struct span text;
	enum err e;

	if (a->kind == KIND_CREDENTIAL) {
		if ((e = credential_secret(in->positionals[1], s->fd, &a->raw)) != OK ||
		    (e = credential_take(in, a->kind, s->fd == STDIN_FILENO, &a->fields)) != OK)
			return e;
		if (a->fields.given[CREDENTIAL_OTP] != NULL && secret_len(a->fields.given[CREDENTIAL_OTP]) == 0) {
			explain(in, "one-time code: there is nothing in it");
			return ERR_INVALID_CONTENT;
		}
		credential_label(&a->fields, &a->labels);
	} else if (a->kind != KIND_FILE) {
		if ((e = source_read(s, SMALL_MAX, &a->raw)) != OK)
			return e;
		text = secret_span(a->raw);
		if (a->kind == KIND_MEMORY) {
			e = content_memory(&a->labels, text, &a->content);
		} else if ((e = content_card(&a->labels, text, &a->content, &a->title)) == OK) {
			a->labels.title = secret_span(a->title);
		}
		if (e != OK)
			return e;
	}
	/* A card has its tags inside itself, mostly. */
	if (a->kind == KIND_CARD && json_write_done(&a->content, &text) == OK)
		return content_meta_of(text, &a->meta);
	if ((e = content_meta(&a->labels, &a->meta)) != OK)
		return e;
	return a->kind == KIND_CREDENTIAL ? credential_check_meta(in, &a->meta) : OK;
}

static enum err
write_content(struct writer *w, const struct addition *a, const struct source *s)
{
	struct span text;
	enum err e;

	if (a->kind == KIND_FILE)
		return source_copy(s, w);
	if (a->kind == KIND_CREDENTIAL)
		return writer_add(w, secret_view(a->raw), secret_len(a->raw));
	if ((e = json_write_done(&a->content, &text)) != OK)
		return e;
	return writer_add(w, text.p, text.len);
}

static enum err
store(struct invocation *in, struct client *c, const struct addition *a, const struct source *s,
    struct uuid vault, struct uuid *asset, struct uuid *revision)
{
	const struct writer_want want = { .vault = vault, .kind = a->kind, .is_private = option_given(in, "--private") };
	struct writer *w = NULL;
	struct span meta;
	enum err e;

	if ((e = json_write_done(&a->meta, &meta)) == OK &&
	    (e = writer_open(c, &want, &w)) == OK &&
	    (e = write_content(w, a, s)) == OK)
		e = writer_publish(w, a->labels.title, meta, asset, revision);
	writer_close(&w);
	return e;
}

static enum err
check_kind(struct invocation *in, enum kind *kind)
{
	if (!kind_of_name(option_value(in, "--kind"), kind))
		return invalid(in, "--kind is memory, card, file or credential");
	if (*kind != KIND_CREDENTIAL && credential_has_options(in))
		return invalid(in, "--username, --url, --notes-file and --otp-file are for credentials");
	if (option_given(in, "--private") && *kind != KIND_MEMORY && *kind != KIND_CARD)
		return invalid(in, "--private is for memories and cards; files and credentials always are");
	return OK;
}

enum err
run_asset_add(struct invocation *in)
{
	struct addition a = { .raw = NULL };
	struct source s;
	struct client *c = NULL;
	struct uuid vault, asset, revision;
	enum err e;

	if ((e = check_kind(in, &a.kind)) != OK || (e = source_open(in, in->positionals[1], &s)) != OK)
		return e;
	if ((e = take_labels(in, &s, &a)) == OK && (e = owner_open(in, &c)) == OK &&
	    (e = owner_vault(in, c, in->positionals[0], &vault)) == OK && (e = prepare(in, &a, &s)) == OK)
		e = store(in, c, &a, &s, vault, &asset, &revision);
	addition_close(&a);
	client_close(&c);
	source_close(&s);
	return e == OK ? change_print(in, vault, asset, revision, asset) : e;
}
