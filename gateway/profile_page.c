/* What a connection gets: overview, pages, search results; each within its limit of bytes. */
#include <stdio.h>
#include <string.h>

#include "gateway/profile_result.h"

/* Room for all that stands beside facts and summary. */
#define FRAME_MAX 512

void
profile_fact_members(const struct profile_fact *f, struct json_writer *w)
{
	json_member_id(w, "id", f->fact);
	json_member_text(w, "category", category_name(f->category));
	json_member_string(w, "label", f->label);
	json_member_string(w, "value", f->value);
	json_member_u64(w, "version", f->version);
	json_member_time(w, "updated_at", f->updated);
}

static void
hex(const uint8_t bytes[PROFILE_VERSION_LEN], char out[2 * PROFILE_VERSION_LEN + 1])
{
	for (size_t i = 0; i < PROFILE_VERSION_LEN; i++)
		(void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* Writes facts while they fit into so many bytes; how many did. */
static size_t
write_facts(const struct profile_fact *const *facts, size_t n, size_t room, struct json_writer *w, struct profile_shown *shown)
{
	struct json_writer one = { 0 };
	struct span text;
	size_t i;

	json_write_key(w, "facts");
	json_write_array(w);
	for (i = 0; i < n; i++) {
		json_write_clear(&one);
		json_write_object(&one);
		profile_fact_members(facts[i], &one);
		json_write_end(&one);
		if (json_write_done(&one, &text) != OK || text.len + 1 > room)
			break;
		room -= text.len + 1;
		json_write_raw(w, text);
		shown->rows[shown->n++] = (struct profile_ref){ facts[i]->fact, facts[i]->revision };
	}
	json_write_end(w);
	w->failed = w->failed || one.failed;
	json_write_free(&one);
	return i;
}

static enum err
finish(struct json_writer *w, size_t max)
{
	struct span text;
	enum err e;

	json_write_end(w);
	if ((e = json_write_done(w, &text)) != OK)
		return e;
	return text.len <= max ? OK : ERR_INTERNAL;
}

/* Where it goes on, for a number and for a resource; null: nowhere. */
static void
write_next(struct json_writer *w, const char *version, uint64_t next, bool more)
{
	char uri[160];

	json_member_bool(w, "has_more", more);
	(void)snprintf(uri, sizeof uri, "lifeos://profile/summary?version=%s&offset=%llu", version, (unsigned long long)next);
	json_write_key(w, "next_offset");
	if (more)
		json_write_u64(w, next);
	else
		json_write_null(w);
	json_write_key(w, "next_uri");
	if (more)
		json_write_text(w, uri);
	else
		json_write_null(w);
}

enum err
profile_page_write(const struct profile_view *v, uint64_t offset, struct json_writer *w, struct profile_shown *shown)
{
	char summary[PROFILE_SUMMARY_MAX], version[2 * PROFILE_VERSION_LEN + 1];
	size_t left, n;

	if (offset > 0 && offset >= v->n)
		return ERR_OFFSET_OUT_OF_RANGE;
	left = v->n - (size_t)offset;
	profile_summary(v, summary);
	hex(v->version, version);
	json_write_object(w);
	json_member_text(w, "summary", summary);
	n = write_facts(v->facts + offset, left < PROFILE_OVERVIEW_MAX ? left : PROFILE_OVERVIEW_MAX,
	    PROFILE_CONNECTION_RESULT_MAX - FRAME_MAX - strlen(summary), w, shown);
	json_member_text(w, "version", version);
	json_member_time(w, "updated_at", v->updated);
	json_member_u64(w, "offset", offset);
	write_next(w, version, offset + n, n < left);
	return finish(w, PROFILE_CONNECTION_RESULT_MAX);
}

enum err
profile_hits_write(const struct profile_view *v, const struct profile_hits *h, struct json_writer *w,
    struct profile_shown *shown)
{
	char version[2 * PROFILE_VERSION_LEN + 1];
	bool more, exhausted;
	uint64_t next;

	hex(v->version, version);
	json_write_object(w);
	next = h->offset + write_facts(h->facts, h->n, PROFILE_CONNECTION_RESULT_MAX - FRAME_MAX, w, shown);
	more = next < h->total;
	exhausted = more && next > h->window;
	json_member_text(w, "version", version);
	json_member_u64(w, "offset", h->offset);
	json_write_key(w, "next_offset");
	if (more && !exhausted)
		json_write_u64(w, next);
	else
		json_write_null(w);
	json_member_bool(w, "window_exhausted", exhausted);
	if (exhausted)
		json_member_text(w, "message", "More facts match than a search can page through. Narrow the query and search again.");
	return finish(w, PROFILE_CONNECTION_RESULT_MAX);
}

void
profile_pending_write(struct uuid proposal, struct json_writer *w)
{
	json_write_object(w);
	json_member_id(w, "id", proposal);
	json_member_text(w, "status", "pending");
	json_write_end(w);
}
