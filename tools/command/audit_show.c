/* audit show: the newest records, those from a record on, and those that come while it waits. */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/log_read.h"
#include "store/log_steps.h"
#include "tools/command/audit_filter.h"
#include "tools/command/audit_record.h"

#define LIMIT_MAX   1000
#define FOLLOW_MS   200
#define ASK_TURNS   5    /* of them; so often the daemon is asked whether the log has failed */
#define TIME_STRIDE 4096 /* records; a search by time stops there */

struct show {
	struct invocation  *in;
	struct audit_filter filter;
	uint64_t            limit;
	bool                follow;
	bool                failed; /* by the daemon's word */
	bool                broken; /* the log ends before its end: what is there is shown, and then it is said */
	struct client      *daemon; /* owned; while a home's log is followed */
	struct log_steps   *steps;
	struct json_writer  w;
	uint64_t            first, next; /* of the records shown: the first, and the one behind the last */
	uint64_t            n;
};

static void
emit(struct show *s, const struct log_record *r)
{
	if (s->n++ == 0)
		s->first = r->index;
	s->next = r->index + 1;
	if (!s->in->json) {
		audit_record_row(r);
		return;
	}
	audit_record_json(&s->w, r);
	/* What does not end cannot be one value: each record is a line. */
	if (s->follow)
		(void)print_json(&s->w);
}

/* The leaves of a group, which has proved to hold. */
static size_t
leaves_of(const struct log_frame_group *g, struct span out[LOG_GROUP_RECORDS_MAX])
{
	struct wire_in in = wire_in(g->records.p, g->records.len);

	for (size_t i = 0; i < g->n_records; i++)
		out[i] = log_frame_take_record(&in);
	return g->n_records;
}

static struct log_record
record_of(struct span leaf)
{
	struct wire_in in = wire_in(leaf.p, leaf.len);
	struct log_record r;

	log_record_take(&in, &r);
	return r;
}

/* Records found on the way back, newest first; copies. */
struct found {
	struct span rows[LIMIT_MAX];
	size_t      n;
	bool        all; /* nothing older can pass */
};

static enum err
keep(struct show *s, struct found *f, const struct log_frame_group *g, uint64_t before)
{
	struct span leaves[LOG_GROUP_RECORDS_MAX];

	for (size_t i = leaves_of(g, leaves); i-- > 0 && f->n < s->limit;) {
		struct log_record r = record_of(leaves[i]);
		uint8_t *copy;

		if (r.index >= before || !audit_filter_passes(&s->filter, &r))
			continue;
		if ((copy = malloc(leaves[i].len)) == NULL)
			return ERR_NO_MEMORY;
		memcpy(copy, leaves[i].p, leaves[i].len);
		f->rows[f->n++] = (struct span){ copy, leaves[i].len };
	}
	return OK;
}

/* Where the log ends for its reader. */
static enum err
tampered(struct show *s, const char *what, uint64_t record)
{
	char detail[120];

	snprintf(detail, sizeof detail, what, record);
	explain(s->in, detail);
	return ERR_AUDIT_TAMPERED;
}

#define HOLDS_BEFORE "it holds up to record %" PRIu64 " and not there"
#define HOLDS_BEHIND "it holds from record %" PRIu64 " on and not before"

static enum err
look_back(struct show *s, struct log_mark m, uint64_t before, struct found *f)
{
	struct log_frame_group g;
	enum err e;

	while (f->n < s->limit) {
		if ((e = log_steps_back(s->steps, &m, &g)) == ERR_NOT_FOUND)
			f->all = true;
		if (e == ERR_AUDIT_TAMPERED)
			return tampered(s, HOLDS_BEHIND, m.size);
		if (e != OK)
			return e == ERR_NOT_FOUND ? OK : e;
		if ((f->all = audit_filter_too_old(&s->filter, g.commit.wall)))
			return OK;
		if ((e = keep(s, f, &g, before)) != OK)
			return e;
	}
	return OK;
}

/* Moves *before down to where records are not too new to pass, so that those behind need not be read. */
static enum err
skip_newer(struct show *s, uint64_t *before)
{
	uint64_t low = 0, high = *before;
	struct log_frame_group g;
	struct log_mark m;
	enum err e;

	while (s->filter.until.ms != 0 && high - low > TIME_STRIDE) {
		uint64_t middle = low + (high - low) / 2;

		if ((e = log_steps_find(s->steps, middle, &m)) != OK || (e = log_steps_back(s->steps, &m, &g)) != OK)
			return e;
		if (audit_filter_too_new(&s->filter, g.commit.wall))
			high = middle;
		else
			low = middle;
	}
	*before = high;
	return OK;
}

/* The newest before a record that is there, or before the end. */
static enum err
show_newest(struct show *s, uint64_t before, bool *all)
{
	struct found *f = calloc(1, sizeof *f);
	struct log_mark m;
	enum err e;

	if (f == NULL)
		return ERR_NO_MEMORY;
	if ((e = skip_newer(s, &before)) == OK && (e = log_steps_find(s->steps, before, &m)) == OK)
		e = look_back(s, m, before, f);
	*all = f->all;
	/* What holds is shown even when something older does not. */
	for (size_t i = f->n; i-- > 0;) {
		struct log_record r = record_of(f->rows[i]);

		emit(s, &r);
		free((void *)(uintptr_t)f->rows[i].p);
	}
	free(f);
	return e;
}

/* What is behind the mark, from record `from` on, until it ends or the limit is met. */
static enum err
show_on(struct show *s, struct log_mark *m, uint64_t from, uint64_t limit)
{
	struct span leaves[LOG_GROUP_RECORDS_MAX];
	struct log_frame_group g;
	enum err e = OK;

	while (s->n < limit && !print_failed() && (e = log_steps_on(s->steps, m, &g)) == OK) {
		size_t n = leaves_of(&g, leaves);

		for (size_t i = 0; i < n && s->n < limit; i++) {
			struct log_record r = record_of(leaves[i]);

			if (r.index >= from && audit_filter_passes(&s->filter, &r))
				emit(s, &r);
		}
	}
	if (e == ERR_AUDIT_TAMPERED)
		return tampered(s, HOLDS_BEFORE, m->size);
	return e == ERR_NOT_FOUND ? OK : e;
}

/* The page's other members; 0 is null, for no page begins there. */
static enum err
end_page(struct show *s, uint64_t next, uint64_t before)
{
	const struct { const char *key; uint64_t v; } links[] = { { "next", next }, { "before", before } };

	json_write_end(&s->w);
	json_member_u64(&s->w, "offset", s->first);
	for (size_t i = 0; i < 2; i++) {
		json_write_key(&s->w, links[i].key);
		if (links[i].v != 0)
			json_write_u64(&s->w, links[i].v);
		else
			json_write_null(&s->w);
	}
	json_write_end(&s->w);
	return print_json(&s->w);
}

/* True once somebody wants it to end: by a signal, or by closing what it writes to. */
static bool
wait_for_more(int stop_fd)
{
	struct pollfd fds[] = { { .fd = stop_fd, .events = POLLIN }, { .fd = STDOUT_FILENO } };

	return poll(fds, 2, FOLLOW_MS) > 0;
}

/* A log that failed gets no further: what follows a repair is another. A daemon that is away is asked again. */
static enum err
ask_daemon(struct show *s, uint64_t size)
{
	union any_body answer;
	enum err e;

	if (s->in->n_positionals > 0 || (s->daemon == NULL && owner_open(s->in, &s->daemon) != OK))
		return OK;
	e = owner_call(s->in, s->daemon, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, MSG_STATUS, &answer);
	if (e != OK)
		client_close(&s->daemon);
	return e == OK && answer.status.log.failure == ERR_AUDIT_TAMPERED
	    ? tampered(s, "it is in state failed, and shown up to record %" PRIu64, size) : OK;
}

static enum err
follow(struct show *s, struct log_mark m, uint64_t from)
{
	int stop_fd = stop_signals();
	unsigned turns = 0;
	enum err e;

	do {
		e = show_on(s, &m, from, UINT64_MAX);
		if (e == OK && turns++ % ASK_TURNS == 0)
			e = ask_daemon(s, m.size);
	} while (e == OK && !print_failed() && !wait_for_more(stop_fd));
	client_close(&s->daemon);
	if (stop_fd >= 0)
		close(stop_fd);
	return e;
}

/* From a record on. `end` is the mark behind the last group. */
static enum err
show_from(struct show *s, uint64_t offset, const struct log_mark *end)
{
	struct log_frame_group g;
	struct log_mark m = *end;
	enum err e = OK;

	if (offset < end->size && (e = log_steps_find(s->steps, offset + 1, &m)) == OK)
		e = log_steps_back(s->steps, &m, &g);
	if (e == OK && s->follow && !s->broken)
		return follow(s, m, offset);
	s->first = offset;
	if (e != OK || (e = show_on(s, &m, offset, s->limit)) != OK)
		return e;
	if (s->n < s->limit && m.size < end->size)
		return tampered(s, HOLDS_BEFORE, m.size);
	if (!s->in->json)
		return OK;
	return end_page(s, s->n == s->limit && s->next < end->size ? s->next : 0, offset < end->size ? offset : end->size);
}

static enum err
show_last(struct show *s, uint64_t before, const struct log_mark *end)
{
	bool all = false;
	enum err e;

	s->first = before < end->size ? before : end->size;
	if ((e = show_newest(s, s->first, &all)) != OK)
		return e;
	if (s->follow && !s->broken)
		return follow(s, *end, end->size);
	if (!s->in->json)
		return OK;
	return end_page(s, before < end->size ? before : 0, all ? 0 : s->first);
}

/* The mark behind the last group; of a log whose end does not hold, behind the last that does. */
static enum err
find_end(struct show *s, const char *dir, struct log_mark *end)
{
	enum err e = log_steps_find(s->steps, UINT64_MAX, end), verified;
	struct log_verdict v;
	uint64_t size;

	if (e != ERR_AUDIT_TAMPERED)
		return e;
	verified = log_verify(&(struct log_verify_options){ .dir = dir }, &v);
	if (verified != OK && verified != ERR_AUDIT_DIVERGED)
		return e;
	size = v.valid ? v.size : v.bad_index;
	s->broken = true;
	(void)tampered(s, HOLDS_BEFORE, size);
	return size > 0 && log_steps_find(s->steps, size, end) == OK ? OK : e;
}

static enum err
show(struct show *s, const char *dir, uint64_t offset, uint64_t before)
{
	struct log_mark end;
	enum err e;

	/* A reader that goes away ends what would not end, as it ends any filter. */
	if (s->follow)
		signal(SIGPIPE, SIG_DFL);
	if ((e = log_steps_open(dir, &s->steps)) == OK && (e = find_end(s, dir, &end)) == OK) {
		if (!s->in->json) {
			audit_record_heading();
		} else if (!s->follow) {
			json_write_object(&s->w);
			json_write_key(&s->w, "records");
			json_write_array(&s->w);
		}
		e = option_given(s->in, "--offset") ? show_from(s, offset, &end) : show_last(s, before, &end);
		e = e == OK && s->broken ? ERR_AUDIT_TAMPERED : e;
		if (e == OK && s->failed)
			fprintf(stderr, "memories: the log is in state failed; what is left of it ends before record %" PRIu64 "\n", end.size);
	}
	json_write_free(&s->w);
	log_steps_close(&s->steps);
	return e;
}

/* The log of a home is its owner's to read while the library is open; files in a folder are whoever's can read them. */
static enum err
check_unlocked(struct invocation *in, bool *failed)
{
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = owner_open(in, &c)) == OK &&
	    (e = owner_call(in, c, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, MSG_STATUS, &answer)) == OK)
		e = !answer.status.state.initialized ? ERR_NOT_INITIALIZED : !answer.status.state.unlocked ? ERR_LOCKED : OK;
	*failed = e == OK && answer.status.log.failure == ERR_AUDIT_TAMPERED;
	client_close(&c);
	return e;
}

enum err
run_audit_show(struct invocation *in)
{
	struct show s = { .in = in, .follow = option_given(in, "-f") };
	uint64_t offset, before;
	enum err e;

	if ((e = option_u64(in, "--limit", 1, LIMIT_MAX, 100, &s.limit)) != OK ||
	    (e = option_u64(in, "--offset", 0, UINT64_MAX - 1, 0, &offset)) != OK ||
	    (e = option_u64(in, "--before", 0, UINT64_MAX - 1, UINT64_MAX, &before)) != OK ||
	    (e = audit_filter_take(in, &s.filter)) != OK)
		return e;
	if (option_given(in, "--before") && (s.follow || option_given(in, "--offset")))
		return invalid(in, "--before goes with neither -f nor --offset");
	if (in->n_positionals == 0 && (e = check_unlocked(in, &s.failed)) != OK)
		return e;
	return show(&s, in->n_positionals > 0 ? in->positionals[0] : HOME_LOG, offset, before);
}
