/*
 * client_file: the file that a grant is carried in: the client file of an
 * unattended one, the grant file of an ordinary one. One JSON object on one
 * line; the only place where the grant's token is kept.
 * Source: docs/store-format.md, "Client file" and "Grant file".
 */
#ifndef GATEWAY_CLIENT_FILE_H
#define GATEWAY_CLIENT_FILE_H

#include "escrow/secret.h"
#include "mailbox/wire.h"
#include "mailbox/words.h"

#define CLIENT_FILE_MAX    ((size_t)128 << 10) /* bytes of the file */
#define CLIENT_LOG_KEY_MAX 255                 /* bytes of a verifier key */
#define CLIENT_VAULTS_MAX  64

struct client_file {
	enum grant_type type;
	struct uuid library;
	struct uuid grant;
	char       *home;    /* canonical path (struct home, path); owned */
	char       *log_key; /* the log's public key, C2SP verifier key, one line; owned */
	struct key *token;   /* KEY_LEN bytes; owned */

	/* Of an ordinary grant, as it was minted. */
	bool        may_propose;
	uint16_t    n_vaults; /* 1 .. CLIENT_VAULTS_MAX */
	struct uuid vaults[CLIENT_VAULTS_MAX];
};

/* Frees and wipes what it owns. Accepts one that is all zero. */
void client_file_free(struct client_file *f);

/*
 * Writes the file for the first time, at an absolute path (home_absolute) in a
 * folder that is the caller's alone: complete and durable on OK, absent on
 * every error. Never overwrites.
 *
 * ERR_CLIENT_FILE_UNSAFE: the folder is not there, or not the caller's alone.
 * ERR_CLIENT_FILE_EXISTS. ERR_INVALID_ARGUMENT: the home's path is not UTF-8,
 * so that JSON cannot hold it, or a part is missing or too long.
 * ERR_FILE_UNWRITABLE, ERR_STORAGE_FULL, ERR_STORAGE_FAILED, ERR_NO_MEMORY.
 */
enum err client_file_publish(const char *path, const struct client_file *f);

/*
 * Reads it from an absolute path. The file is to be the caller's alone; its
 * folder may be entered by others but changed by nobody else. Whether library
 * and home are the ones in use is for the caller to compare.
 *
 * type  which of the two it is to be
 * *out  touched only on OK; client_file_free
 * *why  for people, of ERR_CLIENT_FILE_INVALID: what the other kind of file is for; else ""
 *
 * ERR_FILE_UNREADABLE: there is none. ERR_CLIENT_FILE_UNSAFE: owner, mode,
 * link or type, of the file or on the way to it. ERR_CLIENT_FILE_INVALID: not
 * of this form, or one of the other type. ERR_NO_MEMORY,
 * ERR_STORAGE_FAILED.
 */
enum err client_file_read(const char *path, enum grant_type type, struct client_file *out, const char **why);

/* Takes any bytes. ERR_CLIENT_FILE_INVALID, ERR_NO_MEMORY; *out and *why as above. */
enum err client_file_parse(struct span text, enum grant_type type, struct client_file *out, const char **why);

#endif
