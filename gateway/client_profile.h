/*
 * client_profile: an owner's request to the profile, and the answer opened in
 * the process whose stdout is the exit. The request leaves it only boxed to
 * the keyring. Forms: gateway/profile_request.h, gateway/profile_result.h.
 */
#ifndef GATEWAY_CLIENT_PROFILE_H
#define GATEWAY_CLIENT_PROFILE_H

#include "escrow/query.h"
#include "gateway/client.h"

struct client_profile_want {
	enum op     op;         /* OP_PROFILE_LIST or OP_PROFILE_CHANGE */
	struct uuid connection; /* that it is about; zero: none */
	struct uuid fact;       /* of a share or its end; zero: none */
	struct span request;    /* JSON, at most PROFILE_TEXT_MAX bytes */
};

/*
 * *result  new, JSON as it came: what is in it was made from content
 * *index   the record's place in the log
 *
 * ERR_TOO_LARGE: the request is. ERR_PROFILE_OFF: it was never enabled, or is
 * not open. ERR_NOT_FOUND: the connection, or what the request names. The
 * other codes of gateway/profile_result.h's answers; the rest as client_ask.
 */
enum err client_profile(struct client *c, const struct client_profile_want *want, struct secret **result,
    uint64_t *index);

#endif
