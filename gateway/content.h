/*
 * content: the Content JSON of memories and cards, and the meta of every
 * asset, as they are sealed.
 *
 *   memory  {"title":…,"body":…,"tags":[…]}
 *   card    {"title":…,"fields":[{"name":…,"value":…,"protected":false}],"tags":[…]}
 *   meta    {"name":…,"media_type":…,"username":…,"url":…,"notes":…,"otp":…,"tags":[…]},
 *           and of a proposal "reason"; what is not there left out; `otp` is the one form of gateway/otp_uri.h
 *
 * The value of a protected field is secret://VAULT/CREDENTIAL, by ids, never a secret.
 */
#ifndef GATEWAY_CONTENT_H
#define GATEWAY_CONTENT_H

#include "escrow/secret.h"
#include "gateway/json_write.h"

#define CONTENT_TAGS_MAX 32
#define CONTENT_TAG_MAX  128 /* bytes */

#define CONTENT_FIELDS_MAX 4

/* Of a credential or a proposal: UTF-8 without a NUL. */
struct content_field {
	const char *name;
	struct span value;
};

struct content_labels {
	struct span title;       /* empty: none given */
	struct span name;        /* a file's */
	struct span media_type;
	struct span tags[CONTENT_TAGS_MAX];
	size_t      n_tags;
	struct content_field fields[CONTENT_FIELDS_MAX];
	size_t      n_fields;
};

/* ERR_INVALID_CONTENT: title, body or a tag is not UTF-8 or holds a NUL, or a tag is empty or too long. ERR_TOO_LARGE: the body. */
enum err content_memory(const struct content_labels *l, struct span body, struct json_writer *w);

/*
 * Takes a card as its owner wrote it and writes its one form; a title or tags
 * in l replace the card's own.
 *
 * *title   new, the title that it has then; the caller frees
 * ERR_INVALID_CONTENT: not a card. ERR_TOO_LARGE, ERR_NO_MEMORY.
 */
enum err content_card(const struct content_labels *l, struct span text, struct json_writer *w,
    struct secret **title);

enum err content_meta(const struct content_labels *l, struct json_writer *w);

/* The meta of a memory or card: the tags of its Content JSON. ERR_INVALID_CONTENT, ERR_TOO_LARGE, ERR_NO_MEMORY. */
enum err content_meta_of(struct span content, struct json_writer *w);

/* True for UTF-8 without a NUL, of at most max bytes. */
bool content_text_valid(struct span s, size_t max);

#endif
