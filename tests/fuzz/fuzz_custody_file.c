/*
 * Any bytes as an owner-file custody, as they are and with the checksum set
 * right: material may come only out of the binding's own bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "escrow/custody_form.h"
#include "escrow/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct custody_binding binding = {
	.home = "/home/ada",
	.backend = "owner-file",
};

static void
check(const uint8_t *data, size_t len)
{
	struct key material = { { 0 } };
	uint8_t again[CUSTODY_FORM_LEN];

	if (custody_form_take((struct span){ data, len }, &binding, &material) != OK)
		return;
	if (custody_form_put(&binding, &material, again) != OK || len != sizeof again ||
	    memcmp(data, again, len) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t mended[CUSTODY_FORM_LEN];

	check(data, len);
	if (len == sizeof mended) {
		memcpy(mended, data, len);
		sha256(mended, len - SHA256_LEN, mended + len - SHA256_LEN);
		check(mended, len);
	}
	return 0;
}
