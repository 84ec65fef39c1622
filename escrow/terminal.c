#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "escrow/terminal.h"

static const int watched[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT };
#define N_WATCHED (sizeof watched / sizeof watched[0])

/* Where the signal handler writes what came; a handler has no other argument. */
static int signal_pipe_fd = -1;

/* One question; what it changes is put back from here. */
struct question {
	const char      *prompt;
	int              tty_fd;
	int              pipe_fds[2];
	struct termios   before;
	struct sigaction actions[N_WATCHED];
	struct secret   *answer; /* TERMINAL_LINE_MAX bytes */
	size_t           len;    /* of what was typed; more than fits when the line is too long */
};

static void
note_signal(int signal_number)
{
	unsigned char byte = (unsigned char)signal_number;
	int error = errno;

	(void)!write(signal_pipe_fd, &byte, 1);
	errno = error;
}

static enum err
open_tty(int *fd)
{
	int opened = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (opened < 0)
		return ERR_TERMINAL_REQUIRED;
	*fd = opened;
	return OK;
}

static enum err
say(int fd, const char *text)
{
	size_t len = strlen(text);
	ssize_t put;

	while (len > 0) {
		put = write(fd, text, len);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return ERR_TERMINAL_REQUIRED;
		text += put;
		len -= (size_t)put;
	}
	return OK;
}

/* A signal that was ignored before (nohup) stays ignored. */
static void
watch_signals(struct question *q)
{
	struct sigaction action = { .sa_handler = note_signal };

	sigemptyset(&action.sa_mask);
	signal_pipe_fd = q->pipe_fds[1];
	for (size_t i = 0; i < N_WATCHED; i++) {
		sigaction(watched[i], &action, &q->actions[i]);
		if (q->actions[i].sa_handler == SIG_IGN)
			sigaction(watched[i], &q->actions[i], NULL);
	}
}

static enum err
set_terminal(int fd, const struct termios *mode)
{
	while (tcsetattr(fd, TCSAFLUSH, mode) != 0)
		if (errno != EINTR)
			return ERR_TERMINAL_REQUIRED;
	return OK;
}

static enum err
turn_echo_off(const struct question *q)
{
	struct termios silent = q->before;

	silent.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
	silent.c_lflag |= ICANON | ISIG;
	silent.c_iflag |= ICRNL;
	return set_terminal(q->tty_fd, &silent);
}

/* Echo first: once the handlers are gone a signal may end the process. */
static void
put_back(const struct question *q)
{
	(void)set_terminal(q->tty_fd, &q->before);
	for (size_t i = 0; i < N_WATCHED; i++)
		sigaction(watched[i], &q->actions[i], NULL);
	signal_pipe_fd = -1;
}

/* Takes a signal that came from the pipe; 0: none did. */
static int
noted_signal(const struct question *q)
{
	unsigned char byte;

	return read(q->pipe_fds[0], &byte, 1) == 1 ? byte : 0;
}

static enum err
wait_for_either(const struct question *q)
{
	struct pollfd fds[2] = {
		{ .fd = q->tty_fd, .events = POLLIN },
		{ .fd = q->pipe_fds[0], .events = POLLIN },
	};

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR)
			return ERR_TERMINAL_REQUIRED;
	return OK;
}

/* Takes what was typed. The length goes on past the buffer, so that too long a line is noticed. */
static enum err
take_input(int fd, uint8_t *buf, size_t cap, size_t *len, bool *ended)
{
	uint8_t typed[256];
	ssize_t got = read(fd, typed, sizeof typed);

	if (got < 0)
		return errno == EINTR ? OK : ERR_TERMINAL_REQUIRED;
	if (got == 0)
		return ERR_NOT_CONFIRMED;
	for (ssize_t i = 0; i < got && !*ended; i++) {
		*ended = typed[i] == '\n';
		if (!*ended && *len < cap)
			buf[*len] = typed[i];
		*len += !*ended;
	}
	wipe(typed, sizeof typed);
	return OK;
}

static enum err
read_answer(struct question *q, int *signal_number)
{
	bool ended = false;
	enum err e = OK;

	q->len = 0;
	while (e == OK && !ended) {
		if ((e = wait_for_either(q)) != OK)
			return e;
		if ((*signal_number = noted_signal(q)) != 0)
			return OK;
		e = take_input(q->tty_fd, secret_bytes(q->answer), TERMINAL_LINE_MAX, &q->len, &ended);
	}
	return e;
}

/* Asks once. *signal_number tells which signal came, whose action is still due; 0: none. */
static enum err
ask_silently(struct question *q, int *signal_number)
{
	enum err e;

	*signal_number = 0;
	if (tcgetattr(q->tty_fd, &q->before) != 0)
		return ERR_TERMINAL_REQUIRED;
	watch_signals(q);
	if ((e = turn_echo_off(q)) == OK)
		e = say(q->tty_fd, q->prompt);
	if (e == OK) {
		e = read_answer(q, signal_number);
		(void)say(q->tty_fd, "\n");
	}
	put_back(q);
	if (*signal_number == 0)
		*signal_number = noted_signal(q);
	return e;
}

static enum err
ask_until_answered(struct question *q)
{
	int signal_number;
	enum err e;

	do {
		e = ask_silently(q, &signal_number);
		if (signal_number != 0)
			kill(getpid(), signal_number);
	} while (e == OK && (signal_number == SIGTSTP || signal_number == SIGCONT));
	if (e == OK && signal_number != 0)
		return ERR_INTERRUPTED;
	return e == OK && q->len > TERMINAL_LINE_MAX ? ERR_INVALID_ARGUMENT : e;
}

enum err
terminal_password(const char *prompt, struct secret **out)
{
	struct question q = { .prompt = prompt };
	enum err e;

	if ((e = open_tty(&q.tty_fd)) != OK)
		return e;
	if (pipe2(q.pipe_fds, O_CLOEXEC | O_NONBLOCK) != 0) {
		close(q.tty_fd);
		return ERR_NO_MEMORY;
	}
	if ((e = secret_new(TERMINAL_LINE_MAX, &q.answer)) == OK)
		e = ask_until_answered(&q);
	if (e == OK) {
		secret_cut(q.answer, q.len);
		*out = q.answer;
		q.answer = NULL;
	}
	secret_free(&q.answer);
	close(q.pipe_fds[0]);
	close(q.pipe_fds[1]);
	close(q.tty_fd);
	return e;
}

/* stop_fd: -1, or what ends the waiting. */
static enum err
wait_for_line(int fd, int stop_fd)
{
	struct pollfd fds[2] = { { .fd = fd, .events = POLLIN }, { .fd = stop_fd, .events = POLLIN } };

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR)
			return ERR_TERMINAL_REQUIRED;
	return fds[1].revents != 0 ? ERR_INTERRUPTED : OK;
}

static enum err
read_line(int fd, int stop_fd, char line[TERMINAL_LINE_MAX + 1])
{
	uint8_t typed[TERMINAL_LINE_MAX];
	bool ended = false;
	size_t len = 0;
	enum err e = OK;

	while (e == OK && !ended)
		if ((e = wait_for_line(fd, stop_fd)) == OK)
			e = take_input(fd, typed, sizeof typed, &len, &ended);
	if (e != OK)
		return e;
	if (len > sizeof typed || memchr(typed, '\0', len) != NULL)
		return ERR_INVALID_ARGUMENT;
	memcpy(line, typed, len);
	line[len] = '\0';
	return OK;
}

enum err
terminal_line_until(const char *prompt, int stop_fd, char line[TERMINAL_LINE_MAX + 1])
{
	enum err e;
	int fd;

	if ((e = open_tty(&fd)) != OK)
		return e;
	if ((e = say(fd, prompt)) == OK)
		e = read_line(fd, stop_fd, line);
	close(fd);
	return e;
}

enum err
terminal_line(const char *prompt, char line[TERMINAL_LINE_MAX + 1])
{
	return terminal_line_until(prompt, -1, line);
}

enum err
terminal_warn(const char *text)
{
	enum err e;
	int fd;

	if ((e = open_tty(&fd)) != OK)
		return e;
	e = say(fd, text);
	close(fd);
	return e;
}
