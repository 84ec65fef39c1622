/*
 * home_lock: daemon.lock in the home, held by its one daemon. It is a lock of
 * the open file (F_OFD_SETLK), so that others can see whether it is held
 * without taking it themselves for a moment.
 */
#ifndef ESCROW_HOME_LOCK_H
#define ESCROW_HOME_LOCK_H

#include <stdbool.h>

#include "mailbox/err.h"

/*
 * Takes it, in the working directory, until the descriptor is closed.
 * ERR_ALREADY_RUNNING: another process holds it. ERR_STORAGE_FULL,
 * ERR_STORAGE_FAILED: the file cannot be made.
 */
enum err home_lock_take(int *fd);

/* True when some process holds it. */
bool home_lock_held(void);

#endif
