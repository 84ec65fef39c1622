/* The clock of tokens, and the tidying of what is over by it. */
#include "actors/grants_state.h"
#include "mailbox/host.h"
#include "mailbox/log_line.h"

/* Between two rounds of tidying, and between two steps of one. */
#define TIDY_MS      600000
#define TIDY_STEP_MS 200
#define TIDY_LOOK    64

/* The moment is kept soon after tokens were issued, which do not live long, and seldom otherwise. */
#define KEEP_MS      60000
#define KEEP_IDLE_MS 3600000

enum err
grants_oauth_start(struct grants *g)
{
	struct moment kept;
	enum err e = grants_db_moment(g->db, &kept);

	if (e != OK)
		return e;
	g->oauth.last = moment_from(kept, clock_wall(), clock_mono(), g->boot);
	/* Without a moment there never was a connection. */
	if (kept.now.ms != 0) {
		g->oauth.tidies.ms = clock_mono().ms + TIDY_STEP_MS;
		g->oauth.keeps.ms = clock_mono().ms + KEEP_MS;
	}
	return OK;
}

void
grants_oauth_stop(struct grants *g)
{
	grants_consents_fail(g, ERR_INTERRUPTED, false, NULL);
	if (g->db != NULL && g->oauth.keeps.ms != 0)
		(void)grants_db_keep_moment(g->db, grants_moment(g));
}

const struct moment *
grants_moment(struct grants *g)
{
	g->oauth.last = moment_after(g->oauth.last, clock_wall(), clock_mono());
	return &g->oauth.last;
}

void
grants_moment_kept(struct grants *g, bool tokens)
{
	struct mono_ms now = clock_mono();

	if (tokens)
		g->oauth.issued = g->oauth.last.now;
	if (tokens || g->oauth.keeps.ms == 0)
		g->oauth.keeps.ms = now.ms + KEEP_MS;
	if (g->oauth.tidies.ms == 0)
		g->oauth.tidies.ms = now.ms + TIDY_MS;
}

/* After a failed commit the environment refuses everything: a new process reads it anew. */
static void
failed(enum err e)
{
	log_line_error(ACTOR_GRANTS, e, 0);
	if (e == ERR_STORAGE_FAILED)
		host_fail(e);
}

static void
keep(struct grants *g, struct mono_ms now)
{
	struct forward_ms lasts = { g->oauth.issued.ms + CONNECTION_ACCESS_MS };
	enum err e;

	if (g->oauth.keeps.ms == 0 || now.ms < g->oauth.keeps.ms)
		return;
	g->oauth.keeps.ms = now.ms + (moment_left(grants_moment(g), lasts) > 0 ? KEEP_MS : KEEP_IDLE_MS);
	if ((e = grants_db_keep_moment(g->db, &g->oauth.last)) != OK)
		failed(e);
}

static void
tidy(struct grants *g, struct mono_ms now, struct outbox *out)
{
	struct uuid gone;
	bool around;
	enum err e;

	if (g->oauth.tidies.ms == 0 || now.ms < g->oauth.tidies.ms)
		return;
	if ((e = grants_db_tidy(g->db, &g->oauth.tidy, TIDY_LOOK, grants_moment(g), &around, &gone)) != OK)
		failed(e);
	if (!uuid_is_zero(gone))
		grants_connection_ended(g, gone, out);
	g->oauth.tidies.ms = now.ms + (around ? TIDY_MS : TIDY_STEP_MS);
}

struct mono_ms
grants_oauth_tick(struct grants *g, struct mono_ms now, struct outbox *out)
{
	grants_consents_expire(g, now, out);
	tidy(g, now, out);
	keep(g, now);
	return mono_sooner(mono_sooner(g->oauth.tidies, g->oauth.keeps), grants_consents_next(g));
}

void
grants_oauth_edge(struct grants *g, enum actor other, bool up, struct outbox *out)
{
	if (!up && other == ACTOR_AUDIT)
		grants_consents_fail(g, ERR_AUDIT_UNAVAILABLE, true, out);
	/* Nobody is left who would show the code. */
	if (!up && other == ACTOR_HTTP)
		grants_consents_fail(g, ERR_INTERRUPTED, false, out);
}
