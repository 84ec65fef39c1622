/*
 * json_scan: says whether bytes are JSON that we take (RFC 8259, read
 * strictly), before any parser sees them.
 *
 * Beyond the grammar it wants well-formed UTF-8 without a byte order mark, no
 * NUL (neither raw nor \u0000), no lone surrogates, no object with the same
 * key twice (also not in two spellings), and the limits below.
 */
#ifndef GATEWAY_JSON_SCAN_H
#define GATEWAY_JSON_SCAN_H

#include "mailbox/err.h"
#include "mailbox/wire.h"

#define JSON_TEXT_MAX   ((size_t)1 << 20)
#define JSON_DEPTH_MAX  32
#define JSON_TOKENS_MAX 10000 /* values and keys */
#define JSON_NUMBER_MAX 63    /* characters; cJSON reads no longer ones */

/*
 * ERR_INVALID_CONTENT: not such JSON. ERR_TOO_LARGE: over a limit.
 * ERR_NO_MEMORY.
 */
enum err json_scan(struct span text);

/*
 * The order of two keys as they stand between their quotes in accepted text,
 * after unescaping, by code points: <0, 0, >0.
 */
int json_scan_compare(struct span a, struct span b);

#endif
