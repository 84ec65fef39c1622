#include <stdio.h>
#include <string.h>

#include "tools/command/parse.h"

/* Words on the command line that are no options, before the command is known. */
struct words {
	const char *p[16];
	size_t      n;
};

static enum err
usage(struct invocation *in, const char *what, const char *word)
{
	snprintf(in->detail, sizeof in->detail, "%s%s%s", what, word != NULL ? " " : "", word != NULL ? word : "");
	return ERR_USAGE;
}

/* How many of the words name this command; 0 when they do not. */
static size_t
match(const struct command *c, const struct words *w)
{
	const char *at = c->words;
	size_t i = 0;

	for (; i < w->n; i++) {
		size_t len = strlen(w->p[i]);

		if (strncmp(at, w->p[i], len) != 0 || (at[len] != ' ' && at[len] != '\0'))
			return 0;
		if (at[len] == '\0')
			return i + 1;
		at += len + 1;
	}
	return 0;
}

static const struct option *
find_option(const struct command *c, const char *name, size_t len)
{
	for (const struct option *o = c->options; o != NULL && o->name != NULL; o++)
		if (strlen(o->name) == len && strncmp(o->name, name, len) == 0)
			return o;
	return NULL;
}

/* --name VALUE and --name=VALUE; *value is NULL when none is there. */
static void
split(int argc, char **argv, int *i, size_t *name_len, const char **value)
{
	const char *equals = strchr(argv[*i], '=');

	*name_len = equals != NULL ? (size_t)(equals - argv[*i]) : strlen(argv[*i]);
	*value = equals != NULL ? equals + 1 : *i + 1 < argc ? argv[*i + 1] : NULL;
	if (equals == NULL)
		(*i)++;
}

/* True when the argument is one of the options that every command has. */
static bool
take_global(int argc, char **argv, int *i, struct invocation *in)
{
	static const struct { const char *name; size_t at; } with_value[] = {
		{ "--home", offsetof(struct invocation, home_flag) },
		{ "--remote", offsetof(struct invocation, remote_flag) },
	};

	if (strcmp(argv[*i], "--json") == 0)
		return in->json = true;
	if (strcmp(argv[*i], "--version") == 0)
		return in->version = true;
	if (strcmp(argv[*i], "--help") == 0 || strcmp(argv[*i], "-h") == 0)
		return in->help = true;
	for (size_t k = 0; k < 2; k++) {
		size_t len = strlen(with_value[k].name), name_len;
		const char *value;
		int at = *i;

		if (strncmp(argv[*i], with_value[k].name, len) != 0 || (argv[*i][len] != '\0' && argv[*i][len] != '='))
			continue;
		split(argc, argv, &at, &name_len, &value);
		*(const char **)((char *)in + with_value[k].at) = value != NULL ? value : "";
		*i = at;
		return true;
	}
	return false;
}

/* The command is the first words that are no options; values of its options are found with it. */
static const struct command *
find_command(int argc, char **argv, size_t *n_words)
{
	struct words w = { .n = 0 };
	struct invocation ignored = { .command = NULL };

	for (int i = 1; i < argc && w.n < 3; i++) {
		if (take_global(argc, argv, &i, &ignored))
			continue;
		if (argv[i][0] == '-')
			break;
		w.p[w.n++] = argv[i];
	}
	for (size_t k = 0; k < n_commands; k++)
		if ((*n_words = match(&commands[k], &w)) > 0)
			return &commands[k];
	return NULL;
}

static enum err
take_option(int argc, char **argv, int *i, struct invocation *in)
{
	const char *name = argv[*i], *equals = strchr(name, '=');
	size_t len = equals != NULL ? (size_t)(equals - name) : strlen(name);
	const struct option *o = find_option(in->command, name, len);
	const char *value = "";

	if (o == NULL)
		return usage(in, "unknown option", name);
	if (o->value == NULL && equals != NULL)
		return usage(in, "no value is taken by", o->name);
	if (o->value != NULL) {
		split(argc, argv, i, &len, &value);
		if (value == NULL)
			return usage(in, "a value is missing after", o->name);
	}
	if (!o->repeats && option_given(in, o->name))
		return usage(in, "given twice:", o->name);
	if (in->n_values == VALUES_MAX)
		return usage(in, "too many options, from this on:", o->name);
	in->values[in->n_values].option = o;
	in->values[in->n_values++].value = value;
	return OK;
}

static enum err
take_arguments(int argc, char **argv, size_t n_words, struct invocation *in)
{
	bool only_positionals = false;
	enum err e;

	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];

		if (!only_positionals && take_global(argc, argv, &i, in))
			continue;
		if (!only_positionals && strcmp(a, "--") == 0) {
			only_positionals = true;
		} else if (!only_positionals && a[0] == '-' && a[1] != '\0') {
			if ((e = take_option(argc, argv, &i, in)) != OK)
				return e;
		} else if (n_words > 0) {
			n_words--;
		} else if (in->n_positionals == in->command->max_positionals) {
			return usage(in, "too many arguments:", a);
		} else {
			in->positionals[in->n_positionals++] = a;
		}
	}
	return OK;
}

static enum err
check(struct invocation *in)
{
	if (in->n_positionals < in->command->min_positionals)
		return usage(in, "missing:", in->command->synopsis);
	for (const struct option *o = in->command->options; o != NULL && o->name != NULL; o++)
		if (o->required && !option_given(in, o->name))
			return usage(in, "missing:", o->name);
	return OK;
}

/* What stands where a command should. */
static const char *
first_word(int argc, char **argv)
{
	struct invocation ignored;

	for (int i = 1; i < argc; i++)
		if (!take_global(argc, argv, &i, &ignored))
			return argv[i];
	return NULL;
}

/* Of a word that only begins commands, says what can follow it. */
static enum err
no_command(int argc, char **argv, struct invocation *in)
{
	const char *word = first_word(argc, argv);
	size_t len = word != NULL ? strlen(word) : 0, at = 0;

	if (word == NULL)
		return usage(in, "no command", NULL);
	for (size_t k = 0; k < n_commands && at < sizeof in->detail; k++)
		if (strncmp(commands[k].words, word, len) == 0 && commands[k].words[len] == ' ')
			at += (size_t)snprintf(in->detail + at, sizeof in->detail - at, "%s%s %s", at == 0 ? word : "",
			    at == 0 ? " is followed by" : ",", commands[k].words + len + 1);
	return at > 0 ? ERR_USAGE : usage(in, "no such command:", word);
}

enum err
parse(int argc, char **argv, struct invocation *in)
{
	size_t n_words;
	enum err e;

	memset(in, 0, sizeof *in);
	if ((in->command = find_command(argc, argv, &n_words)) == NULL) {
		for (int i = 1; i < argc; i++)
			(void)take_global(argc, argv, &i, in);
		return no_command(argc, argv, in);
	}
	if ((e = take_arguments(argc, argv, n_words, in)) != OK || in->help || in->version)
		return e;
	return check(in);
}

static void
print_command_help(const struct command *c)
{
	printf("usage: memories [--home DIR] [--json] %s%s%s", c->words, c->synopsis[0] != '\0' ? " " : "", c->synopsis);
	for (const struct option *o = c->options; o != NULL && o->name != NULL; o++)
		printf(o->required ? " %s%s%s%s" : " [%s%s%s]%s", o->name, o->value != NULL ? " " : "",
		    o->value != NULL ? o->value : "", o->repeats ? "…" : "");
	printf("\n\n%s.\n", c->summary);
	if (c->help[0] != '\0')
		printf("%s\n", c->help);
	if (c->options != NULL)
		printf("\n");
	for (const struct option *o = c->options; o != NULL && o->name != NULL; o++) {
		char left[64];

		snprintf(left, sizeof left, "%s%s%s", o->name, o->value != NULL ? " " : "", o->value != NULL ? o->value : "");
		printf("  %-26s %s\n", left, o->help);
	}
}

/* A line for each command that begins with these words; false: there is none. */
static bool
print_group(const char *group)
{
	size_t len = strlen(group);
	bool any = false;

	for (size_t k = 0; k < n_commands; k++) {
		char left[64];

		if (len > 0 && (strncmp(commands[k].words, group, len) != 0 || commands[k].words[len] != ' '))
			continue;
		any = true;
		snprintf(left, sizeof left, "%s %s", commands[k].words, commands[k].synopsis);
		printf("  %-42s %s\n", left, commands[k].summary);
	}
	return any;
}

void
print_help(const struct invocation *in, int argc, char **argv)
{
	char group[64] = "";

	if (in->command != NULL) {
		print_command_help(in->command);
		return;
	}
	for (int i = 1; i < argc; i++) {
		struct invocation ignored;
		size_t len = strlen(group);

		if (!take_global(argc, argv, &i, &ignored) && argv[i][0] != '-')
			snprintf(group + len, sizeof group - len, "%s%s", len > 0 ? " " : "", argv[i]);
	}
	printf("usage: memories [--home DIR] [--json] [--remote URL] COMMAND …\n\n");
	/* What has no commands below it is left out, word by word. */
	while (!print_group(group) && group[0] != '\0')
		*(strrchr(group, ' ') != NULL ? strrchr(group, ' ') : group) = '\0';
	printf("\n`memories COMMAND --help` tells more. The home is --home, $MEMORIES_HOME,\n"
	    "$XDG_DATA_HOME/memories or ~/.local/share/memories. --version tells the version.\n");
}
