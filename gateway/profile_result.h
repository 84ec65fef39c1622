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

#endif
