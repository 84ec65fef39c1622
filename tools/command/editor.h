/*
 * editor: the person's own, on a file of a draft folder.
 *
 * While it runs, and until editor_end, SIGINT, SIGTERM, SIGHUP and SIGQUIT end
 * nothing by themselves: what is in the folder must be wiped first. A Ctrl-C
 * in the terminal is the editor's.
 */
#ifndef TOOLS_COMMAND_EDITOR_H
#define TOOLS_COMMAND_EDITOR_H

#include "mailbox/err.h"

struct editor {
	int stop_fd; /* owned; readable once a signal came */
	int signal;  /* that ended it; 0: none */
};

enum err editor_begin(struct editor *ed);

/* A signal that came meanwhile does now what it does: mostly, it ends the process. */
void editor_end(struct editor *ed);

/* Takes note of the signal that made stop_fd readable while a question was open. */
void editor_note_stop(struct editor *ed);

/*
 * Runs $VISUAL, else $EDITOR, by the shell, as git does; else `editor` or `vi`,
 * which need a terminal. It has the terminal for its stdin and stdout, where
 * there is one.
 * ERR_EDITOR_FAILED: not there, or ended with an error. ERR_INTERRUPTED: a
 * signal asked for the end; the editor was ended. ERR_TERMINAL_REQUIRED.
 */
enum err editor_run(struct editor *ed, const char *path);

#endif
