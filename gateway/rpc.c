#include <string.h>

#include "gateway/json_raw.h"
#include "gateway/json_scan.h"
#include "gateway/rpc.h"

static bool
is_integer(struct span s)
{
	if (s.len > 0 && *s.p == '-') {
		s.p++;
		s.len--;
	}
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.len > 0;
}

struct rpc_message
rpc_read(const struct json *value, struct span text)
{
	struct rpc_message m = { .kind = RPC_INVALID };
	struct span version, id;
	bool has_id, has_version;
	enum json_got method;

	has_id = json_raw_member(text, "id", &id);
	if (has_id && (*id.p == '"' || is_integer(id)))
		m.id = id;
	has_version = json_string(value, "jsonrpc", &version) == JSON_GOT &&
	    version.len == 3 && memcmp(version.p, "2.0", 3) == 0;
	method = json_string(value, "method", &m.method);
	m.params = json_member(value, "params");
	if (!has_version || method == JSON_WRONG_TYPE || (has_id && m.id.len == 0))
		return m;
	if (method == JSON_GOT)
		m.kind = has_id ? RPC_REQUEST : RPC_NOTIFICATION;
	else if (json_member(value, "result") != NULL || json_member(value, "error") != NULL)
		m.kind = RPC_RESPONSE;
	return m;
}

struct span
rpc_guess_id(struct span text)
{
	struct span id, method;

	if (!json_raw_member(text, "method", &method) || !json_raw_member(text, "id", &id) || json_scan(id) != OK ||
	    (*id.p != '"' && !is_integer(id)))
		return (struct span){ NULL, 0 };
	return id;
}

bool
rpc_is(const struct rpc_message *m, const char *method)
{
	return m->method.len == strlen(method) && memcmp(m->method.p, method, m->method.len) == 0;
}

void
rpc_open_answer(struct json_writer *w, struct span id)
{
	json_write_object(w);
	json_member_text(w, "jsonrpc", "2.0");
	if (id.len > 0) {
		json_write_key(w, "id");
		json_write_raw(w, id);
	}
}

void
rpc_open_error(struct json_writer *w, struct span id, int code, const char *message)
{
	rpc_open_answer(w, id);
	json_write_key(w, "error");
	json_write_object(w);
	json_write_key(w, "code");
	json_write_i64(w, code);
	json_member_text(w, "message", message);
}
