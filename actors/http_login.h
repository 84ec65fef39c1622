/*
 * http_login: the one thread that tries passwords. A try takes a tenth of a
 * second and much memory, so one is made at a time and few wait.
 */
#ifndef ACTORS_HTTP_LOGIN_H
#define ACTORS_HTTP_LOGIN_H

#include "escrow/secret.h"

#define HTTP_LOGIN_QUEUE 4

struct http_login;

/* wake(arg) is called on the thread, after each try. ERR_NO_MEMORY, ERR_UNSUPPORTED. */
enum err http_login_new(void (*wake)(void *arg), void *arg, struct http_login **out);

/*
 * Waits for the try that is being made; drop is called for each `what` that
 * has not been given back. Accepts NULL inside.
 */
void http_login_free(struct http_login **l, void (*drop)(void *what));

/*
 * Tries a password against a verifier. what: given back with the result.
 * password: taken over on OK. ERR_BUSY: HTTP_LOGIN_QUEUE wait already. ERR_NO_MEMORY.
 */
enum err http_login_try(struct http_login *l, struct secret *password, struct span verifier, void *what);

/* The next result. False: there is none yet. */
bool http_login_result(struct http_login *l, void **what, enum err *result);

#endif
