/*
 * profile_result: what the profile answers, as JSON text. All of it is one
 * line; ids are text, times RFC 3339 in UTC with seconds.
 *
 * To a connection, at most PROFILE_CONNECTION_RESULT_MAX bytes:
 *   context, page  {"summary":S,"facts":[F…],"version":HEX64,"updated_at":T|null,"has_more":BOOL,"offset":N,
 *                   "next_offset":N|null,"next_uri":S|null}
 *   search         {"facts":[F…],"version":HEX64,"offset":N,"next_offset":N|null,"window_exhausted":BOOL[,"message":S]}
 *   propose        {"id":ID,"status":"pending"}
 *   F              {"id":ID,"category":C,"label":S,"value":S,"version":N,"updated_at":T}
 * To the owner, at most PROFILE_RESULT_MAX bytes:
 *   facts          {"facts":[O…],"offset":N,"total":N,"next_offset":N|null}
 *   O              F and "evidence":S,"uncertain":BOOL,"sensitive":BOOL,"archived":BOOL,"created_at":T,"revision":ID,
 *                  "shared_with":[{"connection":ID,"confirmed":BOOL}…]
 *   proposals      {"proposals":[P…],"offset":N,"total":N,"next_offset":N|null}
 *   P              {"id":ID,"connection":ID,"op":S,"category":C,"label":S,"value":S,"evidence":S,"target_fact_id":ID|null,
 *                   "created_at":T,"expires_at":T,"status":"pending","sensitive":BOOL[,"now":{"category":C,"label":S,"value":S,
 *                   "version":N}|null,"conflict":BOOL]}   of those to update or archive; now null: the fact is gone
 *   labels         {"labels":[{"fact":ID,"revision":ID,"category":C|null,"label":S|null,"current":BOOL,"archived":BOOL}…]}
 *                  in the order of the refs; null: there is no such fact any more. The label is that of today; current
 *                  false: the fact has been changed since that revision.
 *   fact_add, fact_edit, fact_archive, share, unshare   {"fact":ID,"version":N}
 *   proposal_confirm, proposal_edit, proposal_dismiss   {"proposal":ID,"fact":ID|null}
 *   passwd         {}
 * A list ends early where its room does; next_offset says where it goes on.
 */
#ifndef GATEWAY_PROFILE_RESULT_H
#define GATEWAY_PROFILE_RESULT_H

#define PROFILE_CONNECTION_RESULT_MAX 16384
#define PROFILE_RESULT_MAX            65536
#define PROFILE_OVERVIEW_MAX          50 /* facts */

#include "gateway/json_write.h"
#include "gateway/profile_view.h"

/* What is in a result, for the record that comes before it is opened: facts and their revisions. */
struct profile_shown {
	size_t             n;
	struct profile_ref rows[PROFILE_LIST_LIMIT_MAX];
};

/*
 * The facts from offset on, as an overview or a page of it.
 * ERR_OFFSET_OUT_OF_RANGE: there is none at that offset, unless it is 0. ERR_NO_MEMORY.
 */
enum err profile_page_write(const struct profile_view *v, uint64_t offset, struct json_writer *w, struct profile_shown *shown);

/* A page of what a search found, the best first. */
struct profile_hits {
	const struct profile_fact *facts[PROFILE_SEARCH_LIMIT_MAX];
	size_t   n;
	uint64_t offset;
	uint64_t total;  /* how many match */
	uint64_t window; /* the largest offset that may be asked for */
};

enum err profile_hits_write(const struct profile_view *v, const struct profile_hits *h, struct json_writer *w,
    struct profile_shown *shown);

/* {"id":ID,"status":"pending"} */
void profile_pending_write(struct uuid proposal, struct json_writer *w);

/* The owner's lists. `request`: offset, limit and what else it wants. ERR_NOT_FOUND: there is no such id. ERR_NO_MEMORY. */
enum err profile_facts_write(const struct profile_book *b, const struct profile_request *request, struct json_writer *w,
    struct profile_shown *shown);
enum err profile_proposals_write(const struct profile_book *b, const struct profile_request *request,
    bool (*sensitive)(const struct profile_proposal *), struct json_writer *w, struct profile_shown *shown);
enum err profile_labels_write(const struct profile_book *b, const struct profile_request *request, struct json_writer *w,
    struct profile_shown *shown);

/* Inside: the members of F, of an object that is open. */
void profile_fact_members(const struct profile_fact *f, struct json_writer *w);

#endif
