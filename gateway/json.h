/*
 * json: values out of strict JSON (gateway/json_scan.h). Names are matched
 * byte for byte. What a document held is wiped when it is freed. The only file
 * that knows cJSON; output is gateway/json_write.h.
 */
#ifndef GATEWAY_JSON_H
#define GATEWAY_JSON_H

#include "mailbox/err.h"
#include "mailbox/wire.h"

/* A value inside a document; borrowed, except for the root. */
struct json;

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/* What a getter found. It touches its out-parameter only on JSON_GOT. */
enum json_got {
	JSON_GOT,
	JSON_ABSENT,     /* no such member, or what was asked is no object */
	JSON_WRONG_TYPE, /* null counts as a type of its own */
};

/* The largest integer that every JSON reader keeps exactly: 2^53 - 1. */
#define JSON_INTEGER_MAX ((uint64_t)9007199254740991)

/*
 * *root   new; freed with json_free
 *
 * ERR_INVALID_CONTENT, ERR_TOO_LARGE: refused by json_scan. ERR_NO_MEMORY: also
 * when the document would take more than 16 MiB.
 */
enum err json_parse(struct span text, struct json **root);

/* Wipes and frees a whole document. Sets the pointer to NULL; accepts NULL inside. */
void json_free(struct json **root);

enum json_type json_type(const struct json *v);

/* The member of that name, or NULL. */
const struct json *json_member(const struct json *object, const char *name);

/* Through an array or object in its order: NULL after the last, and for what has none. */
const struct json *json_first(const struct json *container);
const struct json *json_next(const struct json *v);

/* Each member of an object has its name in the list: where a wrong word is no silence. */
bool json_has_only(const struct json *object, const char *const *names, size_t n);

/* The name of a member that json_first or json_next gave. */
const char *json_name(const struct json *member);

/* False when the value is of another type; strings hold no NUL and are followed by one. */
bool json_as_string(const struct json *v, struct span *out);

/* False also for a number with a fraction, below 0 or over JSON_INTEGER_MAX. */
bool json_as_u64(const struct json *v, uint64_t *out);

enum json_got json_string(const struct json *object, const char *name, struct span *out);
enum json_got json_u64(const struct json *object, const char *name, uint64_t *out);
enum json_got json_bool(const struct json *object, const char *name, bool *out);
enum json_got json_object(const struct json *object, const char *name, const struct json **out);
enum json_got json_array(const struct json *object, const char *name, const struct json **out);

#endif
