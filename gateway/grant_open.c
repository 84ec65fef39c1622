#include <string.h>

#include "gateway/grant_open.h"
#include "store/log_key.h"

enum err
grant_open(const struct grant_open_want *want, struct client_file *file, struct client **out, const char **why)
{
	struct client_file f = { .token = NULL };
	struct client *c = NULL;
	uint8_t log_public[SIGN_PUBLIC_LEN];
	char origin[LOG_ORIGIN_MAX + 1];
	enum err e;

	if ((e = client_file_read(want->path, want->type, &f, why)) != OK)
		return e;
	if (strcmp(f.home, want->home) != 0)
		e = ERR_WRONG_LIBRARY;
	else if ((e = log_key_parse((struct span){ (const uint8_t *)f.log_key, strlen(f.log_key) }, origin, log_public)) != OK)
		e = ERR_CLIENT_FILE_INVALID;
	else if ((e = client_open(&c)) == OK) {
		if (!client_welcome(c)->initialized)
			e = ERR_NOT_INITIALIZED;
		else if (!uuid_equal(client_welcome(c)->library, f.library))
			e = ERR_WRONG_LIBRARY;
		else if ((e = client_trust(c, log_public)) == OK)
			client_remember(c);
	}
	if (e != OK) {
		client_close(&c);
		client_file_free(&f);
		return e;
	}
	*file = f;
	*out = c;
	return OK;
}
