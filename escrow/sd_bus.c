#include <dlfcn.h>
#include <string.h>

#include "escrow/sd_bus.h"

#define LIBRARY "libsystemd.so.0"

enum err
sd_bus_load(struct sd_bus_calls *out)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL), *found;
	struct sd_bus_calls c;

	if (library == NULL)
		return ERR_UNSUPPORTED;
#define CALL(name) \
	if ((found = dlsym(library, #name)) == NULL) \
		return ERR_UNSUPPORTED; \
	memcpy(&c.name, &found, sizeof found);
	SD_BUS_CALLS(CALL)
#undef CALL
	*out = c;
	return OK;
}
