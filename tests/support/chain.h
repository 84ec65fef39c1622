/*
 * chain: small actors that pass an ask round as the real ones do (gate, grants,
 * vault, keyring, audit, gate), hosted by children of the test in one process
 * or in three. What they do is chosen by the ask's op.
 */
#ifndef TESTS_SUPPORT_CHAIN_H
#define TESTS_SUPPORT_CHAIN_H

#include "mailbox/host.h"

enum chain_placement { CHAIN_ONE, CHAIN_THREE };

/* Processes of CHAIN_THREE; CHAIN_ONE has the first alone. */
enum chain_process { CHAIN_CORE, CHAIN_KEYRING, CHAIN_AUDIT };

enum chain_order {
	CHAIN_PASS,         /* an answer: ack.index is the ask's offset, the deposit is `limit` bytes long */
	CHAIN_PEER,         /* the gate answers at once: ack.index is the peer's process id */
	CHAIN_GATE_FAILS,   /* its handler puts an answer, then returns an error */
	CHAIN_TWICE,        /* the gate answers twice */
	CHAIN_GRANTS_FAILS, /* the ask ends at the gate's deadline */
	CHAIN_BATCH_FAILS,  /* audit's on_batch does, once; likewise */
	CHAIN_FAILS,        /* audit calls host_fail */
};

/* How long the gate waits for the others. */
#define CHAIN_DEADLINE_MS 1000

/* If argv is that of a hosting child, never returns; to be called first in main. */
void chain_be_child(int argc, char **argv);

/*
 * Starts the processes, which run in the working directory, its "run" and
 * "service.sock"; their traces go to the file "trace". True when an ask has
 * passed.
 */
bool chain_start(enum chain_placement placement);

/* An ask passes within that time, on a connection of its own. */
bool chain_passes_within(unsigned ms);

/* Ends one process at once, as a crash would; starts it again. */
void chain_kill(enum chain_process which);
bool chain_restart(enum chain_process which);

/* Waits until it has ended by itself: its exit status. */
int chain_wait(enum chain_process which);

/* Stops what still runs by closing the control fds. True when each ended well. */
bool chain_stop(void);

/* The key of an edge, and the tag function: for who would be one of the actors. */
void chain_key(enum actor a, enum actor b, uint8_t key[PAIR_KEY_LEN]);
void chain_tag(const uint8_t key[PAIR_KEY_LEN], const void *p, size_t len, uint8_t out[32]);

/* Runs all actors in this process until host_stop or host_fail. */
enum err chain_host_here(enum err (*ready)(void *arg));

#endif
