#include <stdio.h>
#include <string.h>

#include "tools/command/audit_filter.h"

#define CLOCK_SLACK_MS 600000

/* The words that one of these options takes; numbered as in the log. */
struct vocabulary {
	const char *option;
	unsigned    first, end;
	const char *(*name)(unsigned v);
};

static const char *
name_of_surface(unsigned v)
{
	return surface_name((enum surface)v);
}

static const char *
name_of_type(unsigned v)
{
	return log_type_name((enum log_type)v);
}

static enum err
take_words(struct invocation *in, const struct vocabulary *words, uint32_t *bits)
{
	const char *text;

	for (size_t i = 0; (text = option_nth(in, words->option, i)) != NULL; i++) {
		unsigned v = words->first;

		while (v < words->end && strcmp(text, words->name(v)) != 0)
			v++;
		if (v < words->end) {
			*bits |= UINT32_C(1) << v;
			continue;
		}
		snprintf(in->detail, sizeof in->detail, "%s takes %s", words->option, words->name(words->first));
		for (v = words->first + 1; v < words->end; v++) {
			size_t len = strlen(in->detail);

			snprintf(in->detail + len, sizeof in->detail - len, ", %s", words->name(v));
		}
		return ERR_INVALID_ARGUMENT;
	}
	return OK;
}

/* A time, or how long ago. */
static enum err
take_time(struct invocation *in, const char *name, struct wall_ms *out)
{
	const char *text = option_value(in, name);
	uint64_t now = clock_wall().ms, ago;

	if (text == NULL || clock_parse(text, out) == OK)
		return OK;
	if (clock_parse_duration(text, &ago) != OK) {
		snprintf(in->detail, sizeof in->detail, "%s takes a time like 2026-11-30T10:00:00Z, or how long ago: 90s, 30m, 2h, 7d, 4w", name);
		return ERR_INVALID_ARGUMENT;
	}
	out->ms = ago < now ? now - ago : 0;
	return OK;
}

enum err
audit_filter_take(struct invocation *in, struct audit_filter *out)
{
	static const struct vocabulary surfaces = { "--surface", SURFACE_CLI, SURFACE__COUNT, name_of_surface };
	static const struct vocabulary types = { "--type", LOG_INTENT, LOG__COUNT, name_of_type };
	struct audit_filter f = { .surfaces = 0 };
	bool given;
	enum err e;

	if ((e = option_id(in, "--grant", &f.grant, &given)) != OK ||
	    (e = option_id(in, "--vault", &f.vault, &given)) != OK ||
	    (e = option_id(in, "--asset", &f.asset, &given)) != OK ||
	    (e = take_time(in, "--since", &f.since)) != OK || (e = take_time(in, "--until", &f.until)) != OK ||
	    (e = take_words(in, &surfaces, &f.surfaces)) != OK || (e = take_words(in, &types, &f.types)) != OK)
		return e;
	*out = f;
	return OK;
}

static bool
names_asset(const struct log_record *r, struct uuid asset)
{
	if (uuid_equal(r->asset, asset))
		return true;
	for (size_t i = 0; i < r->n_refs; i++)
		if (uuid_equal(log_record_ref(r, i).asset, asset))
			return true;
	return false;
}

/* A search over several vaults names none: it was about this one as well. A list of vaults names each in a row. */
static bool
is_about_vault(const struct log_record *r, struct uuid vault)
{
	return uuid_equal(r->vault, vault) || (r->op == OP_SEARCH && uuid_is_zero(r->vault)) || names_asset(r, vault);
}

/* What the owner did with a connection names it as a vault, or in what was configured. */
static bool
is_about_grant(const struct log_record *r, struct uuid grant)
{
	enum log_config what;
	struct uuid about;

	if (r->type == LOG_CONFIG && log_config_take(r->extra, &what, &about) && uuid_equal(about, grant))
		return true;
	return uuid_equal(r->vault, grant) ||
	    ((r->subject_kind == LOG_GRANT_ID || r->subject_kind == LOG_CONNECTION_ID) && uuid_equal(r->subject, grant));
}

bool
audit_filter_passes(const struct audit_filter *f, const struct log_record *r)
{
	if (!uuid_is_zero(f->grant) && !is_about_grant(r, f->grant))
		return false;
	if (!uuid_is_zero(f->vault) && !is_about_vault(r, f->vault))
		return false;
	if (!uuid_is_zero(f->asset) && !names_asset(r, f->asset))
		return false;
	return r->wall.ms >= f->since.ms && (f->until.ms == 0 || r->wall.ms < f->until.ms) &&
	    (f->surfaces == 0 || f->surfaces >> r->surface & 1) && (f->types == 0 || f->types >> r->type & 1);
}

bool
audit_filter_too_old(const struct audit_filter *f, struct wall_ms t)
{
	return t.ms < f->since.ms && f->since.ms - t.ms > CLOCK_SLACK_MS;
}

bool
audit_filter_too_new(const struct audit_filter *f, struct wall_ms t)
{
	return f->until.ms != 0 && t.ms > f->until.ms && t.ms - f->until.ms > CLOCK_SLACK_MS;
}
