/* Any bytes as a client file: what is taken must be whole. */
#include <stdlib.h>
#include <string.h>

#include "gateway/client_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct client_file f;

	if (secret_init(true) != OK)
		abort();
	if (client_file_parse((struct span){ data, len }, &f) != OK)
		return 0;
	if (f.home[0] != '/' || strlen(f.log_key) == 0 || strlen(f.log_key) > CLIENT_LOG_KEY_MAX ||
	    f.token == NULL)
		abort();
	client_file_free(&f);
	return 0;
}
