/*
 * terminal: asking the person at /dev/tty, whatever stdin and stdout are.
 * Not for two threads at once.
 */
#ifndef ESCROW_TERMINAL_H
#define ESCROW_TERMINAL_H

#include "escrow/secret.h"

#define TERMINAL_LINE_MAX 1024 /* bytes of an answer, its newline not counted */

#define PROMPT_PASSWORD        "Password: "
#define PROMPT_REPEAT_PASSWORD "Repeat password: "
#define PROMPT_PAGES_PASSWORD        "Pages password: "
#define PROMPT_REPEAT_PAGES_PASSWORD "Repeat pages password: "
#define PROMPT_SUDO_PASSWORD   "Sudo password: "
#define PROMPT_ENABLE          "Type ENABLE to go on: "
#define PROMPT_REPAIR          "Type REPAIR to go on: "
#define PROMPT_ACCEPT          "Type ACCEPT to go on: "
#define PROMPT_VAULT_NAME      "Name of the vault: "
#define PROMPT_SECRET          "Secret: "
#define PROMPT_NOTES           "Notes: "
#define PROMPT_SEED            "Seed of the one-time codes: "

/*
 * Asks for a line with echo off. Echo is as before on every way out: after
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT, which then do what they did before the
 * call (mostly, end the process), and while SIGTSTP has the process stopped;
 * when it goes on, it asks again.
 *
 * *out  new, the bytes as typed without the newline, perhaps none; caller frees
 *
 * ERR_TERMINAL_REQUIRED: there is no terminal, or it hung up.
 * ERR_NOT_CONFIRMED: end of input instead of a line. ERR_INVALID_ARGUMENT: the
 * line is longer than TERMINAL_LINE_MAX. ERR_INTERRUPTED: a signal came whose
 * former action did not end the process. ERR_NO_MEMORY.
 */
enum err terminal_password(const char *prompt, struct secret **out);

/*
 * Asks for a line with echo on, for what is no secret.
 *
 * line  the answer without its newline, and a NUL
 *
 * Errors as terminal_password; also ERR_INVALID_ARGUMENT when a NUL was typed.
 */
enum err terminal_line(const char *prompt, char line[TERMINAL_LINE_MAX + 1]);

/* The same; ERR_INTERRUPTED, with nothing taken, once stop_fd is readable. */
enum err terminal_line_until(const char *prompt, int stop_fd, char line[TERMINAL_LINE_MAX + 1]);

/* Writes the text to the terminal. ERR_TERMINAL_REQUIRED. */
enum err terminal_warn(const char *text);

#endif
