/*
 * json_raw: finds values in accepted JSON text (gateway/json_scan.h) by their
 * bytes, for what must be echoed exactly as it came in. In other text it stays
 * within the bounds, and what it finds means nothing.
 */
#ifndef GATEWAY_JSON_RAW_H
#define GATEWAY_JSON_RAW_H

#include "mailbox/wire.h"

/*
 * The value of that member of an object, without blanks around it. Points into
 * the text. False when the object has none, or when the text is no object.
 */
bool json_raw_member(struct span object, const char *name, struct span *value);

/*
 * Walks an array: *rest starts as the array's text, and each call gives the
 * next element. False after the last.
 */
bool json_raw_element(struct span *rest, struct span *element);

#endif
