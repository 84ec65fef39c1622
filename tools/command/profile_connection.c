/* profile connection list, reduce, revoke; and what show shares with them. */
#include <string.h>

#include "tools/command/page.h"
#include "tools/command/profile.h"

#define PAGE 100

static enum err
page(struct invocation *in, struct client *c, uint64_t offset, uint32_t limit, union any_body *answer)
{
	struct grants_ask_body ask = { .grant_type = GRANT_CONNECTION, .offset = offset, .limit = limit };

	return owner_call(in, c, MSG_CONNECTIONS_ASK, &ask, MSG_CONNECTIONS_PAGE, answer);
}

static struct span
copy(struct span s, uint8_t *room, size_t max)
{
	struct span out = { room, s.len < max ? s.len : max };

	if (out.len > 0)
		memcpy(room, s.p, out.len);
	return out;
}

static void
keep(const struct connection_body *row, struct profile_connection *out)
{
	out->row = *row;
	out->row.name = copy(row->name, out->name, sizeof out->name);
	out->row.redirect = copy(row->redirect, out->redirect, sizeof out->redirect);
}

enum err
profile_connection_find(struct invocation *in, struct client *c, struct uuid id, struct profile_connection *out)
{
	struct connection_body row;
	union any_body answer;
	uint64_t offset = 0;
	bool more = true;
	enum err e;

	while (more) {
		struct wire_in rows;

		if ((e = page(in, c, offset, PAGE, &answer)) != OK)
			return e;
		rows = wire_in(answer.connections_page.rows.p, answer.connections_page.rows.len);
		for (size_t i = 0; i < answer.connections_page.n_rows; i++) {
			connection_body_take(&rows, &row);
			if (uuid_equal(row.connection, id)) {
				keep(&row, out);
				return OK;
			}
		}
		more = answer.connections_page.more && answer.connections_page.n_rows > 0;
		offset += answer.connections_page.n_rows;
	}
	explain(in, "no connection has that id");
	return ERR_NOT_FOUND;
}

static const char *
state_name(const struct connection_body *row)
{
	switch ((enum connection_end)row->revoked) {
	case CONNECTION_LIVES:
		return "live";
	case CONNECTION_REVOKED:
		return "revoked";
	case CONNECTION_LEFT:
		return "left";
	case CONNECTION_REPLAYED:
		return "replayed";
	}
	return "?";
}

/* The host of a redirect URI with its port, as far as it can be told; the whole of it otherwise. */
static struct span
host_of(struct span redirect)
{
	const uint8_t *p = memmem(redirect.p, redirect.len, "://", 3);
	struct span host;

	if (redirect.len == 0 || p == NULL)
		return redirect;
	host.p = p + 3;
	host.len = (size_t)(redirect.p + redirect.len - host.p);
	for (size_t i = 0; i < host.len; i++)
		if (memchr("/?#", host.p[i], 3) != NULL)
			host.len = i;
	return host;
}

void
profile_connection_json(struct json_writer *w, const struct connection_body *row)
{
	json_member_id(w, "connection", row->connection);
	json_member_string(w, "name", row->name);
	json_member_string(w, "redirect", row->redirect);
	json_member_string(w, "redirect_host", host_of(row->redirect));
	json_member_text(w, "state", state_name(row));
	json_write_key(w, "scopes");
	json_write_array(w);
	for (unsigned s = 0; s < SCOPE__COUNT; s++)
		if (row->scopes >> s & 1)
			json_write_text(w, scope_name((enum scope)s));
	json_write_end(w);
	json_write_key(w, "categories");
	json_write_array(w);
	for (unsigned k = 0; k < CATEGORY__COUNT; k++)
		if (row->categories >> k & 1)
			json_write_text(w, category_name((enum category)k));
	json_write_end(w);
	json_member_time(w, "created_at", (struct wall_ms){ row->created_wall_ms });
	json_member_time(w, "last_used_at", (struct wall_ms){ row->last_used_wall_ms });
	json_member_time(w, "expires_at", (struct wall_ms){ row->ends_wall_ms });
	json_member_u64(w, "reads", row->reads);
}

static void
print_time(const char *what, uint64_t wall_ms)
{
	char text[CLOCK_TEXT_LEN + 1];

	if (wall_ms == 0)
		return;
	clock_text((struct wall_ms){ wall_ms }, text);
	print_line("%s%s", what, text);
}

void
profile_connection_print(const struct connection_body *row)
{
	char id[UUID_TEXT_LEN + 1];
	const char *between = "\n  may       ";

	uuid_text(row->connection, id);
	print_line("%s  %s  ", id, state_name(row));
	print_safe(host_of(row->redirect));
	print_line("  \"");
	print_safe(row->name);
	print_line("\"\n  used      %llu times", (unsigned long long)row->reads);
	print_time(", last ", row->last_used_wall_ms);
	print_time("; connected ", row->created_wall_ms);
	print_time(", until ", row->ends_wall_ms);
	for (unsigned s = 0; s < SCOPE__COUNT; s++)
		if (row->scopes >> s & 1) {
			print_line("%s%s", between, scope_name((enum scope)s));
			between = ", ";
		}
	between = "\n  of        ";
	for (unsigned k = 0; k < CATEGORY__COUNT; k++)
		if (row->categories >> k & 1) {
			print_line("%s%s", between, category_name((enum category)k));
			between = ", ";
		}
	print_line("\n");
}

static enum err
print_page(const struct invocation *in, const struct connections_page_body *p)
{
	struct wire_in rows = wire_in(p->rows.p, p->rows.len);
	struct connection_body row;
	struct json_writer w = { 0 };

	json_write_object(&w);
	json_write_key(&w, "connections");
	json_write_array(&w);
	for (size_t i = 0; i < p->n_rows; i++) {
		connection_body_take(&rows, &row);
		if (!in->json) {
			profile_connection_print(&row);
			continue;
		}
		json_write_object(&w);
		profile_connection_json(&w, &row);
		json_write_end(&w);
	}
	json_write_end(&w);
	page_json_end(&w, p->offset, p->n_rows, p->more);
	if (in->json)
		return print_json(&w);
	json_write_free(&w);
	return OK;
}

enum err
run_profile_connection_list(struct invocation *in)
{
	struct client *c = NULL;
	union any_body answer;
	uint64_t offset;
	uint32_t limit;
	enum err e;

	if ((e = page_options_take(in, &offset, &limit)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK && (e = page(in, c, offset, limit, &answer)) == OK)
		e = print_page(in, &answer.connections_page);
	client_close(&c);
	return e;
}

static enum err
take_scopes(struct invocation *in, uint8_t *out)
{
	const char *name;
	enum scope s;

	for (size_t i = 0; (name = option_nth(in, "--scope", i)) != NULL; i++) {
		if (!scope_of_name(name, strlen(name), &s))
			return invalid(in, "a scope is profile:read, profile:propose, profile:correct or context:search");
		*out = (uint8_t)(*out | 1u << s);
	}
	if (scopes_closed(*out) != *out)
		return invalid(in, "context:search goes with profile:read only");
	return OK;
}

static enum err
take_categories(struct invocation *in, uint8_t *out)
{
	char reason[DRAFT_REASON_MAX];
	enum category k;
	const char *name;

	for (size_t i = 0; (name = option_nth(in, "--category", i)) != NULL; i++) {
		if (!fact_form_category((struct span){ (const uint8_t *)name, strlen(name) }, &k, reason))
			return invalid(in, reason);
		*out = (uint8_t)(*out | 1u << k);
	}
	return OK;
}

/* What is not named of a kind stays as it is. */
static enum err
reduce(struct invocation *in, struct client *c, struct reduce_ask_body *ask)
{
	struct profile_connection found;
	union any_body answer;
	enum err e;

	if ((e = profile_connection_find(in, c, ask->connection, &found)) != OK)
		return e;
	if (!option_given(in, "--scope"))
		ask->scopes = found.row.scopes;
	if (!option_given(in, "--category"))
		ask->categories = found.row.categories;
	if ((ask->scopes & ~found.row.scopes) != 0 || (ask->categories & ~found.row.categories) != 0)
		return invalid(in, "the connection does not have all of that; more needs a new authorization");
	return owner_call(in, c, MSG_REDUCE_ASK, ask, MSG_DONE, &answer);
}

enum err
run_profile_connection_reduce(struct invocation *in)
{
	struct reduce_ask_body ask = { .end = 0 };
	struct client *c = NULL;
	enum err e;

	if ((e = positional_id(in, 0, "CONNECTION", &ask.connection)) != OK || (e = take_scopes(in, &ask.scopes)) != OK ||
	    (e = take_categories(in, &ask.categories)) != OK)
		return e;
	if (!option_given(in, "--scope") && !option_given(in, "--category"))
		return invalid(in, "say with --scope or --category what is to be left");
	if ((e = owner_open(in, &c)) == OK)
		e = reduce(in, c, &ask);
	client_close(&c);
	return e == OK ? print_done(in) : e;
}

enum err
run_profile_connection_revoke(struct invocation *in)
{
	struct reduce_ask_body ask = { .end = 1 };
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = positional_id(in, 0, "CONNECTION", &ask.connection)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK)
		e = owner_call(in, c, MSG_REDUCE_ASK, &ask, MSG_DONE, &answer);
	client_close(&c);
	return e == OK ? print_done(in) : e;
}
