#include <stdlib.h>
#include <string.h>

#include "store/log_read.h"
#include "tools/command/profile_seen.h"

static size_t
slot_of(const struct seen *s, struct uuid fact, struct uuid revision)
{
	uint64_t h;
	size_t i;

	/* The ends of ids are random. */
	memcpy(&h, revision.b + UUID_LEN - sizeof h, sizeof h);
	for (i = (size_t)h & (s->n_slots - 1); s->slots[i] != 0; i = (i + 1) & (s->n_slots - 1)) {
		const struct seen_fact *f = &s->facts[s->slots[i] - 1];

		if (uuid_equal(f->fact, fact) && uuid_equal(f->revision, revision))
			break;
	}
	return i;
}

/* Twice as many slots as facts, or more. */
static bool
make_room(struct seen *s)
{
	size_t room = s->room == 0 ? 256 : 2 * s->room;
	struct seen_fact *facts;
	size_t *slots;

	if (s->n_facts < s->room)
		return true;
	if ((facts = realloc(s->facts, room * sizeof *facts)) == NULL)
		return false;
	s->facts = facts;
	if ((slots = calloc(2 * room, sizeof *slots)) == NULL)
		return false;
	free(s->slots);
	s->slots = slots;
	s->room = room;
	s->n_slots = 2 * room;
	for (size_t i = 0; i < s->n_facts; i++)
		s->slots[slot_of(s, s->facts[i].fact, s->facts[i].revision)] = i + 1;
	return true;
}

static bool
add_fact(struct seen *s, struct log_ref ref, struct wall_ms time)
{
	struct seen_fact *f;
	size_t slot;

	if (!make_room(s))
		return false;
	slot = slot_of(s, ref.asset, ref.revision);
	if (s->slots[slot] == 0) {
		s->facts[s->n_facts] = (struct seen_fact){ .fact = ref.asset, .revision = ref.revision, .first = time };
		s->slots[slot] = ++s->n_facts;
	}
	f = &s->facts[s->slots[slot] - 1];
	f->last = time;
	f->times++;
	return true;
}

/* A ring: the newest take the places of the oldest. */
static void
add_read(struct seen *s, const struct log_record *r)
{
	struct seen_read read = { r->index, r->wall, r->op, r->n_refs };

	s->n_all++;
	if (s->n_reads < s->reads_max) {
		s->reads[s->n_reads++] = read;
		return;
	}
	s->reads[s->oldest] = read;
	s->oldest = (s->oldest + 1) % s->reads_max;
}

static bool
take(void *arg, const struct log_record *r)
{
	struct seen *s = arg;

	if (r->type != LOG_INTENT || r->subject_kind != LOG_CONNECTION_ID || !uuid_equal(r->subject, s->connection))
		return true;
	add_read(s, r);
	for (size_t i = 0; i < r->n_refs; i++)
		if (!add_fact(s, log_record_ref(r, i), r->wall)) {
			s->error = ERR_NO_MEMORY;
			return false;
		}
	return true;
}

enum err
seen_read_log(struct uuid connection, size_t reads_max, struct seen *out)
{
	enum err e;

	*out = (struct seen){ .connection = connection, .reads_max = reads_max };
	if ((out->reads = calloc(reads_max, sizeof *out->reads)) == NULL)
		return ERR_NO_MEMORY;
	e = log_walk(HOME_LOG, 0, take, out);
	return e != OK ? e : out->error;
}

void
seen_free(struct seen *s)
{
	if (s->facts != NULL)
		wipe(s->facts, s->room * sizeof *s->facts);
	free(s->facts);
	free(s->slots);
	free(s->reads);
	*s = (struct seen){ .n_all = 0 };
}

const struct seen_read *
seen_read_at(const struct seen *s, size_t i)
{
	return &s->reads[(s->oldest + i) % s->reads_max];
}
