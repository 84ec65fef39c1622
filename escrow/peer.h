/*
 * peer: what the kernel says about another process, which a sudo ticket is
 * bound to. Source: proc(5), /proc/PID/stat and /proc/PID/status.
 */
#ifndef ESCROW_PEER_H
#define ESCROW_PEER_H

#include <stdint.h>
#include <sys/types.h>

#include "mailbox/err.h"
#include "mailbox/wire.h"

/* From one /proc/PID/stat. */
struct peer_stat {
	pid_t    session;
	uint32_t tty;         /* device number of the controlling terminal; 0: none */
	uint64_t start_ticks; /* when the process started, in clock ticks since boot */
};

struct peer_facts {
	uid_t            uid; /* effective */
	struct peer_stat own;
	uint64_t         leader_start_ticks; /* of the session's leader; 0: the leader is gone */
};

/*
 * All facts are of one process, also when its pid is used again meanwhile. A
 * pid alone may be another process's by now: compare own.start_ticks with an
 * earlier look.
 *
 * ERR_NOT_FOUND: no such process is to be seen. ERR_UNSUPPORTED: /proc is not
 * mounted, or not of the form that we know.
 */
enum err peer_facts(pid_t pid, struct peer_facts *out);

/* Takes the bytes of a stat file; a name in it may hold any byte. ERR_UNSUPPORTED: not of that form. */
enum err peer_stat_parse(struct span text, struct peer_stat *out);

/* Takes the bytes of a status file and finds its effective uid. ERR_UNSUPPORTED: not of that form. */
enum err peer_uid_parse(struct span text, uid_t *out);

#endif
