/*
 * What grants is to the remote profile: it decides when the profile is open
 * and when not, and tells the door to it how that stands.
 */
#include <string.h>
#include <unistd.h>

#include "actors/grants_state.h"
#include "actors/process.h"
#include "mailbox/log_line.h"

/* How long opening and forgetting may take. */
#define OPEN_MS 5000
#define DROP_MS 1500

/* What was only not there yet is asked for again sooner. */
#define RETRY_SOON_MS 100
#define RETRY_MS      5000

enum err
grants_profile_load(struct grants *g)
{
	struct grants_profile *p = &g->profile;
	enum err e = grants_db_profile(g->db, &p->record);

	p->exists = e == OK;
	if (e != OK)
		return e == ERR_NOT_FOUND ? OK : e;
	e = grants_db_enrolment(g->db, CUSTODY_PROFILE, &p->enrolment);
	/* An enrolment whose key was not kept any more is none. */
	p->enrolled = e == OK && !wire_is_zero((struct span){ p->record.sealed_custody, SEALED_KEY_LEN });
	return e == ERR_NOT_ENABLED ? OK : e;
}

enum err
grants_profile_keep(struct grants *g, const struct profile_record *r)
{
	enum err e = grants_db_put_profile(g->db, r);

	if (e == OK) {
		g->profile.record = *r;
		g->profile.exists = true;
	}
	return e;
}

/* There is a key that opens it, and no lock on its way that takes that one. */
static bool
may_be_open(const struct grants *g)
{
	bool password = g->unlocked && g->locking == 0, custody = g->profile.loaded && (g->locking == 0 || g->locking_idle);

	return g->profile.exists && g->profile.record.enabled && g->profile.dropping == 0 && !g->profile.closing &&
	    (password || custody);
}

enum http_phase
grants_profile_phase(const struct grants *g)
{
	const struct grants_profile *p = &g->profile;

	if (!g->initialized || !p->exists)
		return HTTP_NEVER;
	if (!p->record.enabled)
		return HTTP_OFF;
	if (p->record.maintenance)
		return HTTP_MAINTENANCE;
	return p->opened && may_be_open(g) ? HTTP_SERVES : HTTP_LOCKED;
}

enum err
grants_profile_tell(struct grants *g, bool anew, struct outbox *out)
{
	struct grants_profile *p = &g->profile;
	struct http_state_body b = { .phase = (uint8_t)grants_profile_phase(g), .initialized = g->initialized };

	if (!p->http_up || (!anew && p->told_once && p->told == (enum http_phase)b.phase))
		return OK;
	p->told_once = true;
	p->told = (enum http_phase)b.phase;
	if (g->initialized) {
		b.library = g->library.library;
		memcpy(b.log_public, g->library.log_public, sizeof b.log_public);
	}
	if (p->told == HTTP_MAINTENANCE)
		b.message = (struct span){ (const uint8_t *)p->record.message, strlen(p->record.message) };
	return outbox_put(out, MSG_HTTP_STATE, 0, &b);
}

enum err
grants_profile_check(struct grants *g)
{
	const struct grants_profile *p = &g->profile;
	enum err e = grants_check_owner(g);

	if (e != OK)
		return e;
	if (!p->exists || !p->record.enabled)
		return ERR_PROFILE_OFF;
	if (p->opened)
		return OK;
	/* What is coming up is worth another try. */
	return p->open_error != OK && p->up ? p->open_error : ERR_INTERRUPTED;
}

enum err
grants_profile_open(struct grants *g, struct outbox *out)
{
	struct grants_profile *p = &g->profile;
	struct profile_open_body b = { .library = g->library.library };

	if (!p->up || !g->keyring_up || p->opened || p->opening != 0 || p->retry.ms != 0 || !may_be_open(g))
		return OK;
	memcpy(b.sealed, p->record.sealed, sizeof b.sealed);
	memcpy(b.sealed_custody, p->record.sealed_custody, sizeof b.sealed_custody);
	p->opening = grants_own_ask(g);
	p->open_until.ms = clock_mono().ms + OPEN_MS;
	return outbox_put(out, MSG_PROFILE_OPEN, p->opening, &b);
}

static enum err
not_open(struct grants *g, enum err why, struct outbox *out)
{
	struct grants_profile *p = &g->profile;

	p->open_error = why == ERR_INTERRUPTED ? OK : why;
	p->retry.ms = clock_mono().ms + (why == ERR_INTERRUPTED ? RETRY_SOON_MS : RETRY_MS);
	if (why != ERR_INTERRUPTED)
		grants_profile_settled(g, why, out);
	return OK;
}

static enum err
put_drop(uint64_t ask_id, struct outbox *out)
{
	return outbox_put(out, MSG_PROFILE_DROP, ask_id, &(struct nothing_body){ 0 });
}

/* The end of an opening. What came while it was to forget all is forgotten by what is said now. */
static enum err
opening_ended(struct grants *g, uint64_t ask_id, enum err e, struct outbox *out)
{
	struct grants_profile *p = &g->profile;

	if (ask_id != p->opening)
		return e == OK ? put_drop(grants_own_ask(g), out) : OK;
	p->opening = 0;
	if (p->dropping != 0)
		return put_drop(p->dropping, out);
	if (e != OK)
		return not_open(g, e, out);
	p->opened = may_be_open(g);
	if (!p->opened)
		return put_drop(grants_own_ask(g), out);
	p->open_error = OK;
	grants_oauth_profile_opened(g, out);
	grants_profile_settled(g, OK, out);
	return grants_profile_tell(g, false, out);
}

enum err
grants_on_profile_opened(void *self, const struct inbound *in, struct outbox *out)
{
	return opening_ended(self, in->ask_id, (enum err)in->body->result.error, out);
}

enum err
grants_on_profile_not_opened(void *self, const struct inbound *in, struct outbox *out)
{
	enum err e = (enum err)in->body->result.error;

	return opening_ended(self, in->ask_id, e == OK ? ERR_INTERNAL : e, out);
}

enum err
grants_profile_drop(struct grants *g, uint64_t ask_id, struct outbox *out)
{
	struct grants_profile *p = &g->profile;
	enum err e;

	p->opened = false;
	p->open_error = OK;
	p->closing = g->keyring_up;
	p->retry.ms = 0;
	if (!p->up || !p->exists)
		return grants_profile_tell(g, false, out);
	/* A further lock gives it no more time. */
	if (p->dropping == 0)
		p->drop_until.ms = clock_mono().ms + DROP_MS;
	p->dropping = ask_id;
	if ((e = grants_profile_tell(g, false, out)) != OK)
		return e;
	/* Its key may still be on the way: what is to forget comes after it. */
	return p->opening != 0 ? OK : put_drop(ask_id, out);
}

static void
dropped(struct grants *g, struct outbox *out)
{
	g->profile.dropping = 0;
	g->profile.ending = false;
	grants_profile_gone(g, out);
	(void)grants_profile_open(g, out);
	(void)grants_profile_tell(g, false, out);
}

enum err
grants_on_profile_dropped(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;

	if (g->profile.dropping != 0 && in->ask_id == g->profile.dropping)
		dropped(g, out);
	return OK;
}

/* A process that does not forget is ended, and what it holds with it: its edge goes when it is gone. */
static void
end_process(struct grants *g, struct mono_ms now)
{
	static const uint8_t word = PROCESS_END_PROFILE;

	log_line_error(ACTOR_GRANTS, ERR_TIMEOUT, g->profile.dropping);
	if (g->settings->ready_fd >= 0 && write(g->settings->ready_fd, &word, 1) != 1)
		log_line_error(ACTOR_GRANTS, ERR_INTERNAL, g->profile.dropping);
	g->profile.opening = 0;
	g->profile.ending = true;
	g->profile.drop_until.ms = now.ms + END_MS;
}

enum err
grants_profile_tick(struct grants *g, struct mono_ms now, struct outbox *out)
{
	struct grants_profile *p = &g->profile;

	if (p->dropping != 0 && now.ms >= p->drop_until.ms && p->ending)
		dropped(g, out);
	else if (p->dropping != 0 && now.ms >= p->drop_until.ms)
		end_process(g, now);
	if (p->dropping == 0 && p->opening != 0 && now.ms >= p->open_until.ms) {
		p->opening = 0;
		(void)not_open(g, ERR_TIMEOUT, out);
	}
	if (p->retry.ms != 0 && now.ms >= p->retry.ms)
		p->retry.ms = 0;
	return grants_profile_open(g, out);
}

struct mono_ms
grants_profile_next(const struct grants *g)
{
	const struct grants_profile *p = &g->profile;

	if (p->dropping != 0)
		return p->drop_until;
	return p->opening != 0 ? p->open_until : may_be_open(g) ? p->retry : (struct mono_ms){ 0 };
}

static void
process_edge(struct grants *g, bool up, struct outbox *out)
{
	struct grants_profile *p = &g->profile;

	p->up = up;
	p->opened = false;
	p->opening = 0;
	p->retry.ms = 0;
	p->open_error = OK;
	/* An actor without this edge has forgotten what it held. */
	if (!up && p->dropping != 0)
		dropped(g, out);
}

void
grants_profile_edge(struct grants *g, enum actor other, bool up, struct outbox *out)
{
	struct grants_profile *p = &g->profile;

	if (other == ACTOR_PROFILE || (other == ACTOR_KEYRING && !up))
		process_edge(g, other == ACTOR_PROFILE ? up : p->up, out);
	if (other == ACTOR_KEYRING) {
		p->want_load = true;
		p->load_ask = 0;
		p->load_retry.ms = 0;
	}
	if (other == ACTOR_KEYRING && !up)
		p->loaded = p->closing = false;
	if (other == ACTOR_HTTP) {
		p->http_up = up;
		p->told_once = false;
		p->listens = (struct http_listens_body){ 0 };
	}
	(void)grants_profile_tell(g, false, out);
	(void)grants_profile_open(g, out);
}

static struct span
keep_span(struct span from, uint8_t *to, size_t max)
{
	size_t len = from.len < max ? from.len : max;

	if (len > 0)
		memcpy(to, from.p, len);
	return (struct span){ to, len };
}

enum err
grants_on_http_listens(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants_profile *p = &((struct grants *)self)->profile;

	(void)out;
	p->listens = in->body->http_listens;
	p->listens.address = keep_span(p->listens.address, p->address, sizeof p->address);
	p->listens.origin = keep_span(p->listens.origin, p->origin, sizeof p->origin);
	return OK;
}
