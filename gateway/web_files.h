/* web_files: what is in gateway/pages, built in. The table is made by tools/embed_pages.cmake. */
#ifndef GATEWAY_WEB_FILES_H
#define GATEWAY_WEB_FILES_H

#include "mailbox/wire.h"

struct web_file {
	const char *name; /* "login.en.html" */
	struct span bytes;
};

extern const struct web_file web_files[];
extern const size_t web_files_n;

/* False: no such file. */
bool web_file_find(struct span name, struct span *bytes);

#endif
