/*
 * profile_request: what the profile is asked, as JSON text.
 *
 * Strict: no member but those of its form, each at most once and of its type,
 * texts without control characters and line breaks, and lengths counted in
 * characters (code points). null stands for nothing.
 *
 * A connection asks
 *   OP_PROFILE_READ     {"do":"context"}
 *                       {"do":"page","offset":N,"version":"<64 hex>"}
 *   OP_PROFILE_SEARCH   {"do":"search","query":S,"offset":N,"limit":1..10}
 *   OP_PROFILE_PROPOSE  {"do":"propose","op":"add","category":C,"label":S,"value":S[,"evidence":S]}
 *   OP_PROFILE_CORRECT  {"do":"propose","op":"update","target_fact_id":ID,"label":S,"value":S[,"category":C][,"evidence":S]}
 *                       {"do":"propose","op":"archive","target_fact_id":ID[,"category":C][,"label":S][,"value":S][,"evidence":S]}
 * The owner asks
 *   OP_PROFILE_LIST     {"do":"facts","offset":N,"limit":1..50[,"category":C][,"archived":BOOL][,"id":ID]}
 *                       {"do":"proposals","offset":N,"limit":1..50[,"id":ID]}
 *                       {"do":"labels","refs":[{"fact":ID,"revision":ID}…]}           1 to 50 of them
 *   OP_PROFILE_CHANGE   {"do":"fact_add","category":C,"label":S,"value":S[,"evidence":S][,"uncertain":BOOL]}
 *                       {"do":"fact_edit","id":ID[,"version":N][,…any of these]}
 *                       {"do":"fact_archive","id":ID}
 *                       {"do":"share","fact":ID}, {"do":"unshare","fact":ID}
 *                       {"do":"proposal_confirm","id":ID}, {"do":"proposal_dismiss","id":ID}
 *                       {"do":"proposal_edit","id":ID[,"category":C][,"label":S][,"value":S]}
 *                       {"do":"passwd","verifier":"$argon2id$…"}
 * What the answers look like: gateway/profile_result.h.
 */
#ifndef GATEWAY_PROFILE_REQUEST_H
#define GATEWAY_PROFILE_REQUEST_H

#include "mailbox/err.h"
#include "mailbox/uuid.h"
#include "mailbox/wire.h"
#include "mailbox/words.h"
#include "store/profile_rows.h"

#define PROFILE_REQUEST_MAX 8192 /* bytes */
#define PROFILE_LABEL_MAX    40  /* characters */
#define PROFILE_VALUE_MAX    300
#define PROFILE_EVIDENCE_MAX 300
#define PROFILE_QUERY_MAX    200
#define PROFILE_SEARCH_LIMIT_MAX  10
#define PROFILE_SEARCH_OFFSET_MAX 10000
#define PROFILE_LIST_LIMIT_MAX    50
#define PROFILE_VERSION_LEN  32

enum profile_do {
	PROFILE_CONTEXT,
	PROFILE_PAGE,
	PROFILE_SEARCH,
	PROFILE_PROPOSE,
	PROFILE_FACTS,
	PROFILE_PROPOSALS,
	PROFILE_LABELS,
	PROFILE_FACT_ADD,
	PROFILE_FACT_EDIT,
	PROFILE_FACT_ARCHIVE,
	PROFILE_SHARE,
	PROFILE_UNSHARE,
	PROFILE_PROPOSAL_CONFIRM,
	PROFILE_PROPOSAL_EDIT,
	PROFILE_PROPOSAL_DISMISS,
	PROFILE_PASSWD,
	PROFILE_DO__COUNT
};

/* Which members there were: bits of profile_request.has. */
enum profile_member {
	PROFILE_HAS_OFFSET = 1 << 0,
	PROFILE_HAS_LIMIT = 1 << 1,
	PROFILE_HAS_HASH = 1 << 2,     /* "version" of a page */
	PROFILE_HAS_QUERY = 1 << 3,
	PROFILE_HAS_CATEGORY = 1 << 4,
	PROFILE_HAS_LABEL = 1 << 5,
	PROFILE_HAS_VALUE = 1 << 6,
	PROFILE_HAS_EVIDENCE = 1 << 7,
	PROFILE_HAS_TARGET = 1 << 8,   /* "target_fact_id" */
	PROFILE_HAS_ID = 1 << 9,
	PROFILE_HAS_FACT = 1 << 10,
	PROFILE_HAS_VERSION = 1 << 11, /* "version" of a fact */
	PROFILE_HAS_UNCERTAIN = 1 << 12,
	PROFILE_HAS_ARCHIVED = 1 << 13,
	PROFILE_HAS_VERIFIER = 1 << 14,
	PROFILE_HAS_REFS = 1 << 15,
	PROFILE_HAS_OP = 1 << 16,
};

struct profile_ref {
	struct uuid fact;
	struct uuid revision;
};

struct profile_request {
	struct json       *root;     /* owned: what the spans point into */
	enum profile_do    what;
	unsigned           has;
	uint64_t           offset;
	uint32_t           limit;
	uint8_t            hash[PROFILE_VERSION_LEN];
	struct span        query;
	enum profile_op    op;
	enum category      category;
	struct span        label, value, evidence;
	struct uuid        id;       /* of the fact or proposal that is named, by whichever member */
	uint64_t           version;
	bool               uncertain, archived;
	struct span        verifier;
	size_t             n_refs;
	struct profile_ref refs[PROFILE_LIST_LIMIT_MAX];
};

/*
 * *out is to be freed with profile_request_free, also after an error.
 * ERR_INVALID_ARGUMENT: anything wrong with it, or it does not belong to that op.
 * ERR_TOO_LARGE: more than PROFILE_REQUEST_MAX. ERR_NO_MEMORY.
 */
enum err profile_request_parse(enum op op, struct span text, struct profile_request *out);

/* Wipes and frees what it points into. */
void profile_request_free(struct profile_request *r);

/* min to max characters of UTF-8, none of them a control character or a line break, and with min > 0 not blank. */
bool profile_text_good(struct span text, size_t min, size_t max);

#endif
