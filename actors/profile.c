#include <stdlib.h>

#include "actors/profile_state.h"
#include "escrow/keys.h"
#include "gateway/sensitive.h"
#include "gateway/web_keys.h"
#include "mailbox/host.h"
#include "mailbox/log_line.h"

#define INDEX_MAX     ((size_t)256 << 20)
#define KEEP_CLOCK_MS ((uint64_t)3600 * 1000)
#define TICK_MS       60000

static enum err on_key(void *self, const struct inbound *in, struct outbox *out);
static enum err on_drop(void *self, const struct inbound *in, struct outbox *out);
static enum err on_gone(void *self, const struct inbound *in, struct outbox *out);

static const struct handler handlers[] = {
	{ MSG_PROFILE_KEY, on_key },
	{ MSG_PROFILE_QUERY, profile_on_query },
	{ MSG_PROFILE_DROP, on_drop },
	{ MSG_CONNECTION_GONE, on_gone },
};

bool
profile_is_sensitive(const struct profile_fact *f)
{
	return sensitive_fact(f->label, f->value) != SENSITIVE_NONE || sensitive_text(f->evidence);
}

static void
close_profile(struct profile *p)
{
	profile_readers_forget(p);
	search_index_free(&p->index);
	search_memory_free(&p->memory);
	profile_db_close(&p->db);
	key_free(&p->web);
}

static void
profile_stop(void *self)
{
	struct profile *p = self;

	if (p == NULL)
		return;
	close_profile(p);
	channel_free(&p->keyring);
	channel_free(&p->http);
	free(p);
}

static enum err
profile_start(const struct actor_context *context, void **self)
{
	struct profile *p = calloc(1, sizeof *p);
	enum err e;

	if (p == NULL)
		return ERR_NO_MEMORY;
	if ((e = channel_of_pair(context->pair_key(context->host, ACTOR_KEYRING), &p->keyring)) != OK ||
	    (e = channel_of_pair(context->pair_key(context->host, ACTOR_HTTP), &p->http)) != OK) {
		profile_stop(p);
		return e;
	}
	*self = p;
	return OK;
}

enum err
profile_tell_web(struct profile *p, struct outbox *out)
{
	uint8_t boxed[WEB_KEYS_BOXED_MAX];
	struct web_keys_body b = { .boxed = { boxed, 0 } };
	enum err e;

	if (!p->http_up)
		return OK;
	if (p->db != NULL &&
	    (e = web_keys_box(p->http.down, p->web, profile_db_verifier(p->db), boxed, &b.boxed.len)) != OK)
		return e;
	return outbox_put(out, MSG_WEB_KEYS, 0, &b);
}

static enum err
open_profile(struct profile *p, const struct key *key)
{
	enum err e;

	if ((e = key_new(&p->web)) != OK)
		return e;
	web_key_of(key, p->web);
	if ((p->memory = search_memory_new(&p->bill, true)) == NULL)
		return ERR_NO_MEMORY;
	if ((e = search_index_new(INDEX_MAX, &p->index)) != OK)
		return e;
	return profile_db_open(PROFILE_DIR, key, profile_is_sensitive, &p->db);
}

static enum err
take_key(struct profile *p, const struct inbound *in)
{
	struct key_binding way = bind_profile_way(in->ask_id);
	struct key *key = NULL;
	enum err e;

	if ((e = key_new(&key)) == OK &&
	    (e = key_open(p->keyring.down, key_binding_span(&way), in->body->profile_boxed.boxed, key)) == OK) {
		close_profile(p);
		e = open_profile(p, key);
	}
	key_free(&key);
	if (e != OK)
		close_profile(p);
	return e;
}

static enum err
on_key(void *self, const struct inbound *in, struct outbox *out)
{
	struct profile *p = self;
	enum err opened = take_key(p, in), e;

	/* It is tried again every few seconds: once is enough. */
	if (opened != OK && opened != p->open_error)
		log_line_error(ACTOR_PROFILE, opened, in->ask_id);
	p->open_error = opened;
	/* HTTP first: it serves as soon as grants says so. */
	if ((e = profile_tell_web(p, out)) != OK)
		return e;
	return outbox_put(out, MSG_PROFILE_OPENED, in->ask_id, &(struct result_body){ .error = (uint16_t)opened });
}

static enum err
on_drop(void *self, const struct inbound *in, struct outbox *out)
{
	struct profile *p = self;
	enum err e;

	close_profile(p);
	if ((e = profile_tell_web(p, out)) != OK)
		return e;
	return outbox_put(out, MSG_PROFILE_DROPPED, in->ask_id, &(struct nothing_body){ 0 });
}

static enum err
on_gone(void *self, const struct inbound *in, struct outbox *out)
{
	struct profile *p = self;
	struct uuid connection = in->body->one_id.id;

	(void)out;
	if (p->db == NULL)
		return profile_db_note_gone(PROFILE_DIR, connection);
	profile_reader_forget(p, connection);
	profile_db_remove_connection(p->db, connection);
	return profile_db_commit(p->db);
}

static void
on_edge(void *self, enum actor other, bool up, struct outbox *out)
{
	struct profile *p = self;
	enum err told = OK;

	if (other == ACTOR_HTTP)
		p->http_up = up;
	/* Who could say that it is to be closed is gone, or the keys are. */
	if (!up && (other == ACTOR_GRANTS || other == ACTOR_KEYRING))
		close_profile(p);
	if ((up && other == ACTOR_HTTP) || (!up && (other == ACTOR_GRANTS || other == ACTOR_KEYRING)))
		told = profile_tell_web(p, out);
	/* It would go on with keys of what is closed. */
	if (told != OK)
		host_fail(told);
}

static struct mono_ms
on_tick(void *self, struct mono_ms now, struct outbox *out)
{
	struct profile *p = self;
	struct wall_ms wall;

	(void)out;
	if (p->db == NULL)
		return (struct mono_ms){ 0 };
	/* After a failed commit the environment refuses everything: a new process reads it anew. */
	if (profile_db_failure(p->db) != OK) {
		host_fail(profile_db_failure(p->db));
		return (struct mono_ms){ 0 };
	}
	(void)profile_expire(p);
	wall = profile_db_now(p->db);
	if (wall.ms - p->kept.ms >= KEEP_CLOCK_MS) {
		p->kept = wall;
		profile_db_keep_clock(p->db);
		(void)profile_db_commit(p->db);
	}
	return (struct mono_ms){ now.ms + TICK_MS };
}

const struct actor_spec profile_actor = {
	.id = ACTOR_PROFILE,
	.start = profile_start,
	.stop = profile_stop,
	.handlers = handlers,
	.n_handlers = sizeof handlers / sizeof *handlers,
	.on_edge = on_edge,
	.on_tick = on_tick,
	.blocks = true,
};
