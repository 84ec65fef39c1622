/*
 * sandbox: what a process gives up before its first message. Guarding keeps
 * other processes of the same account out of its memory; the seccomp filter
 * keeps it from what it never needs: a call outside the list ends the process.
 */
#ifndef ACTORS_SANDBOX_H
#define ACTORS_SANDBOX_H

#include "actors/roster.h"

/*
 * On: no core file, not dumpable (no ptrace, no /proc/PID/mem by the same
 * account). Off again: dumpable, for debuggers. ERR_UNSUPPORTED.
 */
enum err sandbox_guard(bool on);

/*
 * no_new_privs and the filter, for all threads of the process; before nng
 * starts any. SANDBOX_NONE: only no_new_privs. ERR_UNSUPPORTED.
 */
enum err sandbox_enter(enum sandbox which);

/* For SANDBOX_SEARCH, once it listens: takes back what that needed, from all threads. ERR_UNSUPPORTED. */
enum err sandbox_settle(void);

#endif
