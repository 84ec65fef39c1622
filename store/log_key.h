/*
 * log_key: the public key of the log as a C2SP verifier key, the text in
 * key.pub: NAME+HASH+KEY, where NAME is the log's origin.
 * Source: C2SP signed-note, "Verifier keys".
 */
#ifndef STORE_LOG_KEY_H
#define STORE_LOG_KEY_H

#include "escrow/sign.h"
#include "mailbox/uuid.h"
#include "mailbox/wire.h"

#define LOG_ORIGIN_MAX 63
#define LOG_KEY_ID_LEN 4
#define LOG_KEY_TEXT_MAX (LOG_ORIGIN_MAX + 1 + 8 + 1 + 44 + 1) /* and a newline */

/* "memories/" and the library's id. */
void log_key_origin(struct uuid library, char out[LOG_ORIGIN_MAX + 1]);

/* The id in it. ERR_INVALID_CONTENT: it is no origin of ours. */
enum err log_key_library(const char *origin, struct uuid *out);

/* What tells keys of one name apart: the start of a hash of the name and the key. */
void log_key_id(const char *name, const uint8_t public_key[SIGN_PUBLIC_LEN], uint8_t out[LOG_KEY_ID_LEN]);

/* The line with its newline and a NUL. The origin has at most LOG_ORIGIN_MAX bytes. */
void log_key_text(const char *origin, const uint8_t public_key[SIGN_PUBLIC_LEN],
    char out[LOG_KEY_TEXT_MAX + 1]);

/* Takes exactly that line, with or without its newline. ERR_INVALID_CONTENT. */
enum err log_key_parse(struct span text, char origin[LOG_ORIGIN_MAX + 1],
    uint8_t public_key[SIGN_PUBLIC_LEN]);

/* Reads a file of that form. ERR_FILE_UNREADABLE, ERR_INVALID_CONTENT. */
enum err log_key_read(const char *path, char origin[LOG_ORIGIN_MAX + 1], uint8_t public_key[SIGN_PUBLIC_LEN]);
enum err log_key_read_at(int dir_fd, const char *path, char origin[LOG_ORIGIN_MAX + 1],
    uint8_t public_key[SIGN_PUBLIC_LEN]);

/* The same of a log's own key.pub, in the folder that dir_fd is, or of key_file where that is not NULL. */
enum err log_key_find(int dir_fd, const char *key_file, char origin[LOG_ORIGIN_MAX + 1],
    uint8_t public_key[SIGN_PUBLIC_LEN]);

#endif
