#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escrow/safe_file.h"
#include "gateway/http_config.h"

#define FILE_MAX ((size_t)64 << 10)

static const struct safe_file_rule settings = {
	.forbidden = 022, .max_len = FILE_MAX, .unsafe = ERR_CONFIG_INVALID, .invalid = ERR_CONFIG_INVALID,
};

static const struct safe_file_rule owners_alone = {
	.forbidden = 077, .max_len = FILE_MAX, .unsafe = ERR_CONFIG_INVALID, .invalid = ERR_CONFIG_INVALID,
};

/* The path is looked up as it stands; its last part may be a link to the file that is judged. */
static enum err
read_key(const char *path, const struct safe_file_rule *rule, struct secret **out)
{
	char *real = NULL, *name;
	int dir = -1;
	enum err e = ERR_CONFIG_INVALID;

	if ((real = realpath(path, NULL)) == NULL || (name = strrchr(real, '/')) == NULL) {
		free(real);
		return ERR_CONFIG_INVALID;
	}
	*name++ = '\0';
	if ((dir = open(real[0] == '\0' ? "/" : real, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0)
		e = safe_file_read(dir, name, rule, out);
	if (dir >= 0)
		close(dir);
	free(real);
	return e == ERR_NOT_FOUND ? ERR_CONFIG_INVALID : e;
}

/* A certificate is no secret and may be another's: root's, where a renewal puts it. */
static enum err
read_certificate(const char *path, struct secret **out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct secret *s = NULL;
	size_t len = 0;
	ssize_t n = 1;
	enum err e = fd < 0 ? ERR_CONFIG_INVALID : secret_new(FILE_MAX, &s);

	while (e == OK && n > 0 && len < FILE_MAX)
		if ((n = read(fd, secret_bytes(s) + len, FILE_MAX - len)) > 0)
			len += (size_t)n;
	if (e == OK && (n < 0 || len == 0 || len == FILE_MAX))
		e = ERR_CONFIG_INVALID;
	if (fd >= 0)
		close(fd);
	if (e != OK) {
		secret_free(&s);
		return e;
	}
	secret_cut(s, len);
	*out = s;
	return OK;
}

static enum err
read_files(const struct http_files *files, struct http_config *c)
{
	enum err e;

	if (files->key[0] == '\0')
		return OK;
	if ((e = read_certificate(files->certificate, &c->certificate)) == OK)
		e = read_key(files->key, &owners_alone, &c->key);
	return e;
}

enum err
http_config_read(int home_fd, struct http_config **out)
{
	static const struct span nothing = { (const uint8_t *)"{}", 2 };
	struct http_config *c = calloc(1, sizeof *c);
	struct http_files *files = calloc(1, sizeof *files);
	struct secret *text = NULL;
	enum err e = c == NULL || files == NULL ? ERR_NO_MEMORY : safe_file_read(home_fd, "config.json", &settings, &text);

	if (e == OK || e == ERR_NOT_FOUND)
		e = http_config_parse(e == OK ? secret_span(text) : nothing, c, files);
	if (e == OK)
		e = read_files(files, c);
	secret_free(&text);
	free(files);
	if (e != OK) {
		http_config_free(&c);
		return e;
	}
	*out = c;
	return OK;
}

enum err
http_config_default(struct http_config **out)
{
	static const struct span nothing = { (const uint8_t *)"{}", 2 };
	struct http_config *c = calloc(1, sizeof *c);
	struct http_files *files = calloc(1, sizeof *files);
	enum err e = c == NULL || files == NULL ? ERR_NO_MEMORY : http_config_parse(nothing, c, files);

	free(files);
	if (e != OK) {
		free(c);
		return e;
	}
	*out = c;
	return OK;
}

void
http_config_free(struct http_config **c)
{
	if (*c == NULL)
		return;
	secret_free(&(*c)->certificate);
	secret_free(&(*c)->key);
	free(*c);
	*c = NULL;
}
