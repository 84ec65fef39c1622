#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "escrow/hash.h"
#include "mailbox/base64.h"
#include "store/log_io.h"
#include "store/log_key.h"

#define ED25519      0x01
#define KEY_BYTES    (1 + SIGN_PUBLIC_LEN)
#define BASE64_CHARS BASE64_PADDED_LEN(KEY_BYTES)
#define HASH_CHARS   8

void
log_key_origin(struct uuid library, char out[LOG_ORIGIN_MAX + 1])
{
	char id[UUID_TEXT_LEN + 1];

	uuid_text(library, id);
	snprintf(out, LOG_ORIGIN_MAX + 1, "memories/%s", id);
}

enum err
log_key_library(const char *origin, struct uuid *out)
{
	char again[LOG_ORIGIN_MAX + 1];
	const char *slash = strchr(origin, '/');
	struct uuid library;

	if (slash == NULL || uuid_parse(slash + 1, &library) != OK)
		return ERR_INVALID_CONTENT;
	log_key_origin(library, again);
	if (strcmp(origin, again) != 0)
		return ERR_INVALID_CONTENT;
	*out = library;
	return OK;
}

/* Type and key, as they are hashed and written. */
static void
encoded(const uint8_t public_key[SIGN_PUBLIC_LEN], uint8_t out[KEY_BYTES])
{
	out[0] = ED25519;
	memcpy(out + 1, public_key, SIGN_PUBLIC_LEN);
}

void
log_key_id(const char *name, const uint8_t public_key[SIGN_PUBLIC_LEN], uint8_t out[LOG_KEY_ID_LEN])
{
	uint8_t key[KEY_BYTES], hash[SHA256_LEN];
	struct sha256 h;

	encoded(public_key, key);
	sha256_start(&h);
	sha256_add(&h, name, strlen(name));
	sha256_add(&h, "\n", 1);
	sha256_add(&h, key, sizeof key);
	sha256_end(&h, hash);
	memcpy(out, hash, LOG_KEY_ID_LEN);
}

void
log_key_text(const char *origin, const uint8_t public_key[SIGN_PUBLIC_LEN],
    char out[LOG_KEY_TEXT_MAX + 1])
{
	uint8_t key[KEY_BYTES], id[LOG_KEY_ID_LEN];
	char text[BASE64_CHARS + 1] = "";

	log_key_id(origin, public_key, id);
	encoded(public_key, key);
	base64_encode_padded((struct span){ key, sizeof key }, text);
	snprintf(out, LOG_KEY_TEXT_MAX + 1, "%s+%02x%02x%02x%02x+%s\n", origin,
	    id[0], id[1], id[2], id[3], text);
}

enum err
log_key_parse(struct span text, char origin[LOG_ORIGIN_MAX + 1], uint8_t public_key[SIGN_PUBLIC_LEN])
{
	char line[LOG_KEY_TEXT_MAX + 2], again[LOG_KEY_TEXT_MAX + 1], name[LOG_ORIGIN_MAX + 1];
	uint8_t key[KEY_BYTES];
	const char *plus;
	size_t name_len, len;

	if (text.len == 0 || text.len > LOG_KEY_TEXT_MAX || memchr(text.p, '\0', text.len) != NULL)
		return ERR_INVALID_CONTENT;
	memcpy(line, text.p, text.len);
	line[text.len] = '\0';
	if (line[text.len - 1] != '\n')
		memcpy(line + text.len, "\n", 2);
	plus = strchr(line, '+');
	name_len = plus == NULL ? 0 : (size_t)(plus - line);
	if (name_len == 0 || name_len > LOG_ORIGIN_MAX || strcspn(line, " \t\r\n") < name_len ||
	    strlen(plus) != 1 + HASH_CHARS + 1 + BASE64_CHARS + 1 ||
	    base64_decode_padded((struct span){ (const uint8_t *)plus + 1 + HASH_CHARS + 1, BASE64_CHARS },
	        key, &len) != OK || len != KEY_BYTES || key[0] != ED25519)
		return ERR_INVALID_CONTENT;
	memcpy(name, line, name_len);
	name[name_len] = '\0';
	log_key_text(name, key + 1, again);
	if (strcmp(again, line) != 0)
		return ERR_INVALID_CONTENT;
	memcpy(origin, name, name_len + 1);
	memcpy(public_key, key + 1, SIGN_PUBLIC_LEN);
	return OK;
}

enum err
log_key_read_at(int dir_fd, const char *path, char origin[LOG_ORIGIN_MAX + 1],
    uint8_t public_key[SIGN_PUBLIC_LEN])
{
	int fd = openat(dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	uint8_t buf[LOG_KEY_TEXT_MAX + 1];
	ssize_t n;

	if (fd < 0)
		return ERR_FILE_UNREADABLE;
	n = log_io()->pread(fd, buf, sizeof buf, 0);
	close(fd);
	if (n < 0)
		return ERR_FILE_UNREADABLE;
	return log_key_parse((struct span){ buf, (size_t)n }, origin, public_key);
}

enum err
log_key_read(const char *path, char origin[LOG_ORIGIN_MAX + 1], uint8_t public_key[SIGN_PUBLIC_LEN])
{
	return log_key_read_at(AT_FDCWD, path, origin, public_key);
}

enum err
log_key_find(int dir_fd, const char *key_file, char origin[LOG_ORIGIN_MAX + 1], uint8_t public_key[SIGN_PUBLIC_LEN])
{
	return key_file != NULL ? log_key_read(key_file, origin, public_key)
	                        : log_key_read_at(dir_fd, "key.pub", origin, public_key);
}
