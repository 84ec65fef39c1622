#include <string.h>

#include "gateway/json.h"
#include "gateway/profile_request.h"
#include "mailbox/utf8.h"

#define OFFSET_MAX 1000000 /* of a list */
#define VERIFIER_MAX 128

#define H(name) PROFILE_HAS_##name
#define TEXTS   (H(CATEGORY) | H(LABEL) | H(VALUE) | H(EVIDENCE))

struct form {
	const char *name;
	enum op     op;
	unsigned    required, optional;
};

static const struct form forms[PROFILE_DO__COUNT] = {
	[PROFILE_CONTEXT] = { "context", OP_PROFILE_READ, 0, 0 },
	[PROFILE_PAGE] = { "page", OP_PROFILE_READ, H(OFFSET) | H(HASH), 0 },
	[PROFILE_SEARCH] = { "search", OP_PROFILE_SEARCH, H(QUERY) | H(OFFSET) | H(LIMIT), 0 },
	[PROFILE_PROPOSE] = { "propose", OP_PROFILE_PROPOSE, H(OP), TEXTS | H(TARGET) },
	[PROFILE_FACTS] = { "facts", OP_PROFILE_LIST, H(OFFSET) | H(LIMIT), H(CATEGORY) | H(ARCHIVED) | H(ID) },
	[PROFILE_PROPOSALS] = { "proposals", OP_PROFILE_LIST, H(OFFSET) | H(LIMIT), H(ID) },
	[PROFILE_LABELS] = { "labels", OP_PROFILE_LIST, H(REFS), 0 },
	[PROFILE_FACT_ADD] = { "fact_add", OP_PROFILE_CHANGE, H(CATEGORY) | H(LABEL) | H(VALUE), H(EVIDENCE) | H(UNCERTAIN) },
	[PROFILE_FACT_EDIT] = { "fact_edit", OP_PROFILE_CHANGE, H(ID), TEXTS | H(UNCERTAIN) | H(VERSION) },
	[PROFILE_FACT_ARCHIVE] = { "fact_archive", OP_PROFILE_CHANGE, H(ID), 0 },
	[PROFILE_SHARE] = { "share", OP_PROFILE_CHANGE, H(FACT), 0 },
	[PROFILE_UNSHARE] = { "unshare", OP_PROFILE_CHANGE, H(FACT), 0 },
	[PROFILE_PROPOSAL_CONFIRM] = { "proposal_confirm", OP_PROFILE_CHANGE, H(ID), 0 },
	[PROFILE_PROPOSAL_EDIT] = { "proposal_edit", OP_PROFILE_CHANGE, H(ID), H(CATEGORY) | H(LABEL) | H(VALUE) },
	[PROFILE_PROPOSAL_DISMISS] = { "proposal_dismiss", OP_PROFILE_CHANGE, H(ID), 0 },
	[PROFILE_PASSWD] = { "passwd", OP_PROFILE_CHANGE, H(VERIFIER), 0 },
};

static bool
is_break(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point <= 0x9f) || point == 0x2028 || point == 0x2029;
}

static bool
is_blank(uint32_t point)
{
	return point == ' ' || point == 0xa0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200a) || point == 0x202f ||
	    point == 0x205f || point == 0x3000;
}

bool
profile_text_good(struct span text, size_t min, size_t max)
{
	size_t at = 0, n = 0, step;
	bool blank = true;
	uint32_t point;

	for (; at < text.len; at += step, n++) {
		if ((step = utf8_take(text.p + at, text.len - at, &point)) == 0 || is_break(point))
			return false;
		blank = blank && is_blank(point);
	}
	return n >= min && n <= max && !(min > 0 && blank);
}

static bool
take_id(const struct json *v, struct uuid *out)
{
	char text[UUID_TEXT_LEN + 1];
	struct span s;

	if (!json_as_string(v, &s) || s.len != UUID_TEXT_LEN)
		return false;
	memcpy(text, s.p, UUID_TEXT_LEN);
	text[UUID_TEXT_LEN] = '\0';
	return uuid_parse(text, out) == OK && !uuid_is_zero(*out);
}

static bool
take_text(const struct json *v, size_t min, size_t max, struct span *out)
{
	return json_as_string(v, out) && profile_text_good(*out, min, max);
}

static bool
take_bool(const struct json *parent, const char *name, bool *out)
{
	return json_bool(parent, name, out) == JSON_GOT;
}

/* 64 lower-case hexadecimal digits. */
static bool
take_hash(const struct json *v, uint8_t out[PROFILE_VERSION_LEN])
{
	static const char digits[] = "0123456789abcdef";
	struct span s;

	if (!json_as_string(v, &s) || s.len != 2 * PROFILE_VERSION_LEN)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		const char *at = memchr(digits, s.p[i], 16);

		if (at == NULL)
			return false;
		out[i / 2] = (uint8_t)(out[i / 2] << 4 | (at - digits));
	}
	return true;
}

static bool
take_refs(const struct json *v, struct profile_request *r)
{
	if (json_type(v) != JSON_ARRAY)
		return false;
	for (const struct json *at = json_first(v); at != NULL; at = json_next(at)) {
		const struct json *fact = json_member(at, "fact"), *revision = json_member(at, "revision");

		if (r->n_refs == PROFILE_LIST_LIMIT_MAX || fact == NULL || revision == NULL || json_next(json_next(json_first(at))) != NULL ||
		    !take_id(fact, &r->refs[r->n_refs].fact) || !take_id(revision, &r->refs[r->n_refs].revision))
			return false;
		r->n_refs++;
	}
	return r->n_refs > 0;
}

static bool
take_limit(const struct json *v, struct profile_request *r)
{
	uint64_t limit;

	if (!json_as_u64(v, &limit) || limit < 1 ||
	    limit > (r->what == PROFILE_SEARCH ? PROFILE_SEARCH_LIMIT_MAX : PROFILE_LIST_LIMIT_MAX))
		return false;
	r->limit = (uint32_t)limit;
	return true;
}

static bool
take_category(const struct json *v, enum category *out)
{
	struct span s;

	return json_as_string(v, &s) && category_of_name((const char *)s.p, s.len, out);
}

static bool
take_op(const struct json *v, enum profile_op *out)
{
	struct span s;

	return json_as_string(v, &s) && profile_op_of_name((const char *)s.p, s.len, out);
}

static bool
take_verifier(const struct json *v, struct span *out)
{
	static const char start[] = "$argon2id$";

	return json_as_string(v, out) && out->len > sizeof start && out->len <= VERIFIER_MAX &&
	    memcmp(out->p, start, sizeof start - 1) == 0 && profile_text_good(*out, 1, VERIFIER_MAX);
}

static const struct {
	const char *name;
	unsigned    has;
} members[] = {
	{ "offset", H(OFFSET) }, { "limit", H(LIMIT) }, { "version", H(HASH) }, { "version", H(VERSION) }, { "query", H(QUERY) },
	{ "category", H(CATEGORY) }, { "label", H(LABEL) }, { "value", H(VALUE) }, { "evidence", H(EVIDENCE) },
	{ "target_fact_id", H(TARGET) }, { "id", H(ID) }, { "fact", H(FACT) }, { "uncertain", H(UNCERTAIN) },
	{ "archived", H(ARCHIVED) }, { "verifier", H(VERIFIER) }, { "refs", H(REFS) }, { "op", H(OP) },
};

static bool
take_member(struct profile_request *r, unsigned has, const struct json *v)
{
	switch (has) {
	case H(OFFSET):
		return json_as_u64(v, &r->offset) && r->offset <= (r->what == PROFILE_SEARCH ? PROFILE_SEARCH_OFFSET_MAX : OFFSET_MAX);
	case H(LIMIT):
		return take_limit(v, r);
	case H(HASH):
		return take_hash(v, r->hash);
	case H(VERSION):
		return json_as_u64(v, &r->version);
	case H(QUERY):
		return take_text(v, 1, PROFILE_QUERY_MAX, &r->query);
	case H(CATEGORY):
		return take_category(v, &r->category);
	case H(LABEL):
		return take_text(v, 1, PROFILE_LABEL_MAX, &r->label);
	case H(VALUE):
		return take_text(v, 1, PROFILE_VALUE_MAX, &r->value);
	case H(EVIDENCE):
		return take_text(v, 0, PROFILE_EVIDENCE_MAX, &r->evidence);
	case H(TARGET):
	case H(ID):
	case H(FACT):
		return take_id(v, &r->id);
	case H(UNCERTAIN):
		return take_bool(r->root, "uncertain", &r->uncertain);
	case H(ARCHIVED):
		return take_bool(r->root, "archived", &r->archived);
	case H(VERIFIER):
		return take_verifier(v, &r->verifier);
	case H(REFS):
		return take_refs(v, r);
	case H(OP):
		return take_op(v, &r->op);
	default:
		return false;
	}
}

/* Takes the member, if the form has one of that name. */
static bool
take_named(struct profile_request *r, const struct json *v)
{
	unsigned allowed = forms[r->what].required | forms[r->what].optional;

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if ((members[i].has & allowed) != 0 && strcmp(members[i].name, json_name(v)) == 0) {
			r->has |= members[i].has;
			return take_member(r, members[i].has, v);
		}
	return false;
}

static bool
has_all(const struct profile_request *r, unsigned wanted)
{
	return (r->has & wanted) == wanted;
}

/* What a proposal needs depends on what it is for. */
static bool
proposal_fits(enum op op, const struct profile_request *r)
{
	if (r->op == PROFILE_ADD)
		return op == OP_PROFILE_PROPOSE && has_all(r, H(CATEGORY) | H(LABEL) | H(VALUE)) && (r->has & H(TARGET)) == 0;
	return op == OP_PROFILE_CORRECT && has_all(r, H(TARGET) | (r->op == PROFILE_UPDATE ? H(LABEL) | H(VALUE) : 0));
}

static bool
take_do(struct profile_request *r)
{
	struct span name;

	if (json_string(r->root, "do", &name) != JSON_GOT)
		return false;
	for (unsigned i = 0; i < PROFILE_DO__COUNT; i++)
		if (strlen(forms[i].name) == name.len && memcmp(forms[i].name, name.p, name.len) == 0) {
			r->what = (enum profile_do)i;
			return true;
		}
	return false;
}

static bool
take_all(enum op op, struct profile_request *r)
{
	if (json_type(r->root) != JSON_OBJECT || !take_do(r))
		return false;
	for (const struct json *at = json_first(r->root); at != NULL; at = json_next(at))
		if (strcmp(json_name(at), "do") != 0 && !take_named(r, at))
			return false;
	if (!has_all(r, forms[r->what].required))
		return false;
	return r->what == PROFILE_PROPOSE ? proposal_fits(op, r) : op == forms[r->what].op;
}

enum err
profile_request_parse(enum op op, struct span text, struct profile_request *out)
{
	enum err e;

	memset(out, 0, sizeof *out);
	if (text.len > PROFILE_REQUEST_MAX)
		return ERR_TOO_LARGE;
	if ((e = json_parse(text, &out->root)) != OK)
		return e == ERR_NO_MEMORY ? e : ERR_INVALID_ARGUMENT;
	return take_all(op, out) ? OK : ERR_INVALID_ARGUMENT;
}

void
profile_request_free(struct profile_request *r)
{
	json_free(&r->root);
	memset(r, 0, sizeof *r);
}
