/* audit_record: a record of the log as people and programs see it. */
#ifndef TOOLS_COMMAND_AUDIT_RECORD_H
#define TOOLS_COMMAND_AUDIT_RECORD_H

#include "gateway/json_write.h"
#include "store/log_record.h"

/* One JSON object. */
void audit_record_json(struct json_writer *w, const struct log_record *r);

/* A line of the table, and the one above all of them. */
void audit_record_row(const struct log_record *r);
void audit_record_heading(void);

#endif
