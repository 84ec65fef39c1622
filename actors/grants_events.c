/*
 * What grants tells the log: in the order in which it happened, one after the
 * other, and again until the log has it. Revocations wait in the database, the
 * rest in memory. What widens rights waits here behind what narrowed them. A
 * lock does not wait: its record may be all that makes it durable.
 */
#include "actors/grants_state.h"
#include "mailbox/host.h"
#include "mailbox/log_line.h"

#define RETRY_MS 1000

/* What a log without room still takes into its reserve. */
static bool
in_reserve(uint8_t type)
{
	return type == LOG_REVOKE || type == LOG_DISABLE || type == LOG_LOCK || type == LOG_RESUME;
}

static void
remove_event(struct grants_events *ev, size_t i)
{
	ev->n--;
	for (; i < ev->n; i++)
		ev->held[i] = ev->held[i + 1];
}

static struct held_event *
hold(struct grants *g, uint64_t ask_id, bool answers, const struct event_body *body)
{
	struct grants_events *ev = &g->events;
	struct held_event *h;

	if (ev->n == GRANTS_EVENTS_MAX)
		return NULL;
	h = &ev->held[ev->n++];
	*h = (struct held_event){ .ask_id = ask_id, .answers = answers, .after = grants_db_unrecorded_end(g->db),
		.body = *body };
	return h;
}

/* The first in memory that may be told now, or NULL. */
static struct held_event *
first_held(struct grants_events *ev)
{
	for (size_t i = 0; i < ev->n; i++)
		if (!ev->held[i].sent && (!ev->is_full || in_reserve(ev->held[i].body.type)))
			return &ev->held[i];
	return NULL;
}

/* Who ended a connection: the owner, or the client by what it showed. */
static enum surface
surface_of(struct grants *g, const struct unrecorded *u)
{
	struct connection_record c;
	bool by_client = u->connection && grants_db_connection(g->db, u->id, &c) == OK && c.end != CONNECTION_REVOKED;

	return by_client ? SURFACE_HTTP : SURFACE_OWNER;
}

static enum err
tell_row(struct grants *g, const struct unrecorded *u, struct outbox *out)
{
	struct event_body b = { .type = u->all ? LOG_DISABLE : LOG_REVOKE, .outcome = LOG_DONE,
		.subject_kind = u->all ? LOG_TERMINAL : u->connection ? LOG_CONNECTION_ID : LOG_GRANT_ID, .subject = u->id };

	b.surface = (uint8_t)surface_of(g, u);
	g->events.row = u->number;
	g->events.row_ask = g->events.telling = grants_own_ask(g);
	return outbox_put(out, MSG_EVENT_KEEP, g->events.telling, &b);
}

/* Tells the next one, if none is under way. */
static enum err
tell_next(struct grants *g, struct outbox *out)
{
	struct grants_events *ev = &g->events;
	struct held_event *h = first_held(ev);
	struct unrecorded u;
	enum err e;

	if (!g->audit_up || ev->telling != 0 || ev->retry.ms != 0)
		return OK;
	if ((e = grants_db_unrecorded(g->db, ev->from, &u)) == OK && (h == NULL || u.number < h->after))
		return tell_row(g, &u, out);
	if (e != OK && e != ERR_NOT_FOUND)
		log_line_error(ACTOR_GRANTS, e, 0);
	if (h == NULL)
		return OK;
	h->sent = true;
	ev->telling = h->ask_id;
	return outbox_put(out, MSG_EVENT_KEEP, h->ask_id, &h->body);
}

enum err
grants_events_again(struct grants *g, struct outbox *out)
{
	g->events.retry.ms = 0;
	g->events.is_full = false;
	return tell_next(g, out);
}

enum err
grants_event_tell(struct grants *g, const struct event_body *b, struct outbox *out)
{
	if (hold(g, grants_own_ask(g), false, b) == NULL)
		log_line_error(ACTOR_GRANTS, ERR_BUSY, 0);
	return grants_events_again(g, out);
}

enum err
grants_event(struct grants *g, struct outbox *out, enum log_type type, enum err outcome,
    const struct peer_body *peer, struct uuid grant)
{
	struct event_body b = grants_event_of(type, outcome, peer, grant);

	return grants_event_tell(g, &b, out);
}

enum err
grants_event_config(struct grants *g, struct outbox *out, enum log_config what, struct uuid about,
    const struct peer_body *peer)
{
	struct event_body b = grants_event_of(LOG_CONFIG, OK, peer, NOTHING_MADE);

	b.config = (uint8_t)what;
	b.about = about;
	return grants_event_tell(g, &b, out);
}

enum err
grants_event_awaited(struct grants *g, uint64_t ask_id, const struct event_body *b, struct outbox *out)
{
	return hold(g, ask_id, true, b) != NULL ? grants_events_again(g, out) : ERR_BUSY;
}

enum err
grants_event_lock(struct grants *g, uint64_t ask_id, const struct event_body *b, struct outbox *out)
{
	struct held_event *h = hold(g, ask_id, false, b);

	if (h != NULL)
		h->sent = g->audit_up;
	return g->audit_up ? outbox_put(out, MSG_EVENT_KEEP, ask_id, b) : OK;
}

/* Those whose command waits for the record end with it, but for what a full log would still take. */
static void
end_awaited(struct grants *g, enum err why, struct outbox *out)
{
	struct grants_events *ev = &g->events;
	size_t i = 0;

	while (i < ev->n) {
		struct held_event h = ev->held[i];

		if (h.sent || !h.answers || (ev->is_full && in_reserve(h.body.type))) {
			i++;
			continue;
		}
		remove_event(ev, i);
		(void)grants_recorded(g, h.ask_id, why, out);
	}
}

static void
not_taken(struct grants *g, bool reserved, enum err why, struct outbox *out)
{
	struct grants_events *ev = &g->events;

	ev->is_full = why == ERR_AUDIT_FULL && !reserved;
	if (!ev->is_full)
		ev->retry.ms = clock_mono().ms + RETRY_MS;
	end_awaited(g, why, out);
}

/* What the log said of one that is held. */
static void
held_told(struct grants *g, size_t i, enum err e, struct outbox *out)
{
	struct grants_events *ev = &g->events;
	struct held_event *h = &ev->held[i];
	bool reserved = in_reserve(h->body.type);

	if (e == OK || h->answers) {
		remove_event(ev, i);
	} else {
		h->sent = false;
		h->ask_id = grants_own_ask(g);
	}
	if (e != OK)
		not_taken(g, reserved, e, out);
}

static void
row_told(struct grants *g, enum err e, struct outbox *out)
{
	struct grants_events *ev = &g->events;

	ev->row_ask = 0;
	if (e != OK) {
		not_taken(g, true, e, out);
		return;
	}
	/* One whose mark stays is told once more by a next start. */
	ev->from = ev->row + 1;
	if ((e = grants_db_recorded(g->db, ev->row)) != OK)
		log_line_error(ACTOR_GRANTS, e, 0);
	/* After a failed commit the environment refuses everything: a new process reads it anew. */
	if (e == ERR_STORAGE_FAILED)
		host_fail(e);
}

enum err
grants_on_event_kept(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct grants_events *ev = &g->events;
	enum err e = (enum err)in->body->result.error, put;

	if (in->ask_id == ev->telling)
		ev->telling = 0;
	if (in->ask_id == ev->row_ask)
		row_told(g, e, out);
	for (size_t i = 0; i < ev->n; i++) {
		if (ev->held[i].sent && ev->held[i].ask_id == in->ask_id) {
			held_told(g, i, e, out);
			break;
		}
	}
	put = grants_recorded(g, in->ask_id, e, out);
	return put != OK ? put : tell_next(g, out);
}

void
grants_events_edge(struct grants *g)
{
	struct grants_events *ev = &g->events;
	size_t i = 0;

	ev->telling = ev->row_ask = 0;
	while (i < ev->n) {
		if (ev->held[i].answers) {
			remove_event(ev, i);
			continue;
		}
		ev->held[i].sent = false;
		ev->held[i++].ask_id = grants_own_ask(g);
	}
}

enum err
grants_events_tick(struct grants *g, struct mono_ms now, struct outbox *out)
{
	return g->events.retry.ms != 0 && now.ms >= g->events.retry.ms ? grants_events_again(g, out) : OK;
}
