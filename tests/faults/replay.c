/*
 * replay BASE RECORDING EXPECT FINAL WORK N SEED check PART PARTS: builds N
 * crashes of the recorded run, spread over its syncs and answers, and asks the
 * oracle about each whose number is PART modulo PARTS. One line a violation,
 * then the sum; exit 1 when there was one.
 *
 * replay … build NUMBER: builds that one below WORK, and says after which event.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escrow/secret.h"
#include "tests/faults/image.h"
#include "tests/faults/oracle.h"

struct run {
	struct recording recording;
	struct expect    expect;
	struct known     known;
	size_t          *points; /* events after which a crash is worth building */
	size_t           n_points;
	const char      *base, *work;
	unsigned         seed;
	bool             only_build;
};

static const unsigned keeps[] = { 0, 256, 128, 30, 226 };
#define N_KEEPS (sizeof keeps / sizeof *keeps)

static bool
find_points(struct run *r)
{
	if ((r->points = calloc(r->recording.n + 1, sizeof *r->points)) == NULL)
		return false;
	for (size_t i = 0; i < r->recording.n; i++)
		switch (r->recording.events[i].type) {
		case EVENT_CREATE:
		case EVENT_WRITE:
		case EVENT_RENAME:
		case EVENT_UNLINK:
		case EVENT_SYNC_BEGIN:
		case EVENT_OUT:
			r->points[r->n_points++] = i;
			break;
		case EVENT_WRITE_SYNCED:
		case EVENT_TRUNCATE:
		case EVENT_GROW:
		case EVENT_LINK:
		case EVENT_SYNC_END:
		case EVENT_MARK:
			break;
		}
	return r->n_points > 0;
}

/* The crash of a number: the same for the same seed, whatever else is built. */
static struct crash
crash_of(const struct run *r, size_t number)
{
	unsigned seed = r->seed * 2654435761u + (unsigned)number;

	return (struct crash){ .keep_data = keeps[(unsigned)rand_r(&seed) / 64 % N_KEEPS],
	    .keep_names = keeps[(unsigned)rand_r(&seed) / 64 % N_KEEPS], .seed = seed };
}

static bool
check_one(struct run *r, const struct image *m, size_t number, size_t event)
{
	struct crash c = crash_of(r, number);
	char why[ORACLE_WHY_MAX] = "";

	if (!image_build(m, c, r->work)) {
		printf("state %zu, event %zu: cannot be built\n", number, event);
		return false;
	}
	if (oracle_check(r->work, &r->expect, event, &r->known, why))
		return true;
	printf("state %zu, event %zu, keeps %u/%u: %s\n", number, event, c.keep_data, c.keep_names, why);
	fflush(stdout);
	return false;
}

/* The crashes of a part, in the order of their events. Returns the violations, or -1. */
static long
run_all(struct run *r, size_t n, size_t part, size_t parts, size_t *torn)
{
	struct image *m = image_new(r->base);
	size_t at = 0;
	long bad = 0;

	for (size_t i = 0; m != NULL && i < n; i++) {
		size_t event = r->points[(uint64_t)i * r->n_points / n];

		for (; at <= event; at++)
			if (!image_apply(m, &r->recording.events[at])) {
				printf("event %zu (type %d, %s) does not fit\n", at, r->recording.events[at].type,
				    r->recording.events[at].path);
				image_free(m);
				return -1;
			}
		if (i % parts != part)
			continue;
		*torn += image_n_pending(m) > 0;
		if (r->only_build) {
			printf("built %zu after event %zu\n", i, event);
			bad = !image_build(m, crash_of(r, i), r->work);
			break;
		}
		bad += !check_one(r, m, i, event);
	}
	image_free(m);
	return m == NULL ? -1 : bad;
}

int
main(int argc, char **argv)
{
	static struct run r;
	char why[ORACLE_WHY_MAX] = "";
	size_t n, part, parts, torn = 0;
	long bad;

	if (argc < 10) {
		fprintf(stderr, "usage: replay BASE RECORDING EXPECT FINAL WORK N SEED check PART PARTS | build NUMBER\n");
		return 2;
	}
	r.base = argv[1];
	r.work = argv[5];
	n = strtoul(argv[6], NULL, 10);
	r.seed = (unsigned)strtoul(argv[7], NULL, 10);
	part = strtoul(argv[9], NULL, 10);
	parts = argc > 10 ? strtoul(argv[10], NULL, 10) : n;
	r.only_build = strcmp(argv[8], "build") == 0;
	if (secret_init(true) != OK || !recording_read(argv[2], &r.recording) || !expect_read(argv[3], &r.expect) ||
	    !oracle_learn(argv[4], &r.known, why) || !find_points(&r)) {
		fprintf(stderr, "replay: the recording cannot be used: %s\n", why);
		return 2;
	}
	if ((bad = run_all(&r, n, part, parts, &torn)) < 0)
		return 2;
	if (!r.only_build)
		printf("%zu points, %zu states with something not synced, %ld violations\n", r.n_points, torn, bad);
	free(r.points);
	recording_free(&r.recording);
	expect_free(&r.expect);
	return bad != 0;
}
