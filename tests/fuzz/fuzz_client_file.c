/* Any bytes as a client file, and as a grant file: what is taken must be whole. */
#include <stdlib.h>
#include <string.h>

#include "gateway/client_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct span text = { data, len };
	struct client_file f;
	const char *why = NULL;

	if (secret_init(true) != OK)
		abort();
	if (client_file_parse(text, GRANT_UNATTENDED, &f, &why) != OK && client_file_parse(text, GRANT_ORDINARY, &f, &why) != OK)
		return 0;
	if ((f.type == GRANT_ORDINARY) != (f.n_vaults > 0) || f.n_vaults > CLIENT_VAULTS_MAX || why == NULL)
		abort();
	if (f.home[0] != '/' || strlen(f.log_key) == 0 || strlen(f.log_key) > CLIENT_LOG_KEY_MAX ||
	    f.token == NULL)
		abort();
	client_file_free(&f);
	return 0;
}
