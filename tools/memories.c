/* memories: the one program: argv to a command, and errors to a line and an exit code. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "actors/process.h"
#include "actors/sleep_process.h"
#include "escrow/custody_process.h"
#include "escrow/secret.h"
#include "gateway/config.h"
#include "gateway/visible.h"
#include "tools/command/parse.h"

/* The daemon's own processes are started by its supervisor with this word and name. */
static bool
is_daemon_process(int argc, char **argv)
{
	return argc == 2 && strcmp(argv[1], "daemon-process") == 0 && strncmp(argv[0], "memories-", 9) == 0;
}

static bool
is_custody_process(int argc, char **argv)
{
	return argc == 2 && strcmp(argv[1], CUSTODY_PROCESS_WORD) == 0 && strcmp(argv[0], CUSTODY_PROCESS_NAME) == 0;
}

static bool
is_sleep_process(int argc, char **argv)
{
	return argc == 3 && strcmp(argv[1], SLEEP_PROCESS_WORD) == 0 && strcmp(argv[0], SLEEP_PROCESS_NAME) == 0;
}

static void
print_version(const struct invocation *in)
{
	struct json_writer w = { 0 };

	if (!in->json) {
		printf("memories %s\n", MEMORIES_VERSION);
		return;
	}
	json_write_object(&w);
	json_member_text(&w, "version", MEMORIES_VERSION);
	json_write_end(&w);
	(void)print_json(&w);
}

/* A name that was given may hold anything: what a terminal would obey, or would end the line, is shown. */
static void
make_visible(const char *text, char *out, size_t size)
{
	size_t n = strlen(text), used = 0, len;

	for (size_t i = 0; i < n && used + VISIBLE_MAX < size; used += len)
		i += visible_next((const uint8_t *)text + i, n - i, out + used, &len);
	out[used] = '\0';
}

static void
report(const struct invocation *in, enum err e)
{
	struct json_writer w = { 0 };
	char said[1400], message[2 * sizeof said];
	bool json = in->json || (in->command != NULL && in->command->always_json);

	snprintf(said, sizeof said, "%s%s%s", err_text(e), in->detail[0] != '\0' ? ": " : "", in->detail);
	make_visible(said, message, sizeof message);
	fprintf(stderr, "memories: %s: %s\n", err_code(e), message);
	if (!json)
		return;
	json_write_error(&w, e, message);
	(void)print_json(&w);
}

/* A command that cannot work on a remote must not even look at the home's daemon when one is set. */
static enum err
check_remote(const struct invocation *in)
{
	bool set;
	enum err e = config_remote_set(in->home, in->remote_flag, &set);

	if (e != OK || !set)
		return e;
	return in->command->never_remote ? ERR_REMOTE_REFUSED : ERR_REMOTE_UNSUPPORTED;
}

static enum err
enter_home(struct invocation *in)
{
	struct home_place place;
	enum err e;

	if (in->command->needs == NEEDS_NOTHING && in->n_positionals == in->command->max_positionals)
		return OK;
	if ((e = home_find(in->home_flag, &place)) != OK)
		return e;
	e = home_open(&place, in->command->needs == MAKES_HOME, &in->home);
	home_place_free(&place);
	return e;
}

static enum err
run(struct invocation *in)
{
	enum err e;

	/* By option and environment before a home is looked at or made; then by what stands in it. */
	if ((e = secret_init(true)) != OK || (e = check_remote(in)) != OK || (e = enter_home(in)) != OK ||
	    (e = check_remote(in)) != OK)
		return e;
	return in->command->run(in);
}

int
main(int argc, char **argv)
{
	static struct invocation in;
	enum err e;

	umask(077);
	if (is_daemon_process(argc, argv))
		return process_run();
	if (is_custody_process(argc, argv))
		return custody_process_run();
	if (is_sleep_process(argc, argv))
		return sleep_process_run(argv[2]);
	signal(SIGPIPE, SIG_IGN);
	/* What people see may be content: none of it stays in a buffer that nobody wipes. */
	setvbuf(stdout, NULL, _IONBF, 0);
	e = parse(argc, argv, &in);
	if (in.help || in.version) {
		if (in.version)
			print_version(&in);
		else
			print_help(&in, argc, argv);
		return ferror(stdout) || print_failed() ? err_exit(ERR_FILE_UNWRITABLE) : 0;
	}
	if (e == OK)
		e = run(&in);
	if (e == OK && print_failed())
		e = ERR_FILE_UNWRITABLE;
	home_close(&in.home);
	if (e != OK)
		report(&in, e);
	if (e == ERR_USAGE)
		fprintf(stderr, "try `memories --help`\n");
	return in.exit_code != 0 ? in.exit_code : err_exit(e);
}
