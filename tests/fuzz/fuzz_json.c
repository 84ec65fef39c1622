/*
 * Any bytes to the JSON reader. What the scan accepts, the parser reads to the
 * same end; each string of it, written again, is accepted again. What is
 * guessed of the rest to be a request's id can be written as one.
 */
#include <stdlib.h>

#include "gateway/json.h"
#include "gateway/json_raw.h"
#include "gateway/json_scan.h"
#include "gateway/json_write.h"
#include "gateway/rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
need(bool fact)
{
	if (!fact)
		abort();
}

static void
copy(struct json_writer *w, const struct json *v)
{
	enum json_type type = json_type(v);
	struct span s;
	uint64_t n;

	if (type == JSON_OBJECT || type == JSON_ARRAY) {
		type == JSON_OBJECT ? json_write_object(w) : json_write_array(w);
		for (const struct json *m = json_first(v); m != NULL; m = json_next(m)) {
			if (type == JSON_OBJECT)
				json_write_key(w, json_name(m));
			copy(w, m);
		}
		json_write_end(w);
	} else if (json_as_string(v, &s)) {
		json_write_string(w, s);
	} else if (json_as_u64(v, &n)) {
		json_write_u64(w, n);
	} else {
		json_write_null(w);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_writer w = { 0 };
	struct span text = { data, size }, found, rest = text;
	struct json *root = NULL, *again = NULL;
	enum err e = json_scan(text);

	if (e != OK) {
		need(json_parse(text, &root) == e && root == NULL);
		found = rpc_guess_id(text);
		need(found.len == 0 || json_scan(found) == OK);
		return 0;
	}
	need(json_parse(text, &root) == OK);
	if (json_type(root) == JSON_OBJECT && json_raw_member(text, "id", &found))
		need(json_member(root, "id") != NULL && json_scan(found) == OK);
	if (json_type(root) == JSON_ARRAY)
		for (const struct json *v = json_first(root); v != NULL; v = json_next(v))
			need(json_raw_element(&rest, &found) && json_scan(found) == OK);
	copy(&w, root);
	need(json_write_done(&w, &found) == OK);
	e = json_parse(found, &again);
	need(e == OK || e == ERR_TOO_LARGE);
	json_free(&again);
	json_free(&root);
	json_write_free(&w);
	return 0;
}
