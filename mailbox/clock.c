#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "mailbox/clock.h"

static const struct clock_source *replaced;

static uint64_t
now_ms(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

struct wall_ms
clock_wall(void)
{
	if (replaced != NULL)
		return replaced->wall();
	return (struct wall_ms){ now_ms(CLOCK_REALTIME) };
}

struct mono_ms
clock_mono(void)
{
	if (replaced != NULL)
		return replaced->mono();
	return (struct mono_ms){ now_ms(CLOCK_BOOTTIME) };
}

struct uuid
clock_boot(void)
{
	char text[UUID_TEXT_LEN + 1] = "";
	struct uuid id = { { 0 } };
	FILE *f;

	if (replaced != NULL)
		return replaced->boot();
	if ((f = fopen("/proc/sys/kernel/random/boot_id", "re")) == NULL)
		return id;
	if (fgets(text, sizeof text, f) != NULL)
		(void)uuid_parse(text, &id);
	fclose(f);
	return id;
}

void
clock_set_source(const struct clock_source *source)
{
	replaced = source;
}

void
clock_text(struct wall_ms t, char out[CLOCK_TEXT_LEN + 1])
{
	static const char latest[CLOCK_TEXT_LEN + 1] = "9999-12-31T23:59:59Z";
	time_t s = (time_t)(t.ms / 1000);
	struct tm tm;

	/* Times from disk can be anything; past year 9999 the form has no room. */
	if (t.ms / 1000 > 253402300799u || gmtime_r(&s, &tm) == NULL ||
	    strftime(out, CLOCK_TEXT_LEN + 1, "%Y-%m-%dT%H:%M:%SZ", &tm) != CLOCK_TEXT_LEN)
		memcpy(out, latest, sizeof latest);
}

/* Two or four digits within a range; false when they do not stand there. */
static bool
take_digits(const char **text, int n, int min, int max, int *out)
{
	int v = 0;

	for (int i = 0; i < n; i++, (*text)++) {
		if (**text < '0' || **text > '9')
			return false;
		v = v * 10 + (**text - '0');
	}
	*out = v;
	return v >= min && v <= max;
}

static bool
take_char(const char **text, const char *one_of)
{
	if (**text == '\0' || strchr(one_of, **text) == NULL)
		return false;
	(*text)++;
	return true;
}

/* ".25" is 250; nothing is 0. */
static bool
take_fraction(const char **text, unsigned *ms)
{
	unsigned weight = 100, n = 0;

	*ms = 0;
	if (**text != '.')
		return true;
	for ((*text)++; **text >= '0' && **text <= '9'; (*text)++, weight /= 10, n++)
		*ms += weight * (unsigned)(**text - '0');
	return n > 0;
}

/* Seconds east of UTC. */
static bool
take_zone(const char **text, int *seconds)
{
	bool west = **text == '-';
	int hours, minutes;

	*seconds = 0;
	if (take_char(text, "Zz"))
		return true;
	if (!take_char(text, "+-") || !take_digits(text, 2, 0, 23, &hours) || !take_char(text, ":") ||
	    !take_digits(text, 2, 0, 59, &minutes))
		return false;
	*seconds = (west ? -60 : 60) * (60 * hours + minutes);
	return true;
}

enum err
clock_parse(const char *text, struct wall_ms *out)
{
	struct tm tm = { 0 }, same;
	int year, month, zone;
	unsigned ms;
	time_t t;

	if (!take_digits(&text, 4, 1970, 9999, &year) || !take_char(&text, "-") ||
	    !take_digits(&text, 2, 1, 12, &month) || !take_char(&text, "-") ||
	    !take_digits(&text, 2, 1, 31, &tm.tm_mday) || !take_char(&text, "Tt ") ||
	    !take_digits(&text, 2, 0, 23, &tm.tm_hour) || !take_char(&text, ":") ||
	    !take_digits(&text, 2, 0, 59, &tm.tm_min) || !take_char(&text, ":") ||
	    !take_digits(&text, 2, 0, 59, &tm.tm_sec) || !take_fraction(&text, &ms) ||
	    !take_zone(&text, &zone) || *text != '\0')
		return ERR_INVALID_ARGUMENT;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	same = tm;
	/* The 30th of February becomes a day of March. */
	if ((t = timegm(&same)) == -1 || same.tm_mday != tm.tm_mday || t < zone)
		return ERR_INVALID_ARGUMENT;
	*out = (struct wall_ms){ (uint64_t)(t - zone) * 1000 + ms };
	return OK;
}

enum err
clock_parse_duration(const char *text, uint64_t *ms)
{
	static const struct { char name; uint64_t ms; } units[] = {
		{ 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 }, { 'w', 604800000 },
	};
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < 9 && text[i] >= '0' && text[i] <= '9'; i++)
		n = n * 10 + (uint64_t)(text[i] - '0');
	for (size_t u = 0; i > 0 && u < sizeof units / sizeof *units; u++)
		if (text[i] == units[u].name && text[i + 1] == '\0') {
			*ms = n * units[u].ms;
			return OK;
		}
	return ERR_INVALID_ARGUMENT;
}
