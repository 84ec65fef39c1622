#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "escrow/hash.h"
#include "store/log_io.h"
#include "store/log_key.h"
#include "store/log_read.h"

#define ED25519      0x01
#define KEY_BYTES    (1 + SIGN_PUBLIC_LEN)
#define BASE64_CHARS (KEY_BYTES / 3 * 4) /* 33 bytes: no padding */
#define HASH_CHARS   8

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void
base64(const uint8_t bytes[KEY_BYTES], char out[BASE64_CHARS + 1])
{
	for (size_t i = 0; i < KEY_BYTES; i += 3) {
		uint32_t v = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];

		for (size_t j = 0; j < 4; j++)
			*out++ = digits[v >> (18 - 6 * j) & 63];
	}
	*out = '\0';
}

static bool
of_base64(const char *text, uint8_t out[KEY_BYTES])
{
	for (size_t i = 0; i < KEY_BYTES; i += 3) {
		uint32_t v = 0;

		for (size_t j = 0; j < 4; j++, text++) {
			const char *digit = memchr(digits, *text, 64);

			if (digit == NULL)
				return false;
			v = v << 6 | (uint32_t)(digit - digits);
		}
		out[i] = (uint8_t)(v >> 16);
		out[i + 1] = (uint8_t)(v >> 8);
		out[i + 2] = (uint8_t)v;
	}
	return true;
}

void
log_key_origin(struct uuid library, char out[LOG_ORIGIN_MAX + 1])
{
	char id[UUID_TEXT_LEN + 1];

	uuid_text(library, id);
	snprintf(out, LOG_ORIGIN_MAX + 1, "memories/%s", id);
}

void
log_key_text(const char *origin, const uint8_t public_key[SIGN_PUBLIC_LEN],
    char out[LOG_KEY_TEXT_MAX + 1])
{
	uint8_t key[KEY_BYTES] = { ED25519 }, hash[SHA256_LEN];
	char encoded[BASE64_CHARS + 1];
	struct sha256 h;

	memcpy(key + 1, public_key, SIGN_PUBLIC_LEN);
	sha256_start(&h);
	sha256_add(&h, origin, strlen(origin));
	sha256_add(&h, "\n", 1);
	sha256_add(&h, key, sizeof key);
	sha256_end(&h, hash);
	base64(key, encoded);
	snprintf(out, LOG_KEY_TEXT_MAX + 1, "%s+%02x%02x%02x%02x+%s\n", origin,
	    hash[0], hash[1], hash[2], hash[3], encoded);
}

enum err
log_key_parse(struct span text, char origin[LOG_ORIGIN_MAX + 1], uint8_t public_key[SIGN_PUBLIC_LEN])
{
	char line[LOG_KEY_TEXT_MAX + 2], again[LOG_KEY_TEXT_MAX + 1], name[LOG_ORIGIN_MAX + 1];
	uint8_t key[KEY_BYTES];
	const char *plus;
	size_t name_len;

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
	    !of_base64(plus + 1 + HASH_CHARS + 1, key) || key[0] != ED25519)
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
log_key_read(const char *path, char origin[64], uint8_t public_key[SIGN_PUBLIC_LEN])
{
	return log_key_read_at(AT_FDCWD, path, origin, public_key);
}
