#include "gateway/client_profile.h"
#include "gateway/profile_request.h"

enum err
client_profile(struct client *c, const struct client_profile_want *want, struct secret **result,
    uint64_t *index)
{
	struct client_want ask = { .op = want->op, .surface = SURFACE_OWNER, .vault = want->connection, .asset = want->fact,
		.limit = want->op == OP_PROFILE_LIST ? PROFILE_LIST_LIMIT_MAX : 0, .query = want->request };
	struct client_answer *a = NULL;
	enum err e;

	if (want->request.len == 0 || want->request.len > PROFILE_TEXT_MAX)
		return want->request.len == 0 ? ERR_INVALID_ARGUMENT : ERR_TOO_LARGE;
	if ((e = client_ask(c, &ask, &a)) != OK)
		return e;
	if (a->n_items == 1 && a->items[0].ref.part == PART_FOUND) {
		*index = a->index;
		*result = a->items[0].plain;
		a->items[0].plain = NULL;
	} else {
		e = ERR_PROTOCOL;
	}
	client_answer_free(&a);
	return e;
}
