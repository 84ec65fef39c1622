/* What audit tells of itself: the log's state, and what grants did according to it. */
#include <stdlib.h>
#include <string.h>

#include "actors/audit_state.h"
#include "mailbox/log_line.h"
#include "store/file_system.h"

void
audit_say_state(struct audit *a)
{
	static const char *const words[] = {
		[LOG_OK] = "the log has room again, records",
		[LOG_LOW] = "no room for a spare segment of the log, nothing new is stored, records",
		[LOG_FULL] = "no room for the log, nothing is delivered, records",
	};
	enum log_state now = log_state(a->log);

	if (now == a->said || now == LOG_FAILED)
		return;
	a->said = now;
	log_line_say("audit", words[now], (int64_t)log_size(a->log));
}

enum err
audit_on_log_state_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	const struct audit *a = self;
	const char *file_system = file_system_unpromised(HOME_LOG);
	/* What no library came to yet takes no record; whether there is a library is not for this actor to say. */
	struct log_state_body s = { .state = LOG_FAILED,
		.failure = (uint16_t)(a->failure == ERR_NOT_INITIALIZED ? ERR_AUDIT_UNAVAILABLE : a->failure) };

	s.checkpoint_size = a->checkpoint.newest_size;
	s.checkpoint_wall_ms = a->checkpoint.newest_wall.ms;
	s.file_system = (struct span){ (const uint8_t *)file_system, strlen(file_system) };
	if (a->log != NULL) {
		s.size = log_size(a->log);
		memcpy(s.root, log_root(a->log), sizeof s.root);
		s.state = (uint8_t)log_state(a->log);
		s.failure = (uint16_t)(log_repairing(a->log) ? ERR_AUDIT_TAMPERED : log_failure(a->log));
	}
	return outbox_put(out, MSG_LOG_STATE, in->ask_id, &s);
}

/* Takes one row, and puts it again with what the log knows of it. */
typedef void put_row(const struct usage *u, struct wire_in *rows, struct wire_out *o);

static void
put_grant(const struct usage *u, struct wire_in *rows, struct wire_out *o)
{
	struct grant_row_body row;
	struct usage_of used;

	grant_row_body_take(rows, &row);
	used = usage_find(u, row.grant);
	row.last_used_wall_ms = used.last_used.ms;
	row.reads = used.reads;
	grant_row_body_put(o, &row);
}

static void
put_connection(const struct usage *u, struct wire_in *rows, struct wire_out *o)
{
	struct connection_body row;
	struct usage_of used;

	connection_body_take(rows, &row);
	used = usage_find(u, row.connection);
	row.last_used_wall_ms = used.last_used.ms;
	row.reads = used.reads;
	connection_body_put(o, &row);
}

/* *buf: the new rows; the caller frees it, also on an error. */
static enum err
put_rows(const struct audit *a, size_t n_rows, struct span *page, put_row *put, uint8_t **buf)
{
	struct wire_in rows = wire_in(page->p, page->len);
	struct wire_out o;

	if ((*buf = malloc(page->len + 1)) == NULL)
		return ERR_NO_MEMORY;
	o = wire_out(*buf, page->len);
	for (size_t i = 0; i < n_rows; i++)
		put(a->usage, &rows, &o);
	*page = wire_written(&o);
	return rows.failed || o.failed ? ERR_INTERNAL : OK;
}

enum err
audit_on_usage_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants_page_body page = in->body->grants_page;
	uint8_t *buf = NULL;
	enum err e = put_rows(self, page.n_rows, &page.rows, put_grant, &buf);

	if (e == OK)
		e = outbox_put(out, MSG_USAGE, in->ask_id, &page);
	free(buf);
	return e;
}

enum err
audit_on_connections_usage_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct connections_page_body page = in->body->connections_page;
	uint8_t *buf = NULL;
	enum err e = put_rows(self, page.n_rows, &page.rows, put_connection, &buf);

	if (e == OK)
		e = outbox_put(out, MSG_CONNECTIONS_USAGE, in->ask_id, &page);
	free(buf);
	return e;
}
