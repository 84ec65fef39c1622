/* The remote profile in maintenance, and how it stands. */
#include <string.h>

#include "actors/grants_state.h"
#include "gateway/profile_request.h"

/* One paragraph for whoever asks: no control characters. */
static bool
is_message(struct span s)
{
	return s.len <= MAINTENANCE_MESSAGE_MAX && profile_text_good(s, 0, MAINTENANCE_MESSAGE_MAX);
}

static enum err
begin_maintenance(struct grants *g, const struct inbound *in, struct outbox *out)
{
	const struct maintenance_ask_body *b = &in->body->maintenance_ask;
	struct profile_record r = g->profile.record;
	enum err e;

	r.maintenance = true;
	memset(r.message, 0, sizeof r.message);
	if (b->message.len > 0)
		memcpy(r.message, b->message.p, b->message.len);
	if ((e = grants_profile_keep(g, &r)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_profile_tell(g, true, out)) != OK ||
	    (e = grants_event_config(g, out, CONFIG_PROFILE_MAINTENANCE, NOTHING_MADE, &b->peer)) != OK)
		return e;
	return grants_done(out, in->ask_id, NOTHING_MADE);
}

/* It narrows, and is done at once; its end widens, and waits for its record. */
enum err
grants_on_maintenance(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct maintenance_ask_body *b = &in->body->maintenance_ask;
	struct command *c;
	enum err e;

	if ((e = grants_check_owner(g)) == OK)
		e = !g->profile.exists || !g->profile.record.enabled ? ERR_PROFILE_OFF
		    : b->on > 1 || !is_message(b->message) || (!b->on && b->message.len > 0) ? ERR_INVALID_ARGUMENT : OK;
	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	if (b->on)
		return begin_maintenance(g, in, out);
	if (!g->profile.record.maintenance)
		return grants_done(out, in->ask_id, NOTHING_MADE);
	if (!g->audit_up)
		return grants_refuse(out, in->ask_id, ERR_AUDIT_UNAVAILABLE);
	if ((e = grants_begin(in, g, &b->peer, out, &c)) != OK || c == NULL)
		return e;
	c->config = CONFIG_PROFILE_NO_MAINTENANCE;
	return grants_keep_record(g, in->ask_id, LOG_CONFIG, out);
}

enum err
grants_on_profile_state(void *self, const struct inbound *in, struct outbox *out)
{
	const struct grants *g = self;
	const struct grants_profile *p = &g->profile;
	struct profile_state_body b = { .phase = (uint8_t)grants_profile_phase(g), .exists = p->exists,
		.enabled = p->exists && p->record.enabled, .opened = p->opened, .loaded = p->loaded,
		.open_error = (uint16_t)p->open_error,
		.banned = p->enrolled && grants_profile_banned(g), .http = p->listens };
	enum err e;

	if (!g->initialized)
		return grants_refuse(out, in->ask_id, ERR_NOT_INITIALIZED);
	if ((e = grants_db_count_connections(g->db, &b.connections)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if (p->enrolled) {
		b.backend = (struct span){ (const uint8_t *)p->enrolment.backend, strlen(p->enrolment.backend) };
		b.custody_error = (uint16_t)(p->loaded ? OK : p->load_error);
	}
	if (p->record.maintenance)
		b.message = (struct span){ (const uint8_t *)p->record.message, strlen(p->record.message) };
	return outbox_put(out, MSG_PROFILE_STATE_FOUND, in->ask_id, &b);
}
