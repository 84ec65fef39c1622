#include <string.h>

#include "store/log_check.h"

void
log_check_count_repair(const struct log_repaired *repaired, struct log_chain *chain)
{
	chain->has_found = false;
	chain->repaired = repaired->repairs;
	chain->n_repairs++;
	if (repaired->lost.size > repaired->found.size)
		chain->n_lost += repaired->lost.size - repaired->found.size;
}

bool
log_check_gives_up(const struct log_frame_group *g, const struct log_anchor *anchor)
{
	struct wire_in in = wire_in(g->records.p, g->records.len);

	for (uint32_t i = 0; i < g->n_records; i++) {
		struct span leaf = log_frame_take_record(&in);
		struct wire_in leaf_in = wire_in(leaf.p, leaf.len);
		struct log_repaired repaired;
		struct log_record r;

		log_record_take(&leaf_in, &r);
		if (!leaf_in.failed && r.type == LOG_REPAIR && log_repaired_take(r.extra, &repaired) &&
		    repaired.lost.size == anchor->size && memcmp(repaired.lost.root, anchor->root, SHA256_LEN) == 0)
			return true;
	}
	return false;
}

const char *
log_check_repair_rule(const struct log_record *r, struct log_chain *chain)
{
	struct log_repaired repaired;

	if (r->type != LOG_REPAIR)
		return NULL;
	if (r->outcome != LOG_DONE || !log_repaired_take(r->extra, &repaired))
		return "a repair record does not have its form";
	if (!chain->has_found || repaired.found.size != chain->found.size ||
	    memcmp(repaired.found.root, chain->found.root, SHA256_LEN) != 0)
		return "a repair record does not name the log before it";
	if (repaired.repairs <= chain->repaired)
		return "a repair record does not raise the count of repairs";
	log_check_count_repair(&repaired, chain);
	return NULL;
}
