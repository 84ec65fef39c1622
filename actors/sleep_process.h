/*
 * sleep_process: the process that hears from logind when the machine is about
 * to sleep, and asks the daemon to lock before it does. It is a client at the
 * front door like any other, holds no key, and the supervisor starts it.
 * Where there is no system bus it ends at once, with exit code 0.
 */
#ifndef ACTORS_SLEEP_PROCESS_H
#define ACTORS_SLEEP_PROCESS_H

#define SLEEP_PROCESS_NAME "memories-sleep" /* its argv[0] */
#define SLEEP_PROCESS_WORD "sleep-process"  /* its argv[1]; argv[2], the last, is the supervisor's pid */

/* Runs it to its end; its exit code. The working directory is the home. */
int sleep_process_run(const char *supervisor_pid);

#endif
