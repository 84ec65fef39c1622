#include <stdlib.h>
#include <string.h>

#include "actors/search_state.h"
#include "escrow/hash.h"

/* A request that nobody answers, and one that was refused, is made again after so long. */
#define REQUEST_MS 5000
#define PAUSE_MS   1000

static enum err on_scope(void *self, const struct inbound *in, struct outbox *out);
static enum err on_boot(void *self, const struct inbound *in, struct outbox *out);
static enum err on_drop(void *self, const struct inbound *in, struct outbox *out);

static const struct handler handlers[] = {
	{ MSG_SEARCH_SCOPE, on_scope },
	{ MSG_SEARCH_BOOT, on_boot },
	{ MSG_INDEX_ACK, search_on_ack },
	{ MSG_INDEX_DENIED, search_on_no_key },
	{ MSG_INDEX_REFUSED, search_on_no_key },
	{ MSG_INDEX_NOT_KEPT, search_on_no_key },
	{ MSG_INDEX_PAGE, search_on_page },
	{ MSG_ASSET_CHANGED, search_on_changed },
	{ MSG_INDEX_DROP, on_drop },
	{ MSG_QUERY, search_on_query },
};

static void
free_vaults(struct search *s)
{
	for (size_t i = 0; i < s->n_vaults; i++)
		key_free(&s->vaults[i].key);
	s->n_vaults = 0;
}

static void
search_stop(void *self)
{
	struct search *s = self;

	if (s == NULL)
		return;
	search_partial_free(&s->partial);
	if (s->vaults != NULL)
		free_vaults(s);
	free(s->vaults);
	search_index_free(&s->index);
	if (s->waiting != NULL)
		search_refuse_waiting(s, ERR_INTERRUPTED, NULL);
	pending_free(&s->waiting);
	channel_free(&s->channel);
	free(s);
}

static enum err
search_start(const struct actor_context *context, void **self)
{
	struct search *s = calloc(1, sizeof *s);
	enum err e;

	if (s == NULL)
		return ERR_NO_MEMORY;
	/* Other ids than those of a predecessor, whose answers may still be on their way. */
	s->own_asks = (uint64_t)clock_mono().ms << 12;
	if ((s->vaults = calloc(SEARCH_VAULTS_MAX, sizeof *s->vaults)) == NULL)
		e = ERR_NO_MEMORY;
	else if ((e = channel_of_pair(context->pair_key(context->host, ACTOR_KEYRING), &s->channel)) == OK &&
	    (e = search_waiting_new(&s->waiting)) == OK)
		e = search_index_new(0, &s->index);
	if (e != OK) {
		search_stop(s);
		return e;
	}
	*self = s;
	return OK;
}

struct search_vault *
search_vault(struct search *s, struct uuid vault)
{
	for (size_t i = 0; i < s->n_vaults; i++)
		if (uuid_equal(s->vaults[i].vault, vault))
			return &s->vaults[i];
	return NULL;
}

void
search_forget(struct search *s)
{
	search_partial_free(&s->partial);
	for (size_t i = 0; i < s->n_vaults; i++)
		search_index_remove_vault(s->index, s->vaults[i].vault);
	free_vaults(s);
	s->n_changes = 0;
	s->request.ask_id = 0;
	s->pause.ms = 0;
}

static void
forget_and_say(struct search *s, enum err why, struct outbox *out)
{
	s->unlocked = false;
	search_forget(s);
	search_refuse_waiting(s, why, out);
}

enum search_phase
search_phase(const struct search *s)
{
	if (!s->unlocked)
		return SEARCH_OFF;
	for (size_t i = 0; i < s->n_vaults; i++)
		if (s->vaults[i].phase != VAULT_BUILT && s->vaults[i].phase != VAULT_ABSENT)
			return SEARCH_WARMING;
	return SEARCH_READY;
}

static bool
same_figures(const struct search_state_body *a, const struct search_state_body *b)
{
	return a->documents == b->documents && a->bytes == b->bytes && a->locked_bytes == b->locked_bytes;
}

enum err
search_tell(struct search *s, bool figures, struct outbox *out)
{
	struct search_state_body now = { .state = (uint8_t)search_phase(s) };
	struct search_stats stats;

	search_index_stats(s->index, &stats);
	now.documents = stats.n_documents;
	now.bytes = stats.bytes;
	now.locked_bytes = stats.locked_bytes;
	if (!s->gate_up || (s->told_once && now.state == s->told.state &&
	    (!figures || same_figures(&now, &s->told))))
		return OK;
	s->told = now;
	s->told_once = true;
	return outbox_put(out, MSG_SEARCH_STATE, 0, &now);
}

/* Something may be asked for now. */
static bool
can_ask(const struct search *s)
{
	return s->unlocked && s->request.ask_id == 0 && !uuid_is_zero(s->boot) && s->grants_up && s->vault_up &&
	    clock_mono().ms >= s->pause.ms;
}

static enum err
ask_page(struct search *s, bool is_change, const struct index_page_wanted_body *page, struct outbox *out)
{
	s->request.page = *page;
	s->request.vault = page->vault;
	s->request.is_change = is_change;
	s->request.has_come = s->partial.active;
	return outbox_put(out, MSG_INDEX_PAGE_WANTED, s->request.ask_id, page);
}

/* The next change of what is built or being built; a vault that is not yet will be read as it is then. */
static bool
take_change(struct search *s, struct index_page_wanted_body *page)
{
	while (s->n_changes > 0) {
		struct search_change c = s->changes[0];
		const struct search_vault *v = search_vault(s, c.vault);

		memmove(s->changes, s->changes + 1, --s->n_changes * sizeof *s->changes);
		if (v == NULL || (v->phase != VAULT_BUILDING && v->phase != VAULT_BUILT))
			continue;
		*page = (struct index_page_wanted_body){ .vault = c.vault, .asset = c.asset, .only = 1 };
		return true;
	}
	return false;
}

static enum err
ask_for_vault(struct search *s, const struct search_vault *v, struct outbox *out)
{
	struct index_page_wanted_body is_there = { .vault = v->vault, .only = 1 };

	if (v->phase == VAULT_BUILDING)
		return ask_page(s, false, &v->next, out);
	if (v->phase == VAULT_UNKNOWN)
		return ask_page(s, false, &is_there, out);
	s->request.vault = v->vault;
	s->request.is_change = false;
	return outbox_put(out, MSG_INDEX_ASK, s->request.ask_id, &(struct index_ask_body){ .vault = v->vault, .boot = s->boot });
}

enum err
search_go_on(struct search *s, struct outbox *out)
{
	struct index_page_wanted_body page;

	if (!can_ask(s))
		return OK;
	s->request.ask_id = ++s->own_asks | ASK_INSIDE;
	s->request.by.ms = clock_mono().ms + REQUEST_MS;
	/* What is half there is finished first. */
	if (s->partial.active)
		return ask_page(s, s->request.is_change, &s->partial.rest, out);
	if (take_change(s, &page))
		return ask_page(s, true, &page, out);
	for (size_t i = 0; i < s->n_vaults; i++)
		if (s->vaults[i].phase != VAULT_BUILT && s->vaults[i].phase != VAULT_ABSENT)
			return ask_for_vault(s, &s->vaults[i], out);
	s->request.ask_id = 0;
	return OK;
}

void
search_pause(struct search *s)
{
	struct search_vault *v = search_vault(s, s->request.vault);

	/* A change that is not looked at would stay unseen, and the rest of a revision whose beginning is gone makes nothing. */
	if (s->request.is_change)
		search_note_change(s, s->request.vault, s->request.page.asset);
	else if (s->partial.active && v != NULL && v->phase == VAULT_BUILDING)
		v->next = (struct index_page_wanted_body){ .vault = v->vault, .asset = s->partial.row.asset };
	search_partial_free(&s->partial);
	s->request.ask_id = 0;
	s->pause.ms = clock_mono().ms + PAUSE_MS;
}

static enum err
on_scope(void *self, const struct inbound *in, struct outbox *out)
{
	struct search *s = self;
	const struct search_scope_body *b = &in->body->search_scope;
	struct wire_in ids = wire_in(b->vaults.p, b->vaults.len);
	enum err e;

	if (!b->unlocked) {
		forget_and_say(s, ERR_LOCKED, out);
		return search_tell(s, true, out);
	}
	s->unlocked = true;
	while (ids.len >= UUID_LEN && s->n_vaults < SEARCH_VAULTS_MAX) {
		struct uuid vault = wire_take_id(&ids);

		if (search_vault(s, vault) == NULL)
			s->vaults[s->n_vaults++] = (struct search_vault){ .vault = vault };
	}
	if ((e = search_go_on(s, out)) != OK)
		return e;
	return search_tell(s, false, out);
}

/* Another boot of the keyring has forgotten what it was asked, and is locked. */
static enum err
on_boot(void *self, const struct inbound *in, struct outbox *out)
{
	struct search *s = self;

	s->boot = in->body->one_id.id;
	return search_go_on(s, out);
}

static enum err
on_drop(void *self, const struct inbound *in, struct outbox *out)
{
	struct search *s = self;
	enum err e;

	forget_and_say(s, ERR_LOCKED, out);
	if ((e = search_tell(s, true, out)) != OK)
		return e;
	return outbox_put(out, MSG_INDEX_DROPPED, in->ask_id, &(struct nothing_body){ 0 });
}

static void
on_edge(void *self, enum actor other, bool up, struct outbox *out)
{
	struct search *s = self;

	if (other == ACTOR_GRANTS)
		s->grants_up = up;
	if (other == ACTOR_VAULT)
		s->vault_up = up;
	if (other == ACTOR_GATE) {
		s->gate_up = up;
		s->told_once = false;
	}
	if (other == ACTOR_KEYRING && !up)
		s->boot = (struct uuid){ { 0 } };
	/* Who could say that the library is locked is gone, or the keys are. */
	if (!up && (other == ACTOR_GRANTS || other == ACTOR_KEYRING))
		forget_and_say(s, ERR_INTERRUPTED, out);
	/* What changed meanwhile nobody told. */
	if (!up && other == ACTOR_VAULT)
		search_build_anew(s);
	if (!up && other == ACTOR_AUDIT && s->request.ask_id != 0)
		search_pause(s);
	if (up)
		(void)search_go_on(s, out);
	(void)search_tell(s, true, out);
}

static struct mono_ms
on_tick(void *self, struct mono_ms now, struct outbox *out)
{
	struct search *s = self;
	struct mono_ms next;

	if (s->request.ask_id != 0 && now.ms >= s->request.by.ms)
		search_pause(s);
	(void)search_go_on(s, out);
	(void)search_answer_waiting(s, now, out);
	(void)search_tell(s, true, out);
	next = pending_next(s->waiting);
	if (now.ms < s->pause.ms)
		next = mono_sooner(next, s->pause);
	return next;
}

const struct actor_spec search_actor = {
	.id = ACTOR_SEARCH,
	.start = search_start,
	.stop = search_stop,
	.handlers = handlers,
	.n_handlers = sizeof handlers / sizeof *handlers,
	.on_edge = on_edge,
	.on_tick = on_tick,
	.blocks = true,
};
