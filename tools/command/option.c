#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/command.h"

const char *
option_nth(const struct invocation *in, const char *name, size_t i)
{
	for (size_t k = 0; k < in->n_values; k++)
		if (strcmp(in->values[k].option->name, name) == 0 && i-- == 0)
			return in->values[k].value;
	return NULL;
}

const char *
option_value(const struct invocation *in, const char *name)
{
	return option_nth(in, name, 0);
}

bool
option_given(const struct invocation *in, const char *name)
{
	return option_value(in, name) != NULL;
}

void
explain(struct invocation *in, const char *detail)
{
	snprintf(in->detail, sizeof in->detail, "%s", detail);
}

enum err
invalid(struct invocation *in, const char *detail)
{
	explain(in, detail);
	return ERR_INVALID_ARGUMENT;
}

/* strtoull takes signs and blanks; a whole number has neither. */
static enum err
whole_number(struct invocation *in, const char *text, const char *what, uint64_t min, uint64_t max, uint64_t *out)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || v < min || v > max) {
		snprintf(in->detail, sizeof in->detail, "%s takes a whole number from %llu to %llu", what,
		    (unsigned long long)min, (unsigned long long)max);
		return ERR_INVALID_ARGUMENT;
	}
	*out = v;
	return OK;
}

enum err
option_u64(struct invocation *in, const char *name, uint64_t min, uint64_t max, uint64_t otherwise, uint64_t *out)
{
	const char *text = option_value(in, name);

	if (text != NULL)
		return whole_number(in, text, name, min, max, out);
	*out = otherwise;
	return OK;
}

enum err
option_id(struct invocation *in, const char *name, struct uuid *out, bool *given)
{
	const char *text = option_value(in, name);

	*given = text != NULL;
	if (text == NULL)
		return OK;
	if (uuid_parse(text, out) != OK || uuid_is_zero(*out)) {
		snprintf(in->detail, sizeof in->detail, "%s takes an id of 36 characters", name);
		return ERR_INVALID_ARGUMENT;
	}
	return OK;
}

enum err
positional_id(struct invocation *in, size_t i, const char *what, struct uuid *out)
{
	if (uuid_parse(in->positionals[i], out) == OK && !uuid_is_zero(*out))
		return OK;
	snprintf(in->detail, sizeof in->detail, "%s is an id of 36 characters", what);
	return ERR_INVALID_ARGUMENT;
}

enum err
positional_u64(struct invocation *in, size_t i, const char *what, uint64_t min, uint64_t *out)
{
	return whole_number(in, in->positionals[i], what, min, UINT64_MAX, out);
}

enum err
given_path(const struct invocation *in, const char *given, char **out)
{
	*out = NULL;
	if (given == NULL)
		return OK;
	if (in->home != NULL)
		return home_absolute(in->home, given, out);
	return (*out = strdup(given)) != NULL ? OK : ERR_NO_MEMORY;
}
