#include <stdlib.h>

#include "escrow/safe_file.h"
#include "gateway/config.h"
#include "gateway/json.h"

static enum err
remote_in(struct span text, bool *set)
{
	const struct json *remote;
	struct json *root = NULL;
	struct span value = { NULL, 0 };
	enum err e = json_parse(text, &root);

	if (e != OK)
		return e == ERR_NO_MEMORY ? e : ERR_CONFIG_INVALID;
	remote = json_member(root, "remote");
	if (json_type(root) != JSON_OBJECT ||
	    (remote != NULL && json_type(remote) != JSON_NULL && !json_as_string(remote, &value)))
		e = ERR_CONFIG_INVALID;
	else
		*set = value.len > 0;
	json_free(&root);
	return e;
}

static enum err
remote_in_file(const struct home *home, bool *set)
{
	static const struct safe_file_rule rule = {
		.forbidden = 022,
		.max_len = (size_t)64 << 10,
		.unsafe = ERR_CONFIG_INVALID,
		.invalid = ERR_CONFIG_INVALID,
	};
	struct secret *text = NULL;
	enum err e = safe_file_read(home->fd, "config.json", &rule, &text);

	if (e == ERR_NOT_FOUND) {
		*set = false;
		return OK;
	}
	if (e == OK)
		e = remote_in(secret_span(text), set);
	secret_free(&text);
	return e;
}

enum err
config_remote_set(const struct home *home, const char *flag, bool *set)
{
	const char *variable = getenv("MEMORIES_REMOTE");

	if (flag != NULL || (variable != NULL && variable[0] != '\0')) {
		*set = true;
		return OK;
	}
	if (home != NULL)
		return remote_in_file(home, set);
	*set = false;
	return OK;
}
