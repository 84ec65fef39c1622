/* web_language: which language a browser wants its pages in. Source: RFC 9110, 12.5.4. */
#ifndef GATEWAY_WEB_LANGUAGE_H
#define GATEWAY_WEB_LANGUAGE_H

#include "mailbox/wire.h"

enum web_language {
	WEB_EN,
	WEB_ZH,
	WEB_LANGUAGES,
};

/* "en", "zh". */
const char *web_language_name(enum web_language l);

/*
 * Of an Accept-Language header: the one of ours with the higher weight, the
 * first of equals; English when it names none.
 */
enum web_language web_language_of(struct span accept);

#endif
