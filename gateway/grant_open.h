/* grant_open: what every client of a grant begins with, the unattended one and the ordinary one. */
#ifndef GATEWAY_GRANT_OPEN_H
#define GATEWAY_GRANT_OPEN_H

#include "gateway/client.h"
#include "gateway/client_file.h"

struct grant_open_want {
	const char     *path; /* of the file; absolute */
	const char     *home; /* the canonical path of the one in use */
	enum grant_type type;
};

/*
 * Reads the client file or grant file, which must be of this home and, once
 * the daemon answers, of its library. Trusts the log key in it.
 *
 * *file, *out  touched only on OK; client_file_free, client_close
 * *why         for people, as client_file_read; else ""
 *
 * ERR_WRONG_LIBRARY, and what client_file_read, client_open, client_trust say.
 */
enum err grant_open(const struct grant_open_want *want, struct client_file *file, struct client **out, const char **why);

#endif
