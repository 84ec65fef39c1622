#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "escrow/custody.h"
#include "escrow/custody_form.h"
#include "escrow/safe_dir.h"
#include "escrow/safe_file.h"

static const char *
name_of(const struct custody_binding *b)
{
	return b->purpose == CUSTODY_PROFILE ? "profile-owner-file" : "owner-file";
}

/* Opens HOME/custody; with n_make 1 it is made if it is missing. */
static enum err
open_dir(const struct custody_binding *b, unsigned n_make, int *fd)
{
	struct safe_dir_want want = {
		.kind = SAFE_DIR_PRIVATE,
		.n_make = n_make,
		.refusal = ERR_CUSTODY_UNSAFE,
	};
	char *path;
	enum err e;

	if (asprintf(&path, "%s/custody", b->home) < 0)
		return ERR_NO_MEMORY;
	want.path = path;
	e = safe_dir_open(&want, fd, NULL);
	free(path);
	return e == ERR_NOT_FOUND ? ERR_CUSTODY_MISSING : e;
}

static enum err
store(const struct custody_binding *b, const struct key *material, enum custody_detail *why)
{
	uint8_t bytes[CUSTODY_FORM_LEN];
	enum err e;
	int fd;

	(void)why;
	if ((e = open_dir(b, 1, &fd)) != OK)
		return e;
	if ((e = custody_form_put(b, material, bytes)) == OK)
		e = safe_file_replace(fd, name_of(b), (struct span){ bytes, sizeof bytes },
		    ERR_CUSTODY_UNSAFE);
	wipe(bytes, sizeof bytes);
	close(fd);
	return e;
}

static enum err
load(const struct custody_binding *b, struct key *material, enum custody_detail *why)
{
	static const struct safe_file_rule rule = {
		.forbidden = 077,
		.max_len = CUSTODY_FORM_LEN,
		.unsafe = ERR_CUSTODY_UNSAFE,
		.invalid = ERR_CUSTODY_INVALID,
	};
	struct secret *bytes = NULL;
	enum err e;
	int fd;

	(void)why;
	if ((e = open_dir(b, 0, &fd)) != OK)
		return e;
	e = safe_file_read(fd, name_of(b), &rule, &bytes);
	close(fd);
	if (e == OK)
		e = custody_form_take(secret_span(bytes), b, material);
	secret_free(&bytes);
	return e == ERR_NOT_FOUND ? ERR_CUSTODY_MISSING : e;
}

static enum err
destroy(const struct custody_binding *b, enum custody_detail *why)
{
	enum err e;
	int fd;

	(void)why;
	if ((e = open_dir(b, 0, &fd)) != OK)
		return e == ERR_CUSTODY_MISSING ? OK : e;
	e = safe_file_remove(fd, name_of(b), ERR_CUSTODY_UNSAFE);
	close(fd);
	return e;
}

const struct custody_backend custody_owner_file = {
	.name = "owner-file",
	.store = store,
	.load = load,
	.remove = destroy,
};
