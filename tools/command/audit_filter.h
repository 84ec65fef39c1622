/* audit_filter: which records `audit show` shows. */
#ifndef TOOLS_COMMAND_AUDIT_FILTER_H
#define TOOLS_COMMAND_AUDIT_FILTER_H

#include "store/log_record.h"
#include "tools/command/command.h"

struct audit_filter {
	struct uuid    grant, vault, asset; /* zero: any */
	struct wall_ms since;               /* not before it */
	struct wall_ms until;               /* before it; 0: any */
	uint32_t       surfaces, types;     /* a bit each; 0: any */
};

/* From the options --grant, --vault, --asset, --since, --until, --surface, --type. ERR_INVALID_ARGUMENT. */
enum err audit_filter_take(struct invocation *in, struct audit_filter *out);

/* A page is about every asset that it names. */
bool audit_filter_passes(const struct audit_filter *f, const struct log_record *r);

/*
 * True when nothing before a group of that time can be new enough, or nothing
 * behind it old enough. The order of the log is not that of time: a clock may
 * be set back, by ten minutes at most.
 */
bool audit_filter_too_old(const struct audit_filter *f, struct wall_ms t);
bool audit_filter_too_new(const struct audit_filter *f, struct wall_ms t);

#endif
