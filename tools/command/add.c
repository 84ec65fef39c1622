/* asset add: content from a file or stdin, sealed here, stored by the daemon. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gateway/content.h"
#include "gateway/writer.h"
#include "tools/command/command.h"
#include "tools/command/progress.h"

#define SMALL_MAX ((size_t)1 << 20)

struct source {
	int         fd;
	const char *name; /* the file's own name; "" for stdin */
	uint64_t    total; /* 0: unknown */
};

static enum err
open_source(struct invocation *in, struct source *s)
{
	const char *path = in->positionals[1], *slash = strrchr(path, '/');
	struct stat st;

	if (strcmp(path, "-") == 0) {
		*s = (struct source){ .fd = STDIN_FILENO, .name = "" };
		return OK;
	}
	s->name = slash != NULL ? slash + 1 : path;
	s->fd = openat(path[0] == '/' ? AT_FDCWD : in->home->cwd_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	snprintf(in->detail, sizeof in->detail, "%.1000s", path);
	if (s->fd < 0)
		return ERR_FILE_UNREADABLE;
	if (fstat(s->fd, &st) != 0 || S_ISDIR(st.st_mode)) {
		close(s->fd);
		return ERR_FILE_UNREADABLE;
	}
	s->total = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	if (s->total > FILE_LEN_MAX) {
		close(s->fd);
		return ERR_TOO_LARGE;
	}
	return OK;
}

/* As much as fits; *len 0 at the end. */
static enum err
read_some(int fd, uint8_t *p, size_t cap, size_t *len)
{
	ssize_t n;

	do
		n = read(fd, p, cap);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return ERR_FILE_UNREADABLE;
	*len = (size_t)n;
	return OK;
}

/* All of a small content; ERR_TOO_LARGE past the limit. */
static enum err
read_small(int fd, size_t max, struct secret **out)
{
	struct secret *s;
	size_t at = 0, n = 1;
	enum err e;

	if ((e = secret_new(max + 1, &s)) != OK)
		return e;
	while (e == OK && n > 0 && at <= max)
		if ((e = read_some(fd, secret_bytes(s) + at, max + 1 - at, &n)) == OK)
			at += n;
	if (e == OK && at > max)
		e = ERR_TOO_LARGE;
	if (e != OK) {
		secret_free(&s);
		return e;
	}
	secret_cut(s, at);
	*out = s;
	return OK;
}

static enum err
add_stream(struct writer *w, const struct source *s)
{
	struct progress p = progress_start(true, s->total);
	struct secret *buf = NULL;
	uint64_t done = 0;
	size_t n = 1;
	enum err e;

	if ((e = secret_new(CHUNK_LEN, &buf)) != OK)
		return e;
	while (e == OK && n > 0)
		if ((e = read_some(s->fd, secret_bytes(buf), CHUNK_LEN, &n)) == OK && n > 0 &&
		    (e = writer_add(w, secret_view(buf), n)) == OK)
			progress_at(&p, done += n);
	progress_end(&p);
	secret_free(&buf);
	return e;
}

/* One asset on its way: what of it must be freed, and what its seals will hold. */
struct addition {
	enum kind             kind;
	struct content_labels labels;
	struct secret        *raw;      /* a credential's secret, a memory's body, a card's text */
	struct json_writer    content;  /* Content JSON */
	struct secret        *title;    /* a card's own title */
	struct json_writer    meta;
};

static void
addition_close(struct addition *a)
{
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
prepare(struct addition *a, const struct source *s)
{
	size_t max = a->kind == KIND_CREDENTIAL ? (size_t)65537 : SMALL_MAX;
	struct span text;
	enum err e;

	if (a->kind != KIND_FILE) {
		if ((e = read_small(s->fd, max, &a->raw)) != OK)
			return e;
		text = secret_span(a->raw);
		if (a->kind == KIND_CREDENTIAL) {
			if (text.len > 0 && text.p[text.len - 1] == '\n')
				secret_cut(a->raw, text.len - 1);
			e = !content_text_valid(secret_span(a->raw), 65537) ? ERR_INVALID_CONTENT
			    : secret_len(a->raw) > 65536 ? ERR_TOO_LARGE : OK;
		} else if (a->kind == KIND_MEMORY) {
			e = content_memory(&a->labels, text, &a->content);
		} else if ((e = content_card(&a->labels, text, &a->content, &a->title)) == OK) {
			a->labels.title = secret_span(a->title);
		}
		if (e != OK)
			return e;
	}
	return content_meta(&a->labels, &a->meta);
}

static enum err
write_content(struct writer *w, const struct addition *a, const struct source *s)
{
	struct span text;
	enum err e;

	if (a->kind == KIND_FILE)
		return add_stream(w, s);
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
	static const struct uuid new_one;
	struct writer *w = NULL;
	struct span meta;
	enum err e;

	if ((e = json_write_done(&a->meta, &meta)) == OK &&
	    (e = writer_open(c, vault, new_one, a->kind, option_given(in, "--private"), &w)) == OK &&
	    (e = write_content(w, a, s)) == OK)
		e = writer_publish(w, a->labels.title, meta, asset, revision);
	writer_close(&w);
	return e;
}

static enum err
print_added(const struct invocation *in, struct uuid vault, struct uuid asset, struct uuid revision)
{
	struct json_writer w = { 0 };
	char text[UUID_TEXT_LEN + 1];

	if (!in->json) {
		uuid_text(asset, text);
		return print_line("%s\n", text);
	}
	json_write_object(&w);
	json_member_id(&w, "vault", vault);
	json_member_id(&w, "asset", asset);
	json_member_id(&w, "revision", revision);
	json_write_end(&w);
	return print_json(&w);
}

static enum err
check_kind(struct invocation *in, enum kind *kind)
{
	if (!kind_of_name(option_value(in, "--kind"), kind))
		return invalid(in, "--kind is memory, card, file or credential");
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

	if ((e = check_kind(in, &a.kind)) != OK || (e = open_source(in, &s)) != OK)
		return e;
	in->detail[0] = '\0';
	if ((e = take_labels(in, &s, &a)) == OK && (e = owner_open(in, &c)) == OK &&
	    (e = owner_vault(in, c, in->positionals[0], &vault)) == OK && (e = prepare(&a, &s)) == OK)
		e = store(in, c, &a, &s, vault, &asset, &revision);
	addition_close(&a);
	client_close(&c);
	if (s.fd != STDIN_FILENO)
		close(s.fd);
	return e == OK ? print_added(in, vault, asset, revision) : e;
}
