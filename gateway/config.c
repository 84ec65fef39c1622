#include <stdlib.h>

#include "escrow/safe_file.h"
#include "gateway/config.h"
#include "gateway/json.h"

/* What config.json says; each member is left as it was where the file says nothing of it. */
struct wishes {
	bool     remote;
	uint64_t idle_lock_s;
};

static enum err
take_remote(const struct json *root, bool *set)
{
	const struct json *remote = json_member(root, "remote");
	struct span value = { NULL, 0 };

	if (remote != NULL && json_type(remote) != JSON_NULL && !json_as_string(remote, &value))
		return ERR_CONFIG_INVALID;
	*set = value.len > 0;
	return OK;
}

static enum err
take_idle_lock(const struct json *root, uint64_t *seconds)
{
	enum json_got got = json_u64(root, "idle_lock_seconds", seconds);

	return got == JSON_ABSENT || (got == JSON_GOT && *seconds <= CONFIG_IDLE_LOCK_S_MAX) ? OK : ERR_CONFIG_INVALID;
}

static enum err
take_wishes(struct span text, struct wishes *out)
{
	struct json *root = NULL;
	enum err e = json_parse(text, &root);

	if (e != OK)
		return e == ERR_NO_MEMORY ? e : ERR_CONFIG_INVALID;
	if (json_type(root) != JSON_OBJECT)
		e = ERR_CONFIG_INVALID;
	else if ((e = take_remote(root, &out->remote)) == OK)
		e = take_idle_lock(root, &out->idle_lock_s);
	json_free(&root);
	return e;
}

static enum err
read_wishes(const struct home *home, struct wishes *out)
{
	static const struct safe_file_rule rule = {
		.forbidden = 022,
		.max_len = (size_t)64 << 10,
		.unsafe = ERR_CONFIG_INVALID,
		.invalid = ERR_CONFIG_INVALID,
	};
	struct secret *text = NULL;
	enum err e = safe_file_read(home->fd, "config.json", &rule, &text);

	if (e == ERR_NOT_FOUND)
		return OK;
	if (e == OK)
		e = take_wishes(secret_span(text), out);
	secret_free(&text);
	return e;
}

enum err
config_remote_set(const struct home *home, const char *flag, bool *set)
{
	const char *variable = getenv("MEMORIES_REMOTE");
	struct wishes wishes = { .remote = false };
	enum err e;

	if (flag != NULL || (variable != NULL && variable[0] != '\0')) {
		*set = true;
		return OK;
	}
	if (home != NULL && (e = read_wishes(home, &wishes)) != OK)
		return e;
	*set = wishes.remote;
	return OK;
}

enum err
config_idle_lock(const struct home *home, uint64_t *seconds)
{
	struct wishes wishes = { .idle_lock_s = CONFIG_IDLE_LOCK_S };
	enum err e = read_wishes(home, &wishes);

	if (e == OK)
		*seconds = wishes.idle_lock_s;
	return e;
}
