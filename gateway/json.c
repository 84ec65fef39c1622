#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "escrow/secret.h"
#include "gateway/json.h"
#include "gateway/json_scan.h"

#define HEAP_MAX ((size_t)16 << 20)

/* Stands before each block, so that freeing knows how much to wipe. */
union block_head {
	size_t      size;
	max_align_t align;
};

/* What the parse that runs in this thread may still take. */
static _Thread_local size_t heap_left;
static pthread_once_t hooks_once = PTHREAD_ONCE_INIT;

static void *
take_block(size_t size)
{
	union block_head *head;

	if (size > heap_left || (head = malloc(sizeof *head + size)) == NULL)
		return NULL;
	heap_left -= size;
	head->size = size;
	return head + 1;
}

static void
free_block(void *p)
{
	union block_head *head = p;

	if (p == NULL)
		return;
	head--;
	wipe(p, head->size);
	free(head);
}

static void
set_hooks(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){ take_block, free_block });
}

static const cJSON *
item_of(const struct json *v)
{
	return (const cJSON *)v;
}

enum err
json_parse(struct span text, struct json **root)
{
	const char *end = NULL;
	cJSON *item;
	enum err e;

	if ((e = json_scan(text)) != OK)
		return e;
	pthread_once(&hooks_once, set_hooks);
	heap_left = HEAP_MAX;
	item = cJSON_ParseWithLengthOpts((const char *)text.p, text.len, &end, 0);
	if (item == NULL)
		return ERR_NO_MEMORY;
	/* The scan has seen the end; a parser that stops elsewhere read something else. */
	while (end < (const char *)text.p + text.len && strchr(" \t\r\n", *end) != NULL)
		end++;
	if (end != (const char *)text.p + text.len) {
		cJSON_Delete(item);
		return ERR_INVALID_CONTENT;
	}
	*root = (struct json *)item;
	return OK;
}

void
json_free(struct json **root)
{
	cJSON_Delete((cJSON *)*root);
	*root = NULL;
}

enum json_type
json_type(const struct json *v)
{
	const cJSON *item = item_of(v);

	if (cJSON_IsObject(item))
		return JSON_OBJECT;
	if (cJSON_IsArray(item))
		return JSON_ARRAY;
	if (cJSON_IsString(item))
		return JSON_STRING;
	if (cJSON_IsNumber(item))
		return JSON_NUMBER;
	return cJSON_IsBool(item) ? JSON_BOOL : JSON_NULL;
}

const struct json *
json_member(const struct json *object, const char *name)
{
	if (object == NULL || json_type(object) != JSON_OBJECT)
		return NULL;
	return (const struct json *)cJSON_GetObjectItemCaseSensitive(item_of(object), name);
}

const struct json *
json_first(const struct json *container)
{
	return (const struct json *)item_of(container)->child;
}

const struct json *
json_next(const struct json *v)
{
	return (const struct json *)item_of(v)->next;
}

bool
json_has_only(const struct json *object, const char *const *names, size_t n)
{
	for (const struct json *m = json_first(object); m != NULL; m = json_next(m)) {
		size_t i = 0;

		while (i < n && strcmp(json_name(m), names[i]) != 0)
			i++;
		if (i == n)
			return false;
	}
	return true;
}

const char *
json_name(const struct json *member)
{
	return item_of(member)->string;
}

bool
json_as_string(const struct json *v, struct span *out)
{
	const cJSON *item = item_of(v);

	if (!cJSON_IsString(item))
		return false;
	*out = (struct span){ (const uint8_t *)item->valuestring, strlen(item->valuestring) };
	return true;
}

bool
json_as_u64(const struct json *v, uint64_t *out)
{
	const cJSON *item = item_of(v);

	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
	    item->valuedouble > (double)JSON_INTEGER_MAX)
		return false;
	if ((double)(uint64_t)item->valuedouble < item->valuedouble)
		return false;
	*out = (uint64_t)item->valuedouble;
	return true;
}

enum json_got
json_string(const struct json *object, const char *name, struct span *out)
{
	const struct json *v = json_member(object, name);

	if (v == NULL)
		return JSON_ABSENT;
	return json_as_string(v, out) ? JSON_GOT : JSON_WRONG_TYPE;
}

enum json_got
json_u64(const struct json *object, const char *name, uint64_t *out)
{
	const struct json *v = json_member(object, name);

	if (v == NULL)
		return JSON_ABSENT;
	return json_as_u64(v, out) ? JSON_GOT : JSON_WRONG_TYPE;
}

enum json_got
json_bool(const struct json *object, const char *name, bool *out)
{
	const struct json *v = json_member(object, name);

	if (v == NULL)
		return JSON_ABSENT;
	if (json_type(v) != JSON_BOOL)
		return JSON_WRONG_TYPE;
	*out = cJSON_IsTrue(item_of(v));
	return JSON_GOT;
}

static enum json_got
container(const struct json *object, const char *name, enum json_type type, const struct json **out)
{
	const struct json *v = json_member(object, name);

	if (v == NULL)
		return JSON_ABSENT;
	if (json_type(v) != type)
		return JSON_WRONG_TYPE;
	*out = v;
	return JSON_GOT;
}

enum json_got
json_object(const struct json *object, const char *name, const struct json **out)
{
	return container(object, name, JSON_OBJECT, out);
}

enum json_got
json_array(const struct json *object, const char *name, const struct json **out)
{
	return container(object, name, JSON_ARRAY, out);
}
