/* What the owner sees of connections, and takes away from them. */
#include <stdlib.h>

#include "actors/grants_state.h"
#include "mailbox/log_line.h"

/* Done at once, and recorded when the log can. */
static enum err
end_it(struct grants *g, uint64_t ask_id, struct uuid connection, struct outbox *out)
{
	enum err e = grants_db_end_connection(g->db, connection, CONNECTION_REVOKED, grants_moment(g));

	if (e != OK)
		return grants_refuse(out, ask_id, e);
	grants_moment_kept(g, false);
	grants_connection_ended(g, connection, out);
	return grants_done(out, ask_id, NOTHING_MADE);
}

enum err
grants_on_reduce(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct reduce_ask_body *b = &in->body->reduce_ask;
	enum err e;

	if ((e = grants_check_owner(g)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if (b->end != 0)
		return end_it(g, in->ask_id, b->connection, out);
	if ((e = grants_db_reduce(g->db, b->connection, b->scopes, b->categories, grants_moment(g))) != OK)
		return grants_refuse(out, in->ask_id, e);
	grants_moment_kept(g, false);
	(void)outbox_put(out, MSG_CONNECTION_CHANGED, 0, &(struct one_id_body){ .id = b->connection });
	(void)grants_event_config(g, out, CONFIG_CONNECTION_REDUCED, b->connection, &b->peer);
	return grants_done(out, in->ask_id, NOTHING_MADE);
}

static enum err
put_page(struct grants *g, const struct inbound *in, struct connection_record *rows, uint8_t *buf, size_t cap,
    struct outbox *out)
{
	const struct grants_ask_body *b = &in->body->grants_ask;
	struct connections_page_body page = { .offset = b->offset };
	struct wire_out o = wire_out(buf, cap);
	size_t n;
	bool more;
	enum err e = grants_db_list_connections(g->db, b->offset, b->limit, rows, &n, &more);

	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	for (size_t i = 0; i < n; i++) {
		struct connection_body row = grants_connection_body(g, &rows[i]);

		connection_body_put(&o, &row);
	}
	if (o.failed)
		return grants_refuse(out, in->ask_id, ERR_INTERNAL);
	page.more = more;
	page.n_rows = (uint16_t)n;
	page.rows = wire_written(&o);
	return outbox_put(out, MSG_CONNECTIONS_USAGE_WANTED, in->ask_id, &page);
}

/* The page goes on to audit, which knows when each was used. */
enum err
grants_on_connections(void *self, const struct inbound *in, struct outbox *out)
{
	enum { ROWS = 100, PAGE_BYTES = 240000 };
	struct grants *g = self;
	const struct grants_ask_body *b = &in->body->grants_ask;
	struct connection_record *rows;
	uint8_t *buf;
	enum err e;

	if ((e = grants_check_owner(g)) == OK && (b->limit < 1 || b->limit > ROWS))
		e = ERR_INVALID_ARGUMENT;
	/* The gate has seen that it is there. */
	if (e == OK && !g->audit_up)
		e = ERR_INTERRUPTED;
	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	rows = calloc(b->limit, sizeof *rows);
	buf = malloc(PAGE_BYTES);
	e = rows == NULL || buf == NULL ? grants_refuse(out, in->ask_id, ERR_NO_MEMORY)
	    : put_page(g, in, rows, buf, PAGE_BYTES, out);
	free(rows);
	free(buf);
	return e;
}

void
grants_oauth_profile_opened(struct grants *g, struct outbox *out)
{
	struct connection_record *rows = calloc(CONNECTIONS_MAX, sizeof *rows);
	uint64_t offset = 0;
	size_t n = 0;
	bool more = rows != NULL;
	enum err e = more ? OK : ERR_NO_MEMORY;

	while (more && (e = grants_db_list_connections(g->db, offset, CONNECTIONS_MAX, rows, &n, &more)) == OK) {
		for (size_t i = 0; i < n; i++)
			if (rows[i].end != CONNECTION_LIVES)
				(void)outbox_put(out, MSG_CONNECTION_GONE, 0, &(struct one_id_body){ .id = rows[i].connection });
		offset += n;
	}
	if (e != OK)
		log_line_error(ACTOR_GRANTS, e, 0);
	free(rows);
}
