/*
 * An ask: its request comes boxed from the keyring; what is found goes sealed
 * to where it came in, and to the keyring the rows that it is made of, which
 * it has recorded before the key leaves that opens them.
 */
#include "actors/profile_state.h"
#include "escrow/query.h"
#include "mailbox/host.h"

#define SEALED_MAX (PROFILE_RESULT_MAX + SEAL_OVERHEAD)

static bool
is_connections(const struct ruling_body *r)
{
	return r->grant_type == GRANT_CONNECTION && !uuid_is_zero(r->grant) && r->ask.surface == SURFACE_HTTP;
}

/* Grants has decided; that it may be so at all is seen here once more. */
static enum err
check_ruling(const struct ruling_body *r)
{
	unsigned wanted = op_scopes((enum op)r->ask.op);

	if (clock_mono().ms > r->deadline_boot_ms)
		return ERR_TIMEOUT;
	if (!op_is_profile((enum op)r->ask.op) || (wanted != 0) != is_connections(r) || (wanted == 0 && !uuid_is_zero(r->grant)))
		return ERR_INTERNAL;
	return (r->scopes & wanted) == wanted ? OK : ERR_INSUFFICIENT_SCOPE;
}

static bool
proposal_is_sensitive(const struct profile_proposal *p)
{
	struct profile_fact f = { .label = p->label, .value = p->value, .evidence = p->evidence };

	return profile_is_sensitive(&f);
}

static enum err
list(struct profile *p, struct profile_asking *a)
{
	const struct profile_book *b = profile_db_book(p->db);
	size_t wanted = a->request.what == PROFILE_LABELS ? a->request.n_refs : a->request.limit;
	enum err e;

	if (a->ruling->ask.limit < wanted)
		return ERR_INVALID_ARGUMENT;
	if (a->request.what == PROFILE_LABELS)
		return profile_labels_write(b, &a->request, &a->w, &a->shown);
	if (a->request.what == PROFILE_FACTS)
		return profile_facts_write(b, &a->request, &a->w, &a->shown);
	if ((e = profile_expire(p)) != OK)
		return e;
	return profile_proposals_write(b, &a->request, proposal_is_sensitive, &a->w, &a->shown);
}

static enum err
work(struct profile *p, struct profile_asking *a)
{
	switch (a->request.what) {
	case PROFILE_CONTEXT:
	case PROFILE_PAGE:
		return profile_do_read(p, a);
	case PROFILE_SEARCH:
		return profile_do_find(p, a);
	case PROFILE_PROPOSE:
		return profile_do_propose(p, a);
	case PROFILE_FACTS:
	case PROFILE_PROPOSALS:
	case PROFILE_LABELS:
		return list(p, a);
	case PROFILE_PROPOSAL_CONFIRM:
	case PROFILE_PROPOSAL_EDIT:
	case PROFILE_PROPOSAL_DISMISS:
		return profile_do_decide(p, a);
	case PROFILE_FACT_ADD:
	case PROFILE_FACT_EDIT:
	case PROFILE_FACT_ARCHIVE:
	case PROFILE_SHARE:
	case PROFILE_UNSHARE:
	case PROFILE_PASSWD:
		return profile_do_change(p, a);
	case PROFILE_DO__COUNT:
		break;
	}
	return ERR_INTERNAL;
}

static enum err
say_found(const struct profile_asking *a, uint64_t ask_id, const struct key *result_key, struct outbox *out)
{
	struct found_rows_body rows = { .ruling = *a->ruling, .n_rows = (uint16_t)a->shown.n };
	uint8_t sealed[SEALED_MAX], rows_buf[PROFILE_LIST_LIMIT_MAX * 2 * UUID_LEN];
	struct found_body b = { .sealed = { sealed, a->text.len + SEAL_OVERHEAD } };
	struct wire_out ids = wire_out(rows_buf, sizeof rows_buf);
	enum err e;

	for (size_t i = 0; i < a->shown.n; i++) {
		wire_put_id(&ids, a->shown.rows[i].fact);
		wire_put_id(&ids, a->shown.rows[i].revision);
	}
	if (a->text.len > PROFILE_RESULT_MAX || ids.failed)
		return ERR_INTERNAL;
	rows.rows = wire_written(&ids);
	query_found_seal(result_key, a->text, sealed);
	if ((e = outbox_put(out, is_connections(a->ruling) ? MSG_HTTP_FOUND : MSG_PROFILE_FOUND, ask_id, &b)) != OK)
		return e;
	return outbox_put(out, MSG_PROFILE_KEY_WANTED, ask_id, &rows);
}

static enum err
work_and_say(struct profile *p, struct profile_asking *a, uint64_t ask_id, const struct key *result_key, struct outbox *out)
{
	enum err e = work(p, a);

	if (e == OK && a->text.p == NULL)
		e = json_write_done(&a->w, &a->text);
	if (e == OK)
		e = say_found(a, ask_id, result_key, out);
	/* HTTP would go on with the old one: a new process tells it anew. */
	if (a->new_password && profile_tell_web(p, out) != OK)
		host_fail(ERR_NO_MEMORY);
	return e;
}

static enum err
answer(struct profile *p, const struct query_body *b, uint64_t ask_id, struct outbox *out)
{
	struct profile_asking a = { .ruling = &b->ruling };
	struct key *result_key = NULL;
	struct secret *text = NULL;
	enum err e;

	if ((e = check_ruling(&b->ruling)) != OK)
		return e;
	if (p->db == NULL)
		return ERR_LOCKED;
	if ((e = profile_db_failure(p->db)) != OK ||
	    (e = query_open(p->keyring.down, ask_id, b->ruling.mac, b->sealed, &result_key, &text)) != OK)
		return e;
	a.connection = is_connections(&b->ruling) ? b->ruling.grant : b->ruling.ask.vault;
	if ((e = profile_request_parse((enum op)b->ruling.ask.op, secret_span(text), &a.request)) == OK)
		e = work_and_say(p, &a, ask_id, result_key, out);
	profile_request_free(&a.request);
	json_write_free(&a.w);
	secret_free(&text);
	key_free(&result_key);
	return e;
}

static enum err
refuse(const struct ruling_body *r, uint64_t ask_id, enum err why, struct outbox *out)
{
	struct refusal_body refusal = { .error = (uint16_t)why, .authenticated = why != ERR_INTERNAL,
		.subject_kind = r->subject_kind, .subject = r->subject };

	return outbox_put(out, r->ask.surface == SURFACE_HTTP ? MSG_HTTP_QUERY_REFUSED : MSG_PROFILE_REFUSED, ask_id, &refusal);
}

enum err
profile_on_query(void *self, const struct inbound *in, struct outbox *out)
{
	const struct query_body *b = &in->body->query;
	enum err e = answer(self, b, in->ask_id, out);

	return e == OK ? OK : refuse(&b->ruling, in->ask_id, e, out);
}
