/*
 * custody_process: the short process that talks to the session bus in the
 * daemon's place. It runs this program under a hidden word, does one thing,
 * and is killed when its time is over: a service that hangs holds up nobody.
 * What it moves goes over one socket; it gets no argument, two variables of
 * the environment, and no other descriptor.
 */
#ifndef ESCROW_CUSTODY_PROCESS_H
#define ESCROW_CUSTODY_PROCESS_H

#include "escrow/secret_service.h"

#define CUSTODY_PROCESS_NAME "memories-custody" /* its argv[0] */
#define CUSTODY_PROCESS_WORD "custody-process"  /* its argv[1], the last */

#define CUSTODY_PROCESS_MS 2000 /* from its start until it is killed */
#define CUSTODY_TALK_MS    1800 /* of these for the service, so that it can still say why */

enum custody_task { CUSTODY_STORE = 1, CUSTODY_LOAD, CUSTODY_REMOVE };

struct custody_request {
	enum custody_task task;
	uint32_t parent_pid; /* with whom it dies */
	struct secret_service_key key;
	struct span text;    /* store */
};

struct custody_reply {
	enum err e;
	enum custody_detail why;
	struct secret *text; /* load; owned, NULL for none */
};

#define CUSTODY_REQUEST_MAX (1 + 4 + 1 + 2 * UUID_LEN + SHA256_LEN + 4 + SECRET_SERVICE_MAX)
#define CUSTODY_REPLY_MAX   (2 + 1 + 4 + SECRET_SERVICE_MAX)

/* Their bytes on that socket. The takers take any bytes; false: not of the form, and nothing is to be freed. */
void custody_request_put(struct wire_out *o, const struct custody_request *r);
bool custody_request_take(struct span bytes, struct custody_request *r);
void custody_reply_put(struct wire_out *o, const struct custody_reply *r);
bool custody_reply_take(struct span bytes, struct custody_reply *r);

/*
 * Runs it to its end and says what it answered: always something, after
 * CUSTODY_PROCESS_MS at the latest. Without an answer that is
 * ERR_CUSTODY_UNAVAILABLE, and CUSTODY_NO_ANSWER. No process is left.
 */
void custody_process_ask(struct custody_request *r, struct custody_reply *out);

/* What the process runs; its exit code. */
int custody_process_run(void);

#endif
