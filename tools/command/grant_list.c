/* unattended status, revoke, prune; grant list, revoke, prune. */
#include "tools/command/grant.h"

#define PAGE 100

enum err
grant_page(struct invocation *in, struct client *c, enum grant_type type, uint64_t offset, uint32_t limit,
    union any_body *answer)
{
	struct grants_ask_body ask = { .grant_type = (uint8_t)type, .offset = offset, .limit = limit };

	return owner_call(in, c, MSG_GRANTS_ASK, &ask, MSG_GRANTS_PAGE, answer);
}

void
grant_write_classes(struct json_writer *w, uint8_t classes)
{
	json_write_key(w, "classes");
	json_write_array(w);
	for (unsigned c = 0; c < CLASS__COUNT; c++)
		if (classes & 1u << c)
			json_write_text(w, class_name((enum key_class)c));
	json_write_end(w);
}

void
grant_write_ids(struct json_writer *w, const char *key, struct span ids)
{
	struct wire_in in = wire_in(ids.p, ids.len);

	json_write_key(w, key);
	json_write_array(w);
	while (in.len > 0 && !in.failed)
		json_write_id(w, wire_take_id(&in));
	json_write_end(w);
}

static void
write_grant(struct json_writer *w, const struct grant_row_body *row)
{
	json_write_object(w);
	json_member_id(w, "grant", row->grant);
	grant_write_ids(w, "vaults", row->vaults);
	json_write_key(w, "label");
	if (row->label.len > 0)
		json_write_string(w, row->label);
	else
		json_write_null(w);
	grant_write_classes(w, row->classes);
	if (row->grant_type == GRANT_ORDINARY)
		json_member_bool(w, "may_propose", row->may_propose);
	json_member_time(w, "created_at", (struct wall_ms){ row->created_wall_ms });
	json_member_time(w, "expires_at", (struct wall_ms){ row->expires_wall_ms });
	json_member_bool(w, "expired", row->expired);
	json_member_time(w, "last_used_at", (struct wall_ms){ row->last_used_wall_ms });
	json_member_u64(w, "reads", row->reads);
	json_write_end(w);
}

static void
write_state(struct json_writer *w, const struct state_body *s)
{
	json_member_bool(w, "enabled", s->enrolled);
	json_member_bool(w, "inhibited", s->inhibited);
	json_write_key(w, "backend");
	if (s->enrolled)
		json_write_string(w, s->backend);
	else
		json_write_null(w);
	json_member_bool(w, "loaded", s->loaded);
}

static enum err
print_json_page(enum grant_type type, const struct grants_page_body *p)
{
	struct wire_in rows = wire_in(p->rows.p, p->rows.len);
	struct json_writer w = { 0 };

	json_write_object(&w);
	if (type == GRANT_UNATTENDED)
		write_state(&w, &p->state);
	json_write_key(&w, "grants");
	json_write_array(&w);
	for (size_t i = 0; i < p->n_rows; i++) {
		struct grant_row_body row;

		grant_row_body_take(&rows, &row);
		write_grant(&w, &row);
	}
	json_write_end(&w);
	json_member_u64(&w, "offset", p->offset);
	json_write_key(&w, "next");
	if (p->more)
		json_write_u64(&w, p->offset + p->n_rows);
	else
		json_write_null(&w);
	json_write_end(&w);
	return print_json(&w);
}

static void
print_classes(uint8_t classes)
{
	const char *between = "  only ";

	for (unsigned c = 0; c < CLASS__COUNT; c++)
		if (classes & 1u << c) {
			print_line("%s%s", between, class_name((enum key_class)c));
			between = ", ";
		}
}

static void
print_grant(const struct grant_row_body *row)
{
	char grant[UUID_TEXT_LEN + 1], used[CLOCK_TEXT_LEN + 1] = "never", expires[CLOCK_TEXT_LEN + 1];

	uuid_text(row->grant, grant);
	if (row->last_used_wall_ms != 0)
		clock_text((struct wall_ms){ row->last_used_wall_ms }, used);
	print_line("%s  %zu vaults  %llu reads  last %s", grant, row->vaults.len / UUID_LEN,
	    (unsigned long long)row->reads, used);
	if (row->expires_wall_ms != 0) {
		clock_text((struct wall_ms){ row->expires_wall_ms }, expires);
		print_line("  %s %s", row->expired ? "expired" : "expires", expires);
	}
	if (row->grant_type == GRANT_UNATTENDED && row->classes != (1u << CLASS__COUNT) - 1)
		print_classes(row->classes);
	if (row->may_propose)
		print_line("  may propose");
	if (row->label.len > 0) {
		print_line("  ");
		print_safe(row->label);
	}
	print_line("\n");
}

static enum err
print_text_page(enum grant_type type, const struct grants_page_body *p)
{
	struct wire_in rows = wire_in(p->rows.p, p->rows.len);

	if (type == GRANT_UNATTENDED)
		print_line("unattended access is %s, the key is %s%s\n", p->state.enrolled ? "enabled" : "not enabled",
		    p->state.loaded ? "loaded" : "not loaded", p->state.inhibited ? ", and a ban is in force" : "");
	for (size_t i = 0; i < p->n_rows; i++) {
		struct grant_row_body row;

		grant_row_body_take(&rows, &row);
		print_grant(&row);
	}
	return OK;
}

static enum err
list(struct invocation *in, enum grant_type type)
{
	struct client *c = NULL;
	union any_body answer;
	uint64_t offset, limit;
	enum err e;

	if ((e = option_u64(in, "--offset", 0, UINT64_MAX, 0, &offset)) != OK ||
	    (e = option_u64(in, "--limit", 1, PAGE, PAGE, &limit)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK &&
	    (e = grant_page(in, c, type, offset, (uint32_t)limit, &answer)) == OK)
		e = (in->json ? print_json_page : print_text_page)(type, &answer.grants_page);
	client_close(&c);
	return e;
}

static enum err
revoke_one(struct invocation *in, struct client *c, enum grant_type type, struct uuid grant)
{
	struct revoke_ask_body ask = { .grant_type = (uint8_t)type, .grant = grant };
	union any_body answer;

	return owner_call(in, c, MSG_REVOKE_ASK, &ask, MSG_DONE, &answer);
}

static enum err
revoke(struct invocation *in, enum grant_type type)
{
	struct json_writer w = { 0 };
	struct client *c = NULL;
	struct uuid grant;
	enum err e;

	if ((e = positional_id(in, 0, "GRANT", &grant)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK)
		e = revoke_one(in, c, type, grant);
	client_close(&c);
	if (e != OK || !in->json)
		return e;
	json_write_object(&w);
	json_member_id(&w, "grant", grant);
	json_write_end(&w);
	return print_json(&w);
}

/* The expired ones of a page; a pruned one is in no later page. */
static size_t
expired_of(const struct grants_page_body *p, struct uuid grants[PAGE])
{
	struct wire_in rows = wire_in(p->rows.p, p->rows.len);
	size_t n = 0;

	for (size_t i = 0; i < p->n_rows && n < PAGE; i++) {
		struct grant_row_body row;

		grant_row_body_take(&rows, &row);
		if (row.expired)
			grants[n++] = row.grant;
	}
	return n;
}

static enum err
prune_all(struct invocation *in, struct client *c, enum grant_type type, struct json_writer *w, size_t *n_pruned)
{
	struct uuid grants[PAGE];
	union any_body answer;
	uint64_t offset = 0;
	bool more = true;
	size_t n, n_rows;
	enum err e;

	while (more) {
		if ((e = grant_page(in, c, type, offset, PAGE, &answer)) != OK)
			return e;
		n_rows = answer.grants_page.n_rows;
		more = answer.grants_page.more;
		n = expired_of(&answer.grants_page, grants);
		for (size_t i = 0; i < n; i++) {
			if ((e = revoke_one(in, c, type, grants[i])) != OK)
				return e;
			json_write_id(w, grants[i]);
		}
		*n_pruned += n;
		offset += n_rows - n;
	}
	return OK;
}

static enum err
prune(struct invocation *in, enum grant_type type)
{
	struct json_writer w = { 0 };
	struct client *c = NULL;
	size_t n = 0;
	enum err e;

	json_write_object(&w);
	json_write_key(&w, "pruned");
	json_write_array(&w);
	if ((e = owner_open(in, &c)) == OK)
		e = prune_all(in, c, type, &w, &n);
	client_close(&c);
	json_write_end(&w);
	json_write_end(&w);
	if (e == OK && in->json)
		return print_json(&w);
	json_write_free(&w);
	return e != OK ? e : print_line(n == 1 ? "%zu expired grant removed\n" : "%zu expired grants removed\n", n);
}

enum err
run_unattended_status(struct invocation *in)
{
	return list(in, GRANT_UNATTENDED);
}

enum err
run_unattended_revoke(struct invocation *in)
{
	return revoke(in, GRANT_UNATTENDED);
}

enum err
run_unattended_prune(struct invocation *in)
{
	return prune(in, GRANT_UNATTENDED);
}

enum err
run_grant_list(struct invocation *in)
{
	return list(in, GRANT_ORDINARY);
}

enum err
run_grant_revoke(struct invocation *in)
{
	return revoke(in, GRANT_ORDINARY);
}

enum err
run_grant_prune(struct invocation *in)
{
	return prune(in, GRANT_ORDINARY);
}
