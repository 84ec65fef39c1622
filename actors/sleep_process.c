#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "actors/sandbox.h"
#include "actors/sleep_process.h"
#include "escrow/secret.h"
#include "escrow/sleep.h"
#include "gateway/client.h"
#include "mailbox/words.h"

/* logind lets the machine sleep after five seconds, whoever asked it to wait. */
#define LOCK_MS   4000
#define ANSWER_MS 2000

static enum err
tell_once(enum sleep_word word)
{
	struct sleep_body b = { .word = (uint8_t)word };
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = client_open(&c)) == OK) {
		client_be_patient(c, ANSWER_MS);
		e = client_call(c, MSG_SLEEP_ASK, &b, MSG_DONE, &answer);
	}
	client_close(&c);
	return e;
}

/* A part of the daemon that is starting anew has no keys either, but may soon have some. */
static void
lock(void)
{
	struct mono_ms until = { clock_mono().ms + LOCK_MS };

	while (tell_once(SLEEP_COMES) != OK && clock_mono().ms < until.ms)
		(void)usleep(50000);
}

static enum sleep_word
word_for(const struct sleep_watch *w)
{
	return !sleep_watch_heard(w) ? SLEEP_UNWATCHED : sleep_watch_waits(w) ? SLEEP_WATCHED : SLEEP_NO_DELAY;
}

static enum err
watch(struct sleep_watch *w)
{
	enum sleep_event event;
	enum err e;

	/* A core that was started anew hears it again. */
	(void)tell_once(word_for(w));
	if ((e = sleep_watch_next(w, SLEEP_TELL_MS, &event)) != OK)
		return e;
	if (event == SLEEP_BEGINS) {
		lock();
		sleep_watch_release(w);
	}
	return OK;
}

static enum err
begin(const char *supervisor_pid)
{
	enum err e;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if ((e = sandbox_guard(true)) != OK)
		return e;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		return ERR_UNSUPPORTED;
	return getppid() == (pid_t)strtol(supervisor_pid, NULL, 10) ? secret_init(true) : ERR_INTERRUPTED;
}

int
sleep_process_run(const char *supervisor_pid)
{
	struct sleep_watch *w = NULL;
	enum err e;

	if ((e = begin(supervisor_pid)) != OK)
		return err_exit(e);
	if ((e = sleep_watch_open(&w)) != OK)
		return e == ERR_UNSUPPORTED ? 0 : err_exit(e);
	while ((e = watch(w)) == OK)
		;
	sleep_watch_close(&w);
	return err_exit(e);
}
