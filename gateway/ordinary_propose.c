#include <stdio.h>

#include "gateway/ordinary_inside.h"

enum err
ordinary_propose(const struct ordinary *o, const struct ordinary_ask *ask, struct json_writer *w,
    char message[MCP_MESSAGE_MAX])
{
	(void)o;
	(void)ask;
	(void)w;
	snprintf(message, MCP_MESSAGE_MAX, "this grant does not allow to propose");
	return ERR_INVALID_ARGUMENT;
}
