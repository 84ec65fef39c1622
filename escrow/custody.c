#include <string.h>

#include "escrow/custody.h"
#include "escrow/hash.h"

/* A row without functions is a backend that is not built here. */
static const struct custody_backend *const backends[] = {
	&custody_secret_service,
	&custody_owner_file,
	&(const struct custody_backend){ .name = "macos-keychain" },
	&(const struct custody_backend){ .name = "windows-dpapi" },
};

static enum err
find(const char *name, const struct custody_backend **out)
{
	for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
		if (strcmp(backends[i]->name, name) != 0)
			continue;
		if (backends[i]->load == NULL)
			return ERR_CUSTODY_UNSUPPORTED;
		*out = backends[i];
		return OK;
	}
	return ERR_INVALID_ARGUMENT;
}

enum err
custody_supported(const char *name)
{
	const struct custody_backend *backend;

	return find(name, &backend);
}

enum err
custody_store(const struct custody_binding *b, const struct key *material, enum custody_detail *why)
{
	const struct custody_backend *backend;
	enum err e = find(b->backend, &backend);

	*why = CUSTODY_NO_DETAIL;
	return e == OK ? backend->store(b, material, why) : e;
}

enum err
custody_load(const struct custody_binding *b, struct key *material, enum custody_detail *why)
{
	const struct custody_backend *backend;
	enum err e = find(b->backend, &backend);

	*why = CUSTODY_NO_DETAIL;
	return e == OK ? backend->load(b, material, why) : e;
}

enum err
custody_remove(const struct custody_binding *b, enum custody_detail *why)
{
	const struct custody_backend *backend;
	enum err e = find(b->backend, &backend);

	*why = CUSTODY_NO_DETAIL;
	return e == OK ? backend->remove(b, why) : e;
}

void
custody_context(const struct custody_binding *b, struct wire_out *o)
{
	uint8_t home[SHA256_LEN];

	sha256(b->home, strlen(b->home), home);
	wire_put_span(o, (struct span){ (const uint8_t *)b->backend, strlen(b->backend) });
	wire_put_bytes(o, home, sizeof home);
	wire_put_id(o, b->library);
	wire_put_id(o, b->enrolment);
	/* The first purpose came before there were others, and has no word. */
	if (b->purpose == CUSTODY_PROFILE)
		wire_put_span(o, (struct span){ (const uint8_t *)"profile", 7 });
}
