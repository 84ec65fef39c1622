/* edge_peer: who is at the other end of an ipc connection. */
#ifndef MAILBOX_EDGE_PEER_H
#define MAILBOX_EDGE_PEER_H

#include <nng/nng.h>

#include <stdbool.h>
#include <stdint.h>

/* The peer's process. False: unknown, or another user's than ours. */
bool edge_peer_is_ours(nng_pipe pipe, uint32_t *pid);

/* True when that process is a child of the other. */
bool edge_peer_has_parent(uint32_t pid, uint32_t parent);

#endif
